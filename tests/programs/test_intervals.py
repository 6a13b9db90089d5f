"""Enclosures are sound: no value of a formula over a box lies outside, and a proven formula is finite."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilex.programs import intervals as iv
from epsilex.programs import operators
from epsilex.programs.intervals import Interval, enclose
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import BUILT_IN_NAMES, FEATURE, lookup, opcode
from epsilex.programs.parser import parse
from strategies import N_FEATURES, programs

bound = st.one_of(
    st.sampled_from([-1.0, 0.0, 1e-6, 1.0, math.pi, 1e-300, 1e300]), st.floats(-20.0, 20.0), st.floats(-1e9, 1e9)
)
interval = st.tuples(bound, bound).map(lambda ends: Interval(min(ends), max(ends)))
boxes = st.lists(interval, min_size=N_FEATURES, max_size=N_FEATURES)


def points_of(box, n, seed=0):
    """Points of a box, its corners among them: (n, features)."""
    rng = np.random.default_rng(seed)
    share = rng.choice([0.0, 1.0, np.nan], size=(n, len(box)))
    share = np.where(np.isnan(share), rng.random(share.shape), share)
    lo, hi = np.array([b.lo for b in box]), np.array([b.hi for b in box])
    return np.clip(lo * (1.0 - share) + hi * share, lo, hi)


@settings(max_examples=300)
@given(programs(max_leaves=6), boxes)
def test_values_lie_inside_and_are_finite(nodes, box):
    enclosure = enclose(nodes, box)
    if enclosure is None:
        return
    values = evaluate64(nodes, points_of(box, 1000))
    assert np.isfinite(values).all()
    assert enclosure.lo <= values.min()
    assert values.max() <= enclosure.hi


@settings(max_examples=60)
@pytest.mark.parametrize("name", BUILT_IN_NAMES)
@given(data=st.data())
def test_each_operator_alone(name, data):
    row = lookup(opcode(name))
    box = data.draw(st.lists(interval, min_size=row.arity, max_size=row.arity))
    nodes = [*((FEATURE, k, 1.0) for k in range(row.arity)), (opcode(name), 0, 0.0)]
    enclosure = enclose(nodes, box)
    if enclosure is None:
        return
    values = evaluate64(nodes, points_of(box, 300))
    assert np.isfinite(values).all()
    assert enclosure.lo <= values.min()
    assert values.max() <= enclosure.hi


UNIT = [Interval(0.0, 1.0), Interval(1.0, 2.0), Interval(-1.0, 1.0)]

PROVEN = [
    ("x0 + x1*x2", -2.0, 3.0),
    ("x0/x1", 0.0, 1.0),
    ("log(x1)", 0.0, math.log(2.0)),
    ("sqrt(x1 - 1)", 0.0, 1.0),
    ("sqrt(1 - x2*x2)", 0.0, 1.0),
    ("1/(1 + x2*x2)", 0.5, 1.0),
    ("1/(1 + square(x2))", 0.5, 1.0),
    ("(x1 - x2)*(x1 - x2)", 0.0, 9.0),
    ("x2**2", 0.0, 1.0),
    ("x2**3", -1.0, 1.0),
    ("x1**-1", 0.5, 1.0),
    ("(-x1)**-3", -1.0, -0.125),
    ("x0**0.5", 0.0, 1.0),
    ("x2**0", 1.0, 1.0),
    ("x1**x2", 0.5, 2.0),
    ("sin(3*x0)", 0.0, 1.0),
    ("sin(x0)", 0.0, math.sin(1.0)),
    ("cos(4*x0)", -1.0, 1.0),
    ("abs(x2)", 0.0, 1.0),
    ("min(x0, x2)", -1.0, 1.0),
    ("max(x0, x2)", 0.0, 1.0),
    ("tanh(100*x2)", -1.0, 1.0),
    ("asin(x2)", -math.pi / 2, math.pi / 2),
    ("acos(x2)", 0.0, math.pi),
    ("acos(x0)", 0.0, math.pi / 2),
    ("pdiv(x0, x2)", -1e6, 1e6),
    ("pdiv(x0, x1)", 0.0, 1.0),
    ("plog(x2)", math.log(1e-6), 0.0),
    ("-exp(x0)", -math.e, -1.0),
    ("inv(x1)", 0.5, 1.0),
]


@pytest.mark.parametrize(("formula", "lo", "hi"), PROVEN, ids=[formula for formula, _, _ in PROVEN])
def test_proven(formula, lo, hi):
    enclosure = enclose(parse(formula), UNIT)
    assert enclosure is not None
    assert enclosure.lo == pytest.approx(lo, rel=1e-9, abs=1e-12)
    assert enclosure.hi == pytest.approx(hi, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "formula",
    [
        "1/x0", "1/x2", "inv(x0)", "log(x0)", "log(x2)", "sqrt(x2)", "x2**0.5", "x2**x1", "x0**-1", "x0**-0.5",
        "exp(1000*x1)", "1e308*x1 + 1e308*x1", "exp(exp(exp(3*x1)))", "1e200**(2*x1)", "square(1e200*x1)",
        "sqrt(x0 - 0.1)", "1/(x1 - 1.5)", "0*log(x2)", "asin(x1)", "acos(2*x2)",
    ],
)  # fmt: skip
def test_not_proven(formula):
    assert enclose(parse(formula), UNIT) is None


def test_a_constant_that_is_not_finite_proves_nothing():
    assert enclose([(0, 0, math.inf)], UNIT) is None
    assert enclose([(FEATURE, 0, math.nan)], UNIT) is None


def test_an_operator_without_bounds_proves_nothing():
    operators.operator("intervals_cube", lambda a: a * a * a)
    assert enclose(parse("intervals_cube(x0)"), UNIT) is None
    operators.operator("intervals_cube", lambda a: a * a * a, bounds=lambda a: iv.mul(iv.square(a), a))
    assert enclose(parse("intervals_cube(x0)"), UNIT) == Interval(0.0, 1.0)


@pytest.mark.parametrize(("lo", "hi"), [(1.0, 0.0), (math.nan, 1.0), (0.0, math.inf)])
def test_what_is_no_interval(lo, hi):
    with pytest.raises(ValueError, match="interval: expected finite lo <= hi"):
        Interval(lo, hi)


def test_bounds_may_be_numpy_scalars():
    assert enclose(parse("2*x0"), [Interval(np.float32(0.5), 1)]) == Interval(1.0, 2.0)
