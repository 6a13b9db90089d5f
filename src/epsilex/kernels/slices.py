"""A thread pool over slices of the population. Kernels release the GIL; every result has its own place in the
output, so the number of threads never changes the result."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

SLICES_PER_THREAD = 4  # programs differ in length, and smaller slices balance the load


@dataclass
class _Shared:
    """A pool and how many use it now."""

    pool: ThreadPoolExecutor
    users: int = 0


_POOLS: dict[int, _Shared] = {}  # by number of threads
_LOCK = threading.Lock()


@contextmanager
def threads(n_jobs: int) -> Iterator[ThreadPoolExecutor]:
    """A pool that all calls within share, and that ends with the last of them."""
    with _LOCK:
        if n_jobs not in _POOLS:
            _POOLS[n_jobs] = _Shared(ThreadPoolExecutor(n_jobs, thread_name_prefix="epsilex"))
        shared = _POOLS[n_jobs]
        shared.users += 1
    try:
        yield shared.pool
    finally:
        with _LOCK:
            shared.users -= 1
            over = shared.users == 0
            if over and _POOLS.get(n_jobs) is shared:
                del _POOLS[n_jobs]
        if over:
            shared.pool.shutdown()


def _forget() -> None:
    """A forked child has none of its parent's threads."""
    global _LOCK
    _LOCK = threading.Lock()
    _POOLS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def run(kernel: Callable[[int, int], None], n: int, n_jobs: int = 1) -> None:
    """Call `kernel(first, last)` on slices that cover range(n); the calling thread is one of the workers."""
    if n_jobs <= 1 or n < 2:
        if n:
            kernel(0, n)
        return
    n_slices = min(n, n_jobs * SLICES_PER_THREAD)
    ticket = count()  # no two threads get the same number from it

    def work() -> None:
        while (k := next(ticket)) < n_slices:
            kernel(n * k // n_slices, n * (k + 1) // n_slices)

    with threads(n_jobs) as pool:
        others = [pool.submit(work) for _ in range(min(n_jobs, n_slices) - 1)]
        try:
            work()
        finally:
            wait(others)
    for other in others:
        other.result()
