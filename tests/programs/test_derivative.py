"""Derivatives as programs agree with differences."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.programs import random_programs
from epsilex.programs.derivative import derivative
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse

SMOOTH = ("add", "sub", "mul", "div", "sin", "cos", "exp", "log", "sqrt", "square", "tanh", "inv", "neg")


@pytest.mark.parametrize("feature", [0, 1])
def test_random_programs(feature):
    rng = np.random.default_rng(feature)
    X = rng.uniform(0.5, 1.5, (40, 2))
    programs = random_programs(400, 2, rng, 1, 12, SMOOTH)
    h = 1e-5
    up, down = X.copy(), X.copy()
    up[:, feature] += h
    down[:, feature] -= h
    compared = 0
    for i in range(400):
        nodes = programs.nodes(i)
        found = derivative(nodes, feature)
        with np.errstate(all="ignore"):
            slope = evaluate64(found, X)
            expected = (evaluate64(nodes, up) - evaluate64(nodes, down)) / (2.0 * h)
            # Differences are poor where the function is steep or curved.
            good = np.isfinite(slope + expected) & (np.abs(expected) < 1e3) & (np.abs(evaluate64(nodes, X)) < 1e3)
        share = np.abs(slope - expected)[good] <= 1e-3 * (1.0 + np.abs(expected[good]))
        compared += good.sum()
        assert share.mean() > 0.9 if good.any() else True
    assert compared > 5000


@pytest.mark.parametrize(
    ("formula", "slope"),
    [
        ("3*x0 + x1", "3"), ("x1", "0"), ("square(x0)", "2*x0"), ("x0**3.5", "3.5*x0**2.5"),
        ("x1/x0", "-x1/square(x0)"),        ("exp(2*x0)", "2*exp(2*x0)"), ("sin(x0*x1)", "x1*cos(x0*x1)"),
    ],
)  # fmt: skip
def test_by_hand(formula, slope):
    X = np.random.default_rng(0).uniform(0.5, 2.0, (30, 2))
    assert np.allclose(evaluate64(derivative(parse(formula), 0), X), evaluate64(parse(slope), X), rtol=1e-12)


@pytest.mark.parametrize("formula", ["abs(x0)", "min(x0, x1)", "x1**x0", "pdiv(x1, x0)"])
def test_without_a_derivative(formula):
    assert derivative(parse(formula), 0) is None


def test_what_does_not_depend_on_the_feature_needs_none():
    assert evaluate64(derivative(parse("x0 + abs(x1)"), 0), np.ones((1, 2)))[0] == 1.0
