"""Interval arithmetic: proven bounds of a formula over a box of inputs.

Every function takes closed intervals of finite floats and returns one that contains every value the operator takes
over them, both in exact arithmetic and in float64, or None if nothing is proven. None means a possible pole, undefined
value or overflow, so a formula with an enclosure is finite on the whole box.

Sums, products and quotients are rounded outward, to the narrowest interval (`rounding`); the other functions are
widened by `MARGIN` units in the last place, more than the error of any libm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from epsilex.programs.rounding import Rounded, above, below, divided, multiplied, summed

MARGIN = 8
PROTECTED_BELOW = 1e-6  # where pdiv and plog are protected
_EXACT_PERIODS = 1e6  # beyond it, sine and cosine are enclosed by [-1, 1] only


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `lo` to `hi`, both finite."""

    lo: float
    hi: float

    def __post_init__(self):
        object.__setattr__(self, "lo", float(self.lo))  # also from an int or a NumPy scalar
        object.__setattr__(self, "hi", float(self.hi))
        if not (math.isfinite(self.lo) and math.isfinite(self.hi) and self.lo <= self.hi):
            raise ValueError(f"interval: expected finite lo <= hi; got lo={self.lo}, hi={self.hi}")

    def __contains__(self, value: float) -> bool:
        return self.lo <= value <= self.hi


def add(a: Interval, b: Interval) -> Interval | None:
    return _outward(summed(a.lo, b.lo), summed(a.hi, b.hi))


def sub(a: Interval, b: Interval) -> Interval | None:
    return add(a, neg(b))


def mul(a: Interval, b: Interval) -> Interval | None:
    corners = [multiplied(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return _outward(min(corners), max(corners))


def div(a: Interval, b: Interval) -> Interval | None:
    if 0.0 in b:
        return None
    corners = [divided(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return _outward(min(corners), max(corners))


def inverse(a: Interval) -> Interval | None:
    return div(Interval(1.0, 1.0), a)


def neg(a: Interval) -> Interval:
    return Interval(-a.hi, -a.lo)


def absolute(a: Interval) -> Interval:
    low, high = sorted((abs(a.lo), abs(a.hi)))
    return Interval(0.0 if 0.0 in a else low, high)


def minimum(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.lo, b.lo), min(a.hi, b.hi))


def maximum(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.lo, b.lo), max(a.hi, b.hi))


def square(a: Interval) -> Interval | None:
    a = absolute(a)
    return _outward(multiplied(a.lo, a.lo), multiplied(a.hi, a.hi))


def sqrt(a: Interval) -> Interval | None:
    return None if a.lo < 0.0 else _monotone(math.sqrt, a, floor=0.0)


def exp(a: Interval) -> Interval | None:
    return _monotone(math.exp, a, floor=0.0)


def log(a: Interval) -> Interval | None:
    return None if a.lo <= 0.0 else _monotone(math.log, a)


def tanh(a: Interval) -> Interval | None:
    return _monotone(math.tanh, a, floor=-1.0, ceiling=1.0)


def asin(a: Interval) -> Interval | None:
    return None if a.lo < -1.0 or a.hi > 1.0 else _monotone(math.asin, a)


def acos(a: Interval) -> Interval | None:
    if a.lo < -1.0 or a.hi > 1.0:
        return None
    return _widened(math.acos(a.hi), math.acos(a.lo), 0.0)


def sin(a: Interval) -> Interval | None:
    return _wave(math.sin, a, peak=math.pi / 2)


def cos(a: Interval) -> Interval | None:
    return _wave(math.cos, a, peak=0.0)


def power(a: Interval, b: Interval) -> Interval | None:
    """`a ** b`: a base of any sign for one whole exponent, a base of at least 0 otherwise."""
    if b.lo == b.hi and b.lo.is_integer():
        return _whole_power(a, b.lo)
    if a.lo < 0.0 or (a.lo == 0.0 and b.lo < 0.0):
        return None
    # b * log(a) is linear in b and in log(a), so its extremes lie at the corners.
    return _hull_of_corners([(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)], floor=0.0)


def pdiv(a: Interval, b: Interval) -> Interval | None:
    """The paper's protected division: 1 where |b| is below 1e-6."""
    pieces: list[Interval | None] = []
    if b.lo < PROTECTED_BELOW and b.hi > -PROTECTED_BELOW:
        pieces.append(Interval(1.0, 1.0))
    if b.hi >= PROTECTED_BELOW:
        pieces.append(div(a, Interval(max(b.lo, PROTECTED_BELOW), b.hi)))
    if b.lo <= -PROTECTED_BELOW:
        pieces.append(div(a, Interval(b.lo, min(b.hi, -PROTECTED_BELOW))))
    return _hull(pieces)


def plog(a: Interval) -> Interval | None:
    """The paper's protected logarithm of |a|: 0 where |a| is below 1e-6."""
    a = absolute(a)
    pieces: list[Interval | None] = []
    if a.lo < PROTECTED_BELOW:
        pieces.append(Interval(0.0, 0.0))
    if a.hi >= PROTECTED_BELOW:
        pieces.append(log(Interval(max(a.lo, PROTECTED_BELOW), a.hi)))
    return _hull(pieces)


def enclose(nodes: Sequence[tuple[int, int, float]], box: Sequence[Interval]) -> Interval | None:
    """Enclosure of a program over a box, one interval per feature; None if nothing is proven.

    Arguments are taken as independent, so the enclosure may be wide and a finite formula may stay unproven;
    only the product of a part with itself is recognised as a square.
    """
    from epsilex.programs.operators import CONSTANT, FEATURE, lookup  # the table imports this module

    stack: list[tuple[int, Interval]] = []  # first node and enclosure of each finished part
    for k, (code, feature, constant) in enumerate(nodes):
        if code in (CONSTANT, FEATURE):
            start, value = k, _leaf(constant, box[feature] if code == FEATURE else None)
        else:
            row = lookup(code)
            parts, middle = stack[-row.arity :], stack[-1][0]
            del stack[-row.arity :]
            start = parts[0][0]
            if row.bounds is None:
                value = None
            elif row.bounds is mul and list(nodes[start:middle]) == list(nodes[middle:k]):
                value = square(parts[0][1])
            else:
                value = row.bounds(*(interval for _, interval in parts))
        if value is None:
            return None
        stack.append((start, value))
    return stack[-1][1]


def _leaf(constant: float, column: Interval | None) -> Interval | None:
    if not math.isfinite(constant):
        return None
    point = Interval(constant, constant)
    return point if column is None else mul(point, column)


def _outward(lo: Rounded, hi: Rounded) -> Interval | None:
    """The narrowest interval of floats around two exact numbers."""
    return _finite(below(lo), above(hi))


def _finite(lo: float, hi: float) -> Interval | None:
    return Interval(lo, hi) if math.isfinite(lo) and math.isfinite(hi) else None


def _widened(lo: float, hi: float, floor: float = -math.inf, ceiling: float = math.inf) -> Interval | None:
    """From `lo` to `hi` and `MARGIN` units in the last place beyond, within the function's range."""
    return _finite(max(lo - MARGIN * math.ulp(lo), floor), min(hi + MARGIN * math.ulp(hi), ceiling))


def _monotone(function: Callable, a: Interval, floor: float = -math.inf, ceiling: float = math.inf) -> Interval | None:
    try:
        return _widened(function(a.lo), function(a.hi), floor, ceiling)
    except OverflowError:
        return None


def _wave(function: Callable, a: Interval, peak: float) -> Interval | None:
    """Sine or cosine, whose maxima are at `peak + 2 pi k` and minima half a period later."""
    if max(-a.lo, a.hi) > _EXACT_PERIODS:
        return Interval(-1.0, 1.0)
    ends = (function(a.lo), function(a.hi))
    lo = -1.0 if _has_multiple(a, peak + math.pi) else min(ends)
    hi = 1.0 if _has_multiple(a, peak) else max(ends)
    return _widened(lo, hi, -1.0, 1.0)


def _has_multiple(a: Interval, offset: float) -> bool:
    """Whether `offset + 2 pi k` may lie in `a` for a whole `k`; if in doubt, yes."""
    turns = 2.0 * math.pi
    return math.ceil((a.lo - offset) / turns - 1e-6) <= math.floor((a.hi - offset) / turns + 1e-6)


def _whole_power(a: Interval, n: float) -> Interval | None:
    if n == 0.0:
        return Interval(1.0, 1.0)
    if n < 0.0 and 0.0 in a:
        return None
    if n % 2.0 == 0.0:
        a = absolute(a)
    # Monotone over the interval now: no pole inside, and an even power only over one sign.
    return _hull_of_corners([(a.lo, n), (a.hi, n)], floor=0.0 if a.lo >= 0.0 else -math.inf)


def _hull_of_corners(corners: list[tuple[float, float]], floor: float) -> Interval | None:
    try:
        values = [math.pow(x, y) for x, y in corners]
    except (OverflowError, ValueError):
        return None
    return _widened(min(values), max(values), floor)


def _hull(pieces: list[Interval | None]) -> Interval | None:
    proven = [piece for piece in pieces if piece is not None]
    if len(proven) < len(pieces):
        return None
    return Interval(min(piece.lo for piece in proven), max(piece.hi for piece in proven))
