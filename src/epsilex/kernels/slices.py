"""A thread pool over slices of the population. Kernels release the GIL; every result has its own place in the
output, so the number of threads never changes the result."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import count

_POOLS: dict[tuple[int, int], ThreadPoolExecutor] = {}
SLICES_PER_THREAD = 4  # programs differ in length, and smaller slices balance the load


def _pool(n_jobs: int) -> ThreadPoolExecutor:
    """One pool per process and size; a forked child must not use its parent's threads."""
    key = (os.getpid(), n_jobs)
    if key not in _POOLS:
        _POOLS[key] = ThreadPoolExecutor(n_jobs, thread_name_prefix="epsilex")
    return _POOLS[key]


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

    others = [_pool(n_jobs).submit(work) for _ in range(min(n_jobs, n_slices) - 1)]
    try:
        work()
    finally:
        wait(others)
    for other in others:
        other.result()
