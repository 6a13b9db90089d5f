"""Simplification: never longer, and the same values wherever the original and its parts are finite."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from epsilex.programs import operators
from epsilex.programs.algebra.gathering import gather
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.formula import text
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse
from strategies import N_FEATURES, programs, well_conditioned

X = np.random.default_rng(1).normal(size=(100, N_FEATURES)) * 2.0

EXAMPLES = [
    # Identities and folding.
    ("x0 + 0", "x0"),
    ("0 + x0", "x0"),
    ("x0*1", "x0"),
    ("x0/1", "x0"),
    ("x0**1", "x0"),
    ("x0**0", "1"),
    ("0*sin(x0)", "0"),
    ("sin(x0)/1 - 0", "sin(x0)"),
    ("x0 + 2*3", "x0 + 6"),
    ("sin(0) + cos(0)*x0", "x0"),
    # Coefficients.
    ("2*(3*x0)", "6*x0"),
    ("x0*2*3*x1", "6*x0*x1"),
    ("x0/4", "0.25*x0"),
    ("-(2*x0)", "-2*x0"),
    ("2*(0.5*x0 + 3)", "x0 + 6"),
    ("2.5*(x0 + x1)", "2.5*(x0 + x1)"),
    ("sin(x1)/(0.3*x0)", "sin(x1)/(0.3*x0)"),
    ("inv(0.3*x0)", "1/(0.3*x0)"),
    ("(1 + x0)**-0.5", "1/sqrt(x0 + 1)"),
    # Sums.
    ("(x0 + 1) + 2", "x0 + 3"),
    ("1 + (x0 + (2 + x1))", "x0 + x1 + 3"),
    ("2*x0 + 3*x0", "5*x0"),
    ("0.1*x0 + 0.2*x0 - 0.3*x0", "0"),
    ("sin(x0) + sin(x0)", "2*sin(x0)"),
    ("x0*x1 - x1*x0", "0"),
    ("exp(x0) - exp(x0) + x1", "x1"),
    ("-(x0 - x1)", "x1 - x0"),
    ("x1 + -1*(x0 + x2)", "x1 - x0 - x2"),
    ("(x0 + x1) + (x2 + x3)", "x0 + x1 + x2 + x3"),
    ("x0 + (x1 - x2)", "x0 + x1 - x2"),
    ("2 - (x0 - 3)", "5 - x0"),
    # Products.
    ("x0/x0", "1"),
    ("(x0 + x1)*(x2 - 1)/(x0 + x1)", "x2 - 1"),
    ("1/(1/x0)", "x0"),
    ("inv(inv(x0))", "x0"),
    ("x0/(x1/x2)", "x0*x2/x1"),
    ("x0/x1/x2", "x0/(x1*x2)"),
    ("-(-sin(x0)*-cos(x1))", "-sin(x0)*cos(x1)"),
    # Functions.
    ("exp(log(x0))", "x0"),
    ("log(exp(x0 + 1))", "x0 + 1"),
    ("square(sqrt(x0))", "x0"),
    ("square(-x0)", "x0^2"),
    ("cos(-sin(x0))", "cos(sin(x0))"),
    ("abs(abs(x0))", "abs(x0)"),
    ("abs(exp(x0))", "exp(x0)"),
    ("min(x0, x0 + 0)", "x0"),
    ("pdiv(x0, x0)", "1"),
    ("pdiv(x0, 4)", "0.25*x0"),
    ("pdiv(x0, 1e-7)", "1"),
    # What must stay.
    ("sqrt(square(x0))", "sqrt(x0^2)"),
    ("(x0**2)**0.5", "(x0^2)^0.5"),
    ("pdiv(0, x0)", "pdiv(0, x0)"),
    ("x0*(1/0)", "x0*(1/0)"),
    ("1e200*x0*1e200", "1e+200*x0*1e+200"),
    ("1e-200*x0*1e-200*x1", "1e-200*x0*1e-200*x1"),
]


@pytest.mark.parametrize(("before", "after"), EXAMPLES, ids=[before for before, _ in EXAMPLES])
def test_examples(before, after):
    assert text(simplify(parse(before))) == after


def check(nodes):
    after = simplify(nodes)
    assert len(after) <= len(nodes)
    assert simplify(after) == after
    sound = well_conditioned(nodes, X)
    np.testing.assert_allclose(evaluate64(after, X)[sound], evaluate64(nodes, X)[sound], rtol=1e-9)


@settings(max_examples=400)
@given(programs(max_leaves=12))
def test_values_stay_and_length_never_grows(nodes):
    check(nodes)


@settings(max_examples=400)
@given(programs(max_leaves=12, operators=("add", "sub", "mul", "div", "neg", "inv")))
def test_arithmetic_alone(nodes):
    check(nodes)


def test_no_operator_is_brought_in():
    used = {node[0] for node in simplify(parse("x0*x0*x1 + x1*x1*(x0/x1)"))}
    assert used <= {0, 1, *(operators.opcode(name) for name in ("add", "mul", "div"))}


def test_a_constant_that_is_not_finite_stays():
    nodes = [(1, 0, 1.0), (0, 0, np.inf), (operators.opcode("add"), 0, 0.0)]
    assert simplify(nodes) == nodes


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("inv(0.3*x0 + 1)", "1/(0.3*x0 + 1)"),  # 3.33/(x0 + 3.33) has two numbers
        ("1/(2.5*x0 + x1)", "1/(2.5*x0 + x1)"),
        ("1/(2.5*x0 + 3)", "0.4/(x0 + 1.2)"),
    ],
)
def test_a_factor_leaves_a_sum_only_if_no_part_is_without_one(formula, expected):
    assert text(gather(parse(formula), np.abs(X), evaluate64), digits=6) == expected


def test_deep_programs():
    deep = parse("sin(" * 300 + "x0" + ")" * 300)
    assert simplify(deep) == deep
    assert text(simplify(parse("+".join(["x0"] * 300)))) == "300*x0"


def test_operators_of_the_user_fold_too():
    operators.operator("simplify_double", lambda a: a + a)
    assert text(simplify(parse("simplify_double(3) + x0"))) == "x0 + 6"
    assert text(simplify(parse("simplify_double(x0 + 0)"))) == "simplify_double(x0)"
