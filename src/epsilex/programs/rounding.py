"""Sums, products and quotients of floats, with the sign of what rounding took away.

Error-free transformations (T. Dekker, A floating-point technique for extending the available precision, Numerische
Mathematik 18, 1971; D. Knuth, The Art of Computer Programming 2, 4.2.2), and exact rationals where these would overflow
or underflow.
"""

from __future__ import annotations

import math
from fractions import Fraction

Rounded = tuple[
    float, float
]  # the float nearest to a number, and a number of the sign of the rest; sorts as the number
SMALL, LARGE = 2.0**-400, 2.0**400  # sizes between which a product, and its error, are floats
SPLITTER = 2.0**27 + 1.0


def summed(a: float, b: float) -> Rounded:
    total = a + b
    if math.isinf(total):
        return total, 0.0
    part = total - a
    return total, (a - (total - part)) + (b - part)


def multiplied(a: float, b: float) -> Rounded:
    if a == 0.0 or b == 0.0:
        return 0.0, 0.0
    if not (SMALL < abs(a) < LARGE and SMALL < abs(b) < LARGE):
        return _nearest(Fraction(a) * Fraction(b))
    return a * b, _product_error(a, b)


def divided(a: float, b: float) -> Rounded:
    if a == 0.0:
        return 0.0, 0.0
    if not (SMALL < abs(a) < LARGE and SMALL < abs(b) < LARGE):
        return _nearest(Fraction(a) / Fraction(b))
    quotient = a / b
    rest = (a - quotient * b) - _product_error(quotient, b)  # exact: the remainder of a division is a float
    return quotient, rest / b


def below(number: Rounded) -> float:
    """The greatest float that is not above the number."""
    return math.nextafter(number[0], -math.inf) if number[1] < 0.0 else number[0]


def above(number: Rounded) -> float:
    """The least float that is not below the number."""
    return math.nextafter(number[0], math.inf) if number[1] > 0.0 else number[0]


def _product_error(a: float, b: float) -> float:
    """a * b minus its float, by halves of 26 bits."""
    high_a, high_b = SPLITTER * a, SPLITTER * b
    high_a, high_b = high_a - (high_a - a), high_b - (high_b - b)
    low_a, low_b = a - high_a, b - high_b
    return low_a * low_b - (((a * b - high_a * high_b) - low_a * high_b) - high_a * low_b)


def _nearest(number: Fraction) -> Rounded:
    try:
        value = float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf, 0.0
    rest = number - Fraction(value)
    return value, float((rest > 0) - (rest < 0))
