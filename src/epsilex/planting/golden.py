"""Golden-section search for the maximum of a function of one number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

RATIO = 0.5 * (np.sqrt(5.0) - 1.0)  # by which each step narrows the interval


def highest(function: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """Where a function with a single maximum between `low` and `high` has it."""
    a, b = high - RATIO * (high - low), low + RATIO * (high - low)
    at_a, at_b = function(a), function(b)
    for _ in range(steps):
        if at_a > at_b:
            high, b, at_b = b, a, at_a
            a = high - RATIO * (high - low)
            at_a = function(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + RATIO * (high - low)
            at_b = function(b)
    return 0.5 * (low + high)
