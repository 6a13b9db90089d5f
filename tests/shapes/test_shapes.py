"""Statements about a formula: read, proven, checked, violated."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.data.probes import EACH, probes_of
from epsilex.data.scales import Scales
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse
from epsilex.shapes.knowledge import shapes_of
from epsilex.shapes.statements import statement

NAMES = ["x", "T (K)", "t"]
X = np.random.default_rng(0).uniform(0.5, 2.0, (100, 3))
Y = X[:, 0] * X[:, 1] + 3.0


def shapes(*texts, domain=None):
    return shapes_of(texts, domain, NAMES, X, Y)


def verdict(formula, *texts, domain=None):
    return shapes(*texts, domain=domain).verdict(parse(formula, NAMES))


@pytest.mark.parametrize(
    ("text", "order", "sign", "feature", "value", "pins", "equal"),
    [
        ("increasing in x", 1, 1.0, 0, 0.0, (), False),
        (" decreasing  in `T (K)` ", 1, -1.0, 1, 0.0, (), False),
        ("convex in T (K)", 2, 1.0, 1, 0.0, (), False),
        ("concave in t", 2, -1.0, 2, 0.0, (), False),
        ("f >= -2.5", 0, 1.0, -1, -2.5, (), False),
        ("f<=100", 0, -1.0, -1, -100.0, (), False),
        ("f(x=0) = 0", 0, 1.0, -1, 0.0, ((0, 0.0),), True),
        ("f(x=0, t=-1e2) <= 5", 0, -1.0, -1, -5.0, ((0, 0.0), (2, -100.0)), False),
    ],
)
def test_reading(text, order, sign, feature, value, pins, equal):
    one = statement(text, NAMES)
    assert (one.order, one.sign, one.feature, one.value, one.pins, one.equal) == (
        order, sign, feature, value, pins, equal,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["rising in x"], "constraints: expected 'increasing in x'.*got 'rising in x'"),
        (["increasing in q"], r"expected a column among 'x', 'T \(K\)', 't'; got 'q'"),
        (["f >= much"], "expected a number; got 'much'"),
        (["f >= inf"], "expected a number; got 'inf'"),
        (["f(x) = 0"], "expected values such as x=0 in brackets; got 'x'"),
        (["f() = 0"], "got none in"),
        (["f(x=0, x=1) = 0"], "expected one value per column"),
        (["f != 0"], "constraints: expected"),
        (["increasing in x", "decreasing in x"], "can hold together; got 'increasing in x' and 'decreasing in x'"),
        (["f >= 5", "f <= 3"], "can hold together"),
        (["f(x=0) = 0", "f(x=0) = 1"], "can hold together"),
        (["f(x=0) = 0", "f(x=0) >= 1"], "can hold together"),
        (["f(x=0) = 0", "f(x=1) = 1"], "expected one fixed value"),
    ],
)
def test_what_is_wrong_is_said(texts, said):
    with pytest.raises(ValueError, match=said):
        shapes(*texts)


@pytest.mark.parametrize(
    ("domain", "said"),
    [({"q": (0, 1)}, "got 'q'"), ({"x": (1, 0)}, "a pair"), ({"x": 3}, "a pair"), ({"x": (0, np.inf)}, "a pair")],
)
def test_a_bad_domain(domain, said):
    with pytest.raises(ValueError, match=f"^domain: expected.*{said}"):
        shapes("f >= 0", domain=domain)


def test_bounds_that_touch_are_no_contradiction():
    assert len(shapes("f >= 3", "f <= 3").known) == 2


@pytest.mark.parametrize(
    ("formula", "text", "expected"),
    [
        ("x*t", "increasing in x", "proven"),
        ("x*t", "decreasing in x", None),
        ("square(x) - x", "increasing in x", "proven"),  # from 0.5 on
        ("square(x) - 1.2*x", "increasing in x", None),
        ("exp(-x)*t", "decreasing in x", "proven"),
        ("exp(-x)*t", "convex in x", "proven"),
        ("log(x)", "concave in x", "proven"),
        ("x*x*x - 1.6*x*x", "convex in x", None),
        ("abs(x)*t", "increasing in x", "checked"),  # no derivative to prove it with
        ("max(x, 1)*t", "convex in x", "checked"),
        ("max(x, 1)*t", "concave in x", None),
        ("x - t", "f >= -2", "proven"),
        ("x - t", "f >= 0", None),
        ("sin(5*x)", "f <= 1", "proven"),
        ("x*exp(t)", "f(x=0) = 0", "proven"),
        ("x*exp(t) + 0.001", "f(x=0) = 0", None),
        ("t", "f(t=5) <= 5", "proven"),
        ("1/(x - 1)", "f <= 1e9", None),  # not defined everywhere
        ("3", "increasing in x", "proven"),
    ],
)
def test_verdicts(formula, text, expected):
    assert verdict(formula, text) == expected


def test_a_wider_domain():
    assert verdict("square(x) - x", "increasing in x", domain={"x": (0.0, 2.0)}) is None
    assert verdict("square(x)", "increasing in x", domain={"x": (0.0, 2.0)}) == "proven"


def test_what_is_proven_holds_on_many_points():
    """No proven or checked formula violates its statement on points that the check has not seen."""
    from epsilex.programs import random_programs

    known = shapes("increasing in x", "f >= 0")
    rng = np.random.default_rng(3)
    programs = random_programs(600, 3, rng, 1, 8, ("add", "sub", "mul", "div", "exp", "sqrt", "square", "sin"))
    low, high = X.min(axis=0), X.max(axis=0)
    at = rng.uniform(low, high, (20_000, 3))
    up = at.copy()
    up[:, 0] = np.minimum(at[:, 0] + 0.01, high[0])
    seen = 0
    for i in range(600):
        nodes = programs.nodes(i)
        if known.allows(nodes) and known.verdict(nodes) is not None:
            values, more = evaluate64(nodes, at), evaluate64(nodes, up)
            size = max(float(np.abs(values).max()), 1.0)
            assert (values >= -1e-6 * size).all()
            assert (more - values >= -1e-6 * size).all()
            seen += 1
    assert seen > 20


@pytest.mark.parametrize("text", ["increasing in x", "convex in x", "f <= 20", "f(x=0) = 3"])
def test_probes_agree_with_the_check(text):
    """In the units of the search: a shifted, scaled target and scaled features."""
    known = shapes(text)
    units = Scales(np.zeros(3), np.array([2.0, 1.0, 4.0]), 3.0, 8.0)
    probes = probes_of(known, X, units)
    assert len(probes.X) == EACH * (1 + known.known[0].order)
    for formula in ("x*t + 3", "3 - x*t", "3 + square(x)", "3 - square(x)", "30 + x", "x*exp(t) + 3"):
        nodes = parse(formula, NAMES)
        outputs = (evaluate64(nodes, probes.X * units.x_scale) - units.y_shift) / units.y_scale
        assert probes.violated(outputs[None])[0] == (known.verdict(nodes) is None), formula
