"""A person's own formula: named constants, and powers written out."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, opcode
from epsilex.programs.parser import parse
from epsilex.programs.written import written

X = np.random.default_rng(0).uniform(0.5, 2.0, size=(50, 2))


def valued(text, **constants):
    formula = written(text, ["x", "y"])
    nodes = [
        (code, column, constants[formula.labels[k]] if k in formula.labels else value)
        for k, (code, column, value) in enumerate(formula.nodes)
    ]
    return evaluate64(nodes, X)


def test_names_that_are_not_columns_are_constants():
    formula = written("a*x^2/(1 + b*y) - a", ["x", "y"])
    assert formula.parameters == ["a", "b"]
    assert list(formula.labels.values()) == ["a", "b", "a"]
    assert all(formula.nodes[k][0] == CONSTANT for k in formula.labels)
    assert formula.ties.tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("exponent", [-4, -3.5, -2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4])
def test_whole_and_half_powers_are_written_out(exponent):
    formula = written(f"(x + y)^{exponent}", ["x", "y"])
    assert opcode("pow") not in {code for code, _, _ in formula.nodes}
    assert np.allclose(evaluate64(formula.nodes, X), X.sum(axis=1) ** exponent, rtol=1e-12)


@pytest.mark.parametrize("exponent", ["0", "0.3", "5", "-7", "p"])
def test_other_powers_stay(exponent):
    formula = written(f"x^{exponent}", ["x", "y"])
    assert opcode("pow") in {code for code, _, _ in formula.nodes}


def test_factors_and_signs_of_named_constants():
    x, y = X.T
    assert np.allclose(valued("2*a*x - b", a=3.0, b=0.5), 6.0 * x - 0.5)
    assert np.allclose(valued("-a + y*3*b", a=3.0, b=0.5), -3.0 + 1.5 * y)
    assert np.allclose(valued("(a*x)^3 + x**b", a=2.0, b=1.3), 8.0 * x**3 + x**1.3)


def test_both_signs_of_a_power_are_one():
    assert parse("x0^2") == parse("x0**2")
    assert parse("-x0^2^3") == parse("-x0**2**3")


def test_a_column_wins_over_a_constant():
    assert written("x*k", ["x", "k"]).parameters == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a*foo(x)", "expected a function among .*'foo'.*character 3"),
        ("a*(x + b", "close this bracket.*character 3"),
        ("a*x)", "without an open bracket"),
        ("`no column`*x", "expected a feature among x, y; got 'no column'"),
        ("a x", "expected an operator"),
        ("", "empty"),
        ("+".join(["x"] * 20_000), "at most"),
    ],
)
def test_bad_text_is_pointed_at(text, said):
    with pytest.raises(ValueError, match=said):
        written(text, ["x", "y"])


def test_powers_of_powers_end():
    deep = "x"
    for _ in range(40):
        deep = f"({deep})^3"
    assert len(written(deep, ["x", "y"]).nodes) <= 10_000
