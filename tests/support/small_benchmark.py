"""A benchmark that a test can run."""

from __future__ import annotations

import time


def measure(problem, method, seed, seconds):
    if problem == "broken":
        raise ValueError("problem: expected another one")
    if problem == "slow":
        time.sleep(60)
    return {"twice": 2 * seed}
