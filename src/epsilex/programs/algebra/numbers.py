"""How hard a number is to read: whole numbers and simple fractions first, fitted decimals last."""

from __future__ import annotations

import math
from functools import lru_cache

from epsilex.programs.constants import written

LONG = 6.0  # effort of a number without a simple form
FITTED = 2  # symbols that a number without a simple form counts for besides itself: it is a quantity to be told
SAME = 1e-14  # relative difference of numbers that rounding made different


@lru_cache(maxsize=65536)
def effort(value: float) -> float:
    """About the number of digits a reader has to read."""
    value = abs(value)
    if value == 1.0:
        return 0.2
    known = written(value)
    return LONG if known is None else known.effort


@lru_cache(maxsize=65536)
def symbols(value: float) -> int:
    """Symbols that a number counts for: one if it is simple, more if it looks fitted."""
    return 1 + (FITTED if effort(value) >= LONG else 0)


def same(a: float, b: float) -> bool:
    return abs(a - b) <= SAME * max(abs(a), abs(b))


@lru_cache(maxsize=65536)
def cleaned(value: float) -> float:
    """The short decimal or simple fraction that differs from `value` only by rounding, else `value`."""
    if value == 0.0 or not math.isfinite(value):
        return value
    short = float(f"{value:.12g}")
    if same(value, short):
        return short
    known = written(abs(value))
    return value if known is None else math.copysign(known.value, value)
