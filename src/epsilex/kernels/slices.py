"""A thread pool over slices of the population. Kernels release the GIL; every result has its own place in the
output, so the number of threads never changes a bit of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

_POOLS: dict[tuple[int, int], ThreadPoolExecutor] = {}
CHUNKS_PER_THREAD = 4  # programs differ in length: smaller slices even the load


def _pool(n_jobs: int) -> ThreadPoolExecutor:
    """One pool per process and size; a forked child must not use its parent's threads."""
    key = (os.getpid(), n_jobs)
    if key not in _POOLS:
        _POOLS[key] = ThreadPoolExecutor(n_jobs, thread_name_prefix="epsilex")
    return _POOLS[key]


def run(kernel: Callable[[int, int], None], n: int, n_jobs: int = 1) -> None:
    """Call `kernel(first, last)` on slices that cover range(n)."""
    if n_jobs <= 1 or n < 2:
        if n:
            kernel(0, n)
        return
    n_slices = min(n, n_jobs * CHUNKS_PER_THREAD)
    cuts = [n * k // n_slices for k in range(n_slices + 1)]
    for done in [_pool(n_jobs).submit(kernel, first, last) for first, last in pairwise(cuts)]:
        done.result()
