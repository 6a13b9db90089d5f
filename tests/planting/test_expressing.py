"""Planted programs in the user's operators: the same values, by these operators alone."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.planting.expressing import ARITHMETIC, expressed, with_arithmetic
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import opcode
from epsilex.programs.parser import parse

X = np.random.default_rng(0).uniform(0.5, 3.0, (50, 2))
FORMULAS = ("x - y", "x - y*y", "1/(x + 2*y)", "3*x/y", "(x - y)*(x + y)", "square(x + y) - 0.5", "inv(x)*y", "-(x*y)")
SETS = {
    "PySR's": ("add", "mul", "cos", "exp", "sin", "inv"),
    "no square": ("add", "sub", "mul", "div"),
    "no sum": ("sub", "mul", "div"),
    "no product": ("add", "sub", "div"),
    "no difference": ("add", "mul", "div"),
}


@pytest.mark.parametrize("names", SETS.values(), ids=SETS)
@pytest.mark.parametrize("text", FORMULAS)
def test_the_same_values_by_these_operators(text, names):
    nodes = parse(text, ["x", "y"])
    found = expressed(nodes, names)
    assert found is not None
    assert {code for code, _, _ in found} <= {0, 1, *(opcode(name) for name in names)}
    np.testing.assert_allclose(evaluate64(found, X), evaluate64(nodes, X), rtol=1e-12)


def test_what_is_there_stays():
    nodes = parse("3*x/y - square(x)", ["x", "y"])
    assert expressed(nodes, (*ARITHMETIC, "sin")) == list(nodes)


@pytest.mark.parametrize(
    ("text", "names"),
    [("x/y", ("add", "sub", "mul")), ("x + y", ("mul", "div")), ("sin(x)", ARITHMETIC), ("x*y", ("add", "inv"))],
)
def test_what_cannot_be_expressed(text, names):
    assert expressed(parse(text, ["x", "y"]), names) is None


def test_planters_may_use_arithmetic_that_can_be_expressed():
    assert with_arithmetic(("add", "mul", "inv")) == ("add", "mul", "inv", "sub", "div", "square")
    assert with_arithmetic((*ARITHMETIC, "sin")) == (*ARITHMETIC, "sin")
    assert with_arithmetic(("mul", "div", "exp")) == ("mul", "div", "exp")


@pytest.mark.parametrize("operators", [["+", "*", "cos", "exp", "sin", "inv"], ["+", "*", "cos"]])
def test_a_sum_is_found_with_few_operators(operators):
    rng = np.random.default_rng(0)
    Z = 2 * rng.normal(size=(100, 5))
    y = 2.5382 * np.cos(Z[:, 3]) + Z[:, 0] ** 2 - 0.5
    est = SymbolicRegressor(operators=operators, generations=3, time_limit=None, random_state=0).fit(Z, y)
    assert est.model_.formula == "x0^2 + 2.5382*cos(x3) - 1/2"
