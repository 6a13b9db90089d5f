"""The workers of a Dask cluster, which may come and go."""

from __future__ import annotations

import pydoc
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from epsilex import __version__
from epsilex.pools.fate import Gone

_GONE = "dask: the scheduler went away; once it is back, the same command continues from what was stored"


class DaskPool:
    """The workers of a Dask cluster. They need only this package installed, because data is sent with the work.

    The cluster is given by the address of its scheduler, or by a client, which stays open.
    """

    def __init__(self, cluster: Any, timeout: float = 10.0):
        self._own = isinstance(cluster, str)
        self._busy: set[Future] = set()
        self._client = _connected(cluster, timeout) if self._own else _open(cluster)
        try:
            self._client.wait_for_workers(1, timeout=timeout)
            self._refuse_others()
        except TimeoutError:
            where = self._address  # as long as it is open
            self.close()
            raise ValueError(f"dask: expected a scheduler with workers; got none at {where!r}") from None
        except ValueError:
            self.close()
            raise
        self._executor = self._client.get_executor(pure=False)
        self.description = f"Dask, {self.slots} threads"

    @property
    def _address(self) -> str:
        scheduler = self._client.scheduler
        return scheduler.address if scheduler is not None else "?"

    @property
    def slots(self) -> int:
        """Number of tasks that run at once; workers may come and go."""
        try:
            return sum(self._client.nthreads().values())
        except (OSError, TypeError, RuntimeError, TimeoutError):  # TypeError: a closed client has no scheduler
            raise Gone(_GONE) from None

    @property
    def free(self) -> bool:
        # Twice as many are submitted, so that no worker is idle between tasks.
        return len(self._busy) < max(1, 2 * self.slots)

    def submit(self, work: Callable, *arguments: Any) -> Future:
        try:
            future = self._executor.submit(work, *arguments)
        except (OSError, RuntimeError):
            raise Gone(_GONE) from None
        self._busy.add(future)
        return future

    def collect(self, timeout: float) -> list[Future]:
        """Futures that are done by now, after at most `timeout` seconds."""
        done, self._busy = wait(self._busy, timeout, FIRST_COMPLETED)
        if self._client.status not in ("running", "connecting"):
            raise Gone(_GONE)
        return list(done)

    def everywhere(self, work: Callable, *arguments: Any) -> None:
        """Run `work` once on each worker that is there now."""
        how = {"allow_other_workers": True, "pure": False}  # one that leaves must not be waited for
        futures = [self._client.submit(work, *arguments, workers=[one], **how) for one in self._client.nthreads()]
        for future in futures:
            future.exception()  # a worker may leave; what is wrong with the work is told when it is needed

    def shared(self, thing: Any) -> Any:
        """A thing that tasks take as an argument, sent to each worker once.

        It is the result of a task, which the scheduler runs again if all workers that had it are gone.
        """
        return self._client.submit(_itself, thing, pure=False)

    def close(self) -> None:
        for future in self._busy:
            future.cancel()
        if self._own:
            self._client.close()

    def _refuse_others(self) -> None:
        """Raise if a worker has another version of the package, or none."""
        found = self._client.run(pydoc.locate, "epsilex.__version__", on_error="return")
        for worker, version in found.items():
            if version != __version__:
                has = version if isinstance(version, str) else "none"
                raise ValueError(f"dask: expected workers with epsilex {__version__}; {worker} has {has}")


def _itself(thing: Any) -> Any:
    return thing


def _open(client: Any) -> Any:
    if getattr(client, "status", None) != "running":
        raise ValueError(f"dask: expected an address, or a client that is open; got {client!r}")
    return client


def _connected(address: str, timeout: float) -> Any:
    """A client of the scheduler at an address."""
    try:
        from distributed import Client, Security
        from distributed.comm import connect
        from distributed.utils import LoopRunner
    except ImportError:
        raise ValueError("dask: expected the package `distributed`; install epsilex[cluster]") from None
    nobody = f"dask: expected the address of a Dask scheduler; nobody answers at {address!r}"
    if not address:
        raise ValueError(nobody)

    async def knock() -> None:
        options = Security().get_connection_args("client")
        await (await connect(address, timeout=timeout, **options)).close()

    # A client that fails in its constructor is closed when it is garbage collected, which takes a lock that the
    # next client may hold. So a client is made only if the scheduler answers.
    try:
        LoopRunner().run_sync(knock)
        return Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, TypeError):
        raise ValueError(nobody) from None
