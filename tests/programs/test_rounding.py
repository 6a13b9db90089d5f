"""Rounding against exact rationals: the nearest float, the side on which the number lies, and its order."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from epsilex.programs import rounding

number = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e3, 1e3),
    st.integers(-(2**60), 2**60).map(float),
    st.sampled_from([0.0, -0.0, 1.0, -3.0, 0.1, 5e-324, -1e-308, 1e-120, 1e120, 2.0**-400, 2.0**400, 1.7e308]),
)
EXACT = {
    rounding.summed: lambda a, b: Fraction(a) + Fraction(b),
    rounding.multiplied: lambda a, b: Fraction(a) * Fraction(b),
    rounding.divided: lambda a, b: Fraction(a) / Fraction(b),
}


def nearest(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@pytest.mark.parametrize("operation", EXACT, ids=lambda operation: operation.__name__)
@settings(max_examples=200)
@given(a=number, b=number)
@example(a=0.1, b=0.2)
@example(a=1.0, b=3.0)
@example(a=1e308, b=1e308)
@example(a=2.0**-600, b=2.0**-470)
def test_value_and_side(operation, a, b):
    assume(operation is not rounding.divided or b != 0.0)
    exact, (value, rest) = EXACT[operation](a, b), operation(a, b)
    assert value == nearest(exact)
    if math.isfinite(value):
        assert (rest > 0.0) - (rest < 0.0) == (exact > Fraction(value)) - (exact < Fraction(value))
        low, high = rounding.below((value, rest)), rounding.above((value, rest))
        assert low == -math.inf or Fraction(low) <= exact
        assert high == math.inf or exact <= Fraction(high)
        assert high in (low, math.nextafter(low, math.inf))


def test_the_least_and_the_greatest_product():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(size=60) * 10.0 ** rng.integers(-9, 9, 60), [0.0, 0.1, -0.3, 1e-200, 1e200]])
    for corners in rng.choice(values, (3000, 4, 2)).tolist():
        exact = [Fraction(a) * Fraction(b) for a, b in corners]
        found = [rounding.multiplied(a, b) for a, b in corners]
        assert exact[found.index(min(found))] == min(exact)
        assert exact[found.index(max(found))] == max(exact)
