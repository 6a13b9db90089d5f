"""Where trials run: processes of this machine, or a Dask cluster. Both have `free`, `submit`, `collect` and `close`."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from multiprocessing.connection import wait as wait_for_handles
from typing import Any

_GONE = "dask: the scheduler went away; what was stored is intact, so start again to continue"


class ProcessPool:
    """Processes of this machine, one trial each at a time.

    Each worker is its own pool: when it dies, only its own trial is lost, and that trial is known.
    """

    def __init__(self, jobs: int | None = None):
        jobs = os.cpu_count() or 1 if jobs is None else jobs
        if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
            raise ValueError(f"jobs: expected an integer of at least 1; got {jobs!r}")
        self.slots = jobs
        self.description = f"{jobs} process{'es' if jobs > 1 else ''}"
        self._idle = [_worker() for _ in range(jobs)]
        self._busy: dict[Future, ProcessPoolExecutor] = {}

    @property
    def free(self) -> bool:
        return bool(self._idle)

    def submit(self, work: Callable, *arguments: Any) -> Future:
        worker = self._idle.pop()
        try:
            future = worker.submit(work, *arguments)
        except BrokenExecutor:  # it died while idle
            worker.shutdown(wait=False)
            worker = _worker()
            future = worker.submit(work, *arguments)
        self._busy[future] = worker
        return future

    def collect(self, timeout: float) -> list[Future]:
        """Futures that are done by now, after at most `timeout` seconds."""
        done, _ = wait(self._busy, timeout, FIRST_COMPLETED)
        for future in done:
            worker = self._busy.pop(future)
            if isinstance(future.exception(), BrokenExecutor):
                worker.shutdown(wait=False)
                worker = _worker()
            self._idle.append(worker)
        return list(done)

    def close(self) -> None:
        """End all workers immediately, including running trials."""
        for worker in (*self._idle, *self._busy.values()):
            for process in list((worker._processes or {}).values()):
                process.kill()
            worker.shutdown(wait=False, cancel_futures=True)


class DaskPool:
    """The workers of a Dask cluster. They need only this package installed, because data is sent with the trial."""

    def __init__(self, address: str, timeout: float = 10.0):
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
            self._client = Client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, TypeError):
            raise ValueError(nobody) from None
        try:
            self._client.wait_for_workers(1, timeout=timeout)
        except TimeoutError:
            self._client.close()
            raise ValueError(f"dask: expected a scheduler with workers; got none at {address!r}") from None
        self._executor = self._client.get_executor(pure=False)
        self._busy: set[Future] = set()
        self.description = f"Dask, {self.slots} threads"

    @property
    def slots(self) -> int:
        """Number of trials that run at once; workers may come and go."""
        try:
            return sum(self._client.nthreads().values())
        except OSError:
            raise ValueError(_GONE) from None

    @property
    def free(self) -> bool:
        # Twice as many are submitted, so that no worker is idle between trials.
        return len(self._busy) < max(1, 2 * self.slots)

    def submit(self, work: Callable, *arguments: Any) -> Future:
        future = self._executor.submit(work, *arguments)
        self._busy.add(future)
        return future

    def collect(self, timeout: float) -> list[Future]:
        """Futures that are done by now, after at most `timeout` seconds."""
        done, self._busy = wait(self._busy, timeout, FIRST_COMPLETED)
        if self._client.status not in ("running", "connecting"):
            raise ValueError(_GONE)
        return list(done)

    def close(self) -> None:
        for future in self._busy:
            future.cancel()
        self._client.close()


def _worker() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_start_worker)


def _start_worker() -> None:
    """One thread per worker; exit when the parent is gone; leave Ctrl-C to the parent."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """A killed parent cannot end its workers, so they watch it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for_handles([parent.sentinel])
        os._exit(1)
