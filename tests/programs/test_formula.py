"""Formula text: readable, exact, and without needless brackets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from epsilex.programs import Programs, operators
from epsilex.programs.formula import text
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, opcode
from epsilex.programs.parser import parse
from strategies import N_FEATURES, finite, programs, tame

X = np.random.default_rng(0).normal(size=(50, N_FEATURES)) * 3.0


def c(value):
    return [(CONSTANT, 0, value)]


def x(feature, coefficient=1.0):
    return [(FEATURE, feature, coefficient)]


def op(name, *parts):
    return [node for part in parts for node in part] + [(opcode(name), 0, 0.0)]


EXAMPLES = [
    (op("add", x(0), op("mul", x(1), x(2))), "x0 + x1*x2"),
    (op("mul", op("add", x(0), x(1)), x(2)), "(x0 + x1)*x2"),
    (op("sub", x(0), op("sub", x(1), x(2))), "x0 - (x1 - x2)"),
    (op("sub", op("sub", x(0), x(1)), x(2)), "x0 - x1 - x2"),
    (op("div", x(0), op("mul", x(1), x(2))), "x0/(x1*x2)"),
    (op("div", op("div", x(0), x(1)), x(2)), "x0/x1/x2"),
    (op("mul", x(0), op("div", x(1), x(2))), "x0*(x1/x2)"),
    (op("pow", op("pow", x(0), x(1)), x(2)), "(x0^x1)^x2"),
    (op("pow", x(0), op("pow", x(1), x(2))), "x0^x1^x2"),
    (op("sin", op("add", x(0), x(1))), "sin(x0 + x1)"),
    (op("min", op("neg", x(0)), op("exp", x(1))), "min(-x0, exp(x1))"),
    # Coefficients.
    (x(0, 2.5), "2.5*x0"),
    (x(0, -1.0), "-x0"),
    (op("pow", x(0, 2.0), c(2.0)), "(2*x0)^2"),
    (op("mul", x(1), x(0, 3.0)), "3*x0*x1"),
    (op("div", x(1), x(0, 3.0)), "x1/(3*x0)"),
    # Signs.
    (op("add", x(0), c(-2.0)), "x0 - 2"),
    (op("sub", x(0), c(-2.0)), "x0 + 2"),
    (op("add", x(0), x(1, -2.0)), "x0 - 2*x1"),
    (op("sub", x(0), op("neg", op("sin", x(1)))), "x0 + sin(x1)"),
    (op("add", x(0, -2.0), x(1)), "x1 - 2*x0"),
    (op("sub", x(0, -2.0), x(1)), "-2*x0 - x1"),
    (op("neg", op("add", x(0), x(1))), "-(x0 + x1)"),
    (op("neg", op("mul", x(0), x(1))), "-x0*x1"),
    (op("neg", op("neg", op("sin", x(0)))), "sin(x0)"),
    (op("mul", x(0), c(-2.0)), "-x0*2"),
    (op("pow", x(0), c(-2.0)), "x0^-2"),
    (op("pow", c(-2.0), x(0)), "(-2)^x0"),
    (op("neg", op("pow", x(0), c(2.0))), "-x0^2"),
    (op("pow", x(0), op("neg", op("add", x(1), x(2)))), "x0^-(x1 + x2)"),
    # Powers, roots and quotients, whatever the operator.
    (op("square", op("add", x(0), x(1))), "(x0 + x1)^2"),
    (op("square", op("square", x(0))), "(x0^2)^2"),
    (op("neg", op("square", x(0))), "-x0^2"),
    (op("square", x(0, -2.0)), "(-2*x0)^2"),
    (op("inv", x(0)), "1/x0"),
    (op("inv", op("mul", x(0), x(1))), "1/(x0*x1)"),
    (op("mul", x(0), op("inv", x(1))), "x0*(1/x1)"),
    (op("square", op("inv", x(1))), "(1/x1)^2"),
    (op("sqrt", x(0)), "sqrt(x0)"),
    # Sums and products of either grouping.
    (op("add", x(0), op("add", x(1), x(2))), "x1 + x2 + x0"),
    (op("add", op("add", x(0), x(1)), op("add", x(0), x(2))), "x0 + x1 + (x0 + x2)"),
]


@pytest.mark.parametrize(("nodes", "expected"), EXAMPLES, ids=[expected for _, expected in EXAMPLES])
def test_examples(nodes, expected):
    assert text(nodes) == expected


@given(programs(constants=finite))
def test_the_text_of_the_parsed_text_is_the_text(nodes):
    written = text(nodes)
    assert text(parse(written)) == written


@given(programs(constants=tame))
def test_the_parsed_text_has_the_same_values_to_the_last_bit(nodes):
    np.testing.assert_array_equal(evaluate64(parse(text(nodes)), X), evaluate64(nodes, X))


@given(programs(constants=tame))
def test_every_bracket_is_needed(nodes):
    written = text(nodes)
    for start, end in bracket_pairs(written):
        without = written[:start] + " " + written[start + 1 : end] + " " + written[end + 1 :]
        assert parse(without) != parse(written), written


def bracket_pairs(written):
    """Positions of the brackets that group; those of a call follow a letter."""
    pairs, opened = [], []
    for at, letter in enumerate(written):
        if letter == "(":
            opened.append(at)
        elif letter == ")":
            start = opened.pop()
            if start == 0 or not written[start - 1].isalpha():
                pairs.append((start, at))
    return pairs


@given(programs(constants=tame))
def test_no_sign_follows_a_plus_or_a_minus(nodes):
    written = text(nodes)
    assert "+ -" not in written
    assert "- -" not in written
    assert "--" not in written


@pytest.mark.parametrize("value", [0.1, 1e-300, 1.7976931348623157e308, 5e-324, 123456789.0, 1e16, 1 / 3, -0.0, -7.25])
def test_constants_read_back_exactly(value):
    (node,) = parse(text(c(value)))
    assert node == (CONSTANT, 0, value)
    assert np.signbit(node[2]) == np.signbit(value)


def test_digits_are_significant_digits():
    nodes = op("add", x(0, 1.23456), op("mul", c(0.000123456), op("exp", x(1, 123456.0))))
    assert text(nodes, digits=3) == "1.23*x0 + 0.000123*exp(123000*x1)"
    assert text(x(0, 0.99999), digits=4) == "x0"
    with pytest.raises(ValueError, match="digits: expected at least 1; got 0"):
        text(nodes, digits=0)


NAMES = [
    "temp (C)", "a b", "1x", "größe", "", "sin", "`", "a`b``c", "inf", "new\nline", '"""', "x*y", "plain_1", "N", "pi",
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(NAMES)), ids=repr)
def test_any_name_goes_there_and_back(k):
    nodes = op("sub", op("mul", x(k), x(k, -2.5)), op("sin", x(k)))
    written = text(nodes, NAMES)
    assert text(parse(written, NAMES), NAMES) == written
    assert {feature for code, feature, _ in parse(written, NAMES) if code == FEATURE} == {k}


def test_names_are_quoted_only_where_needed():
    shown = [text(x(k), NAMES) for k in range(len(NAMES))]
    assert shown[-3:] == ["plain_1", "N", "pi"]
    assert all(name.startswith("`") and name.endswith("`") for name in shown[:-3])
    assert text(x(7), NAMES) == "`a``b````c`"


def test_too_few_names():
    with pytest.raises(ValueError, match="names: expected at least 3, the program uses column 2; got 2"):
        text(x(2), ["a", "b"])


def test_float32_constants_print_as_float32():
    nodes = op("add", x(0, 0.1), c(1e-7))
    p = Programs.from_nodes([nodes], dtype=np.float32)
    assert p.formula(0) == "0.1*x0 + 1e-07"
    again = Programs.from_nodes([parse(p.formula(0))], dtype=np.float32)
    np.testing.assert_array_equal(again.constant, p.constant)


def test_a_constant_that_is_not_finite_is_shown_and_not_parsed():
    written = text(op("add", x(0), c(np.nan)))
    assert written == "x0 + nan"
    with pytest.raises(ValueError, match="got 'nan'"):
        parse(written)


def test_nodes_that_are_no_program():
    with pytest.raises(ValueError, match="expected 2 arguments before add; got 1"):
        text(op("add", x(0)))
    with pytest.raises(ValueError, match="one value left at the end; got 2"):
        text([*x(0), *x(1)])


def test_deep_programs_do_not_recurse():
    nodes = x(0) + [(opcode("sin"), 0, 0.0)] * 900
    assert parse(text(nodes)) == nodes


def test_operators_of_the_user_are_functions():
    operators.operator("formula_gauss", lambda a: np.exp(-a * a))
    nodes = op("formula_gauss", op("add", x(0), c(1.0)))
    assert text(nodes) == "formula_gauss(x0 + 1)"
    assert parse(text(nodes)) == nodes
    assert text(x(0), ["formula_gauss"]) == "`formula_gauss`"
