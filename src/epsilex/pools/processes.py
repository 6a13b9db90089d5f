"""Processes of this machine. Starting one takes a second or two of imports, so idle ones are kept for later."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from typing import Any

IDLE = 300.0  # seconds after which a worker without work ends; the next task starts another
WATCH = 0.5  # seconds between looks at the parent


class ProcessPool:
    """Processes of this machine, one task each at a time.

    Each worker is its own pool: when it dies, only its own task is lost, and that task is known. Workers are fresh
    interpreters, not forks, and do not import the user's script.
    """

    def __init__(self, jobs: int | None = None):
        jobs = os.cpu_count() or 1 if jobs is None else jobs
        if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
            raise ValueError(f"jobs: expected an integer of at least 1; got {jobs!r}")
        self.slots = jobs
        self.description = f"{jobs} process{'es' if jobs > 1 else ''}"
        self._idle: list[Executor] = [_worker() for _ in range(jobs)]
        self._busy: dict[Future, Executor] = {}

    @property
    def free(self) -> bool:
        return bool(self._idle)

    def submit(self, work: Callable, *arguments: Any) -> Future:
        worker = self._idle.pop()
        try:
            future = worker.submit(work, *arguments)
        except RuntimeError:  # it died while idle, or was ended
            _end(worker)
            worker = _worker()
            future = worker.submit(work, *arguments)
        self._busy[future] = worker
        return future

    def collect(self, timeout: float) -> list[Future]:
        """Futures that are done by now, after at most `timeout` seconds."""
        done, others = wait(self._busy, timeout, FIRST_COMPLETED)
        for future in others:
            _release(self._busy[future])
        for future in done:
            worker = self._busy.pop(future)
            if isinstance(future.exception(), BrokenExecutor):
                _end(worker)
                worker = _worker()
            self._idle.append(worker)
        return list(done)

    def everywhere(self, work: Callable, *arguments: Any) -> None:
        """Run `work` once in each worker; a worker that dies of it is only replaced."""
        while self._idle:
            self.submit(work, *arguments)
        while self._busy:
            for future in self.collect(timeout=60.0):
                if not isinstance(future.exception(), BrokenExecutor):
                    future.result()

    def drop(self) -> None:
        """End the workers that are busy, whose work nobody wants, and start others in their place when needed."""
        for worker in self._busy.values():
            _end(worker)
            self._idle.append(_worker())
        self._busy = {}

    def pids(self) -> list[int]:
        """The processes that are alive."""
        return [pid for worker in (*self._idle, *self._busy.values()) for pid in _processes(worker)]

    def close(self) -> None:
        """End all workers immediately, including running tasks."""
        for worker in (*self._idle, *self._busy.values()):
            _end(worker)


_KEPT: dict[int, tuple[tuple[str, ...], ProcessPool]] = {}  # by number of workers, with the operators they know


@contextmanager
def kept_processes(jobs: int, operators: tuple[str, ...] = ()) -> Iterator[ProcessPool]:
    """A pool of the calling process; its workers stay alive for the next search with as many.

    Workers that have learnt other operators of the user's are replaced.
    """
    before, pool = _KEPT.pop(jobs, (operators, None))  # of two searches at the same time each has its own
    if pool is not None and before != operators:
        pool.close()
        pool = None
    pool = pool or ProcessPool(jobs)
    try:
        yield pool
    finally:
        pool.drop()
        if _KEPT.setdefault(jobs, (operators, pool))[1] is not pool:
            pool.close()


def _forget() -> None:
    """A forked child has its parent's pools, but not their threads."""
    _KEPT.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _worker() -> Executor:
    """An executor of one process, which starts with its first task."""
    from joblib.externals.loky import ProcessPoolExecutor

    return ProcessPoolExecutor(1, timeout=IDLE, initializer=_start_worker)


def _processes(worker: Any) -> dict[int, Any]:
    return dict(worker._processes or {})


def _end(worker: Any) -> None:
    for process in _processes(worker).values():
        process.terminate()  # at once: workers have no handler of SIGTERM
    worker.shutdown(wait=False)


def _release(worker: Any) -> None:
    """Let an executor notice that its process is dead.

    A process that is killed while it sends or receives leaves half a message in a pipe. This process holds both ends of
    it, so the executor would wait for the rest for ever.
    """
    if any(not process.is_alive() for process in _processes(worker).values()):
        for end in (worker._result_queue._writer, worker._call_queue._reader):
            with suppress(OSError):
                end.close()


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
    while parent is not None and os.getppid() == parent.pid:
        time.sleep(WATCH)
    os._exit(1)
