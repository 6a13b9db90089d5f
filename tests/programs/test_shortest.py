"""The shortest form: the same values and domain, never longer, and what a textbook would print."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.formula_list import FORMULAS
from benchmarks.formulas import Formula
from benchmarks.formulas import programs as scrambled
from epsilex.programs.algebra import shortest
from epsilex.programs.algebra.arithmetic import Algebra
from epsilex.programs.algebra.facts import Facts
from epsilex.programs.algebra.reading import read
from epsilex.programs.algebra.shortest import same_values
from epsilex.programs.algebra.writing import write
from epsilex.programs.fold import fold
from epsilex.programs.formula import text
from epsilex.programs.intervals import Interval
from epsilex.programs.length import count
from epsilex.programs.operators import CONSTANT
from epsilex.programs.parser import parse
from strategies import N_FEATURES, programs

NAMES = tuple("abcdmqrtvxyz")
POSITIVE = [Interval(0.5, 3.0)] * len(NAMES)

EXAMPLES = [
    # Powers.
    ("x*x*x/(y*y)", "x^3/y^2"),
    ("(3*x)^0.8303117", "2.48977*x^0.830312"),
    ("exp(-3*log(r))", "r^-3"),
    ("exp(0.75*log(m))", "m^0.75"),
    ("sqrt(2*a)*sqrt(b)", "sqrt(2*a*b)"),
    ("(1.5*x)*(2*x)", "3*x^2"),
    ("2.1*v + (0.58*v)^2", "0.3364*v^2 + 2.1*v"),
    ("inv(x)*inv(y)", "1/(x*y)"),
    ("0.0530516476972984*q*q*square(a/c)/(d*c)", "(a*q)^2/(6*pi*c^3*d)"),
    # Sums.
    ("a*b + a*c + d*b + d*c", "(a + d)*(b + c)"),
    ("a*a - 2*a*b + b*b", "(a - b)^2"),
    ("x*x - 6*x + 14", "(x - 3)^2 + 5"),
    ("10/(square(x) + square(y) + square(z) - 6*x - 6*y - 6*z + 32)", "10/(5 + (x - 3)^2 + (y - 3)^2 + (z - 3)^2)"),
    ("a*a + b*b + c*c + 2*a*b + 2*a*c + 2*b*c", "(a + b + c)^2"),
    ("sqrt(a*a - 2*a*b + b*b + c*c - 2*c*d + d*d)", "sqrt((a - b)^2 + (c - d)^2)"),
    ("0.5*m*v*v + 9.81*m*y", "m*(v^2/2 + 9.81*y)"),
    ("-(x - y)*(x - z)", "(y - x)*(x - z)"),
    ("a*x^2 + b*x + c", "a*x^2 + b*x + c"),
    ("x^2 + 25/x^2 - 7", "(x - 5/x)^2 + 3"),
    ("sqrt(0.04*x*x + 10000000000/(x*x) - 37500)", "sqrt(2500 + 0.04*(x - 500000/x)^2)"),
    ("4*x*x + 3*x + 2", "4*x^2 + 3*x + 2"),
    ("sqrt(a*a + b*b - 2*a*b*cos(c))", "sqrt(a^2 - 2*a*b*cos(c) + b^2)"),
    # Quotients.
    ("(a*c*c - b*d)/(c*c)", "a - b*d/c^2"),
    ("a*d/sqrt(d*d + b*b)", "a/sqrt(1 + (b/d)^2)"),
    ("x/(y - x) + 1", "y/(y - x)"),
    ("1/(1/a + b/c)", "1/(1/a + b/c)"),
    ("1/sqrt(1 + 0.31872*x*x)", "1/sqrt(1 + 0.31872*x^2)"),  # 1.77/sqrt(3.14 + x^2) has two numbers for one
    ("a/(1 + 0.31872*x)", "a/(1 + 0.31872*x)"),
    ("2.13871*a/(1 + 0.31872*x)", "6.71031*a/(3.13755 + x)"),
    ("x/sqrt(1 - v*v/(c*c))", "x/sqrt(1 - (v/c)^2)"),
    # Angles.
    ("square(sin(-0.5*t))", "sin(t/2)^2"),
    ("0.5*(1 - cos(2*a*t/b))", "sin(a*t/b)^2"),
    ("1 - sin(x)*sin(x)", "cos(x)^2"),
    ("sin(x)*cos(y) - cos(x)*sin(y)", "sin(x - y)"),
    ("cos(x)*cos(y) + sin(x)*sin(y)", "cos(x - y)"),
    ("sin(x + 1.5707963267948966)", "cos(x)"),
    # Logarithms and exponentials.
    ("log(a) + log(b) - log(c)", "log(a*b/c)"),
    ("-a*b*log(x/y)", "a*b*log(y/x)"),
    ("log(x) + 0.6931471805599453", "log(2*x)"),
    ("exp(log(a) - b)", "a*exp(-b)"),
    ("exp(a)/exp(b)", "exp(a - b)"),
    ("log(exp(x)*y)", "x + log(y)"),
    ("exp(y*log(x))", "x^y"),
    ("70*sqrt(exp(-t)) + 20", "70*exp(-t/2) + 20"),
    ("a/sqrt(exp(t))", "a*exp(-t/2)"),
]


def shown(formula, box=POSITIVE):
    return text(shortest(parse(formula, NAMES), box), NAMES, 6, {})


@pytest.mark.parametrize(("formula", "expected"), EXAMPLES, ids=[formula for formula, _ in EXAMPLES])
def test_examples(formula, expected):
    assert shown(formula) == expected


@pytest.mark.parametrize(
    ("formula", "everywhere", "where_positive"),
    [
        ("x*y/y", "x*y/y", "x"),
        ("sqrt(x)*sqrt(x)", "sqrt(x)*sqrt(x)", "x"),
        ("exp(log(x))", "exp(log(x))", "x"),
        ("sqrt(x*x)", "abs(x)", "x"),
        ("log(x) + log(y)", "log(x) + log(y)", "log(x*y)"),
        ("log(x) - log(x)", "log(x) - log(x)", "0"),
        ("sqrt(x*y)*sqrt(z)", "sqrt(x*y)*sqrt(z)", "sqrt(x*y*z)"),
        ("exp(2*log(x))", "exp(2*log(x))", "x^2"),
        ("sqrt(x)*sqrt(exp(y)*z*z)", "sqrt(x)*exp(y/2)*abs(z)", "z*sqrt(x)*exp(y/2)"),
        ("exp(0.5*log(x))", "sqrt(x)", "sqrt(x)"),  # the domain is the same
    ],
)
def test_domains_are_kept_unless_the_box_proves_it(formula, everywhere, where_positive):
    assert shown(formula, None) == everywhere
    assert shown(formula) == where_positive


@pytest.mark.parametrize("k", range(0, len(FORMULAS), 2), ids=lambda k: FORMULAS[k])
def test_textbook_formulas_come_back(k):
    formula = Formula.of(FORMULAS[k])
    for nodes in scrambled(formula, times=3, seed=1):
        found = shortest(nodes, formula.box)
        assert count(found).tokens <= formula.tokens + 1, text(found, formula.names)
        assert shortest(found, formula.box) == found
        assert shortest(nodes, formula.box) == found


boxes = st.lists(
    st.tuples(st.floats(-3.0, 3.0), st.floats(0.01, 4.0)).map(lambda pair: Interval(pair[0], pair[0] + pair[1])),
    min_size=N_FEATURES,
    max_size=N_FEATURES,
)


def extended(nodes, X):
    """Values in extended precision, and the size of the largest part."""
    X = X.astype(np.longdouble)

    def leaf(code, feature, constant):
        value = np.full(len(X), constant, np.longdouble) if code == CONSTANT else constant * X[:, feature]
        return value, np.abs(value)

    def branch(row, *parts):
        value = row.value(*(value for value, _ in parts))
        return value, np.maximum.reduce([np.abs(value), *(size for _, size in parts)])

    with np.errstate(all="ignore"):
        return fold(nodes, leaf, branch)


@settings(max_examples=300)
@given(programs(max_leaves=14), st.none() | boxes)
def test_values_and_domain_stay_and_nothing_grows(nodes, box):
    found = shortest(nodes, box)
    assert count(found).length <= count(nodes).length
    assert count(found).tokens <= count(nodes).tokens
    draws = np.random.default_rng(5).random((60, N_FEATURES))
    low = np.array([b.lo for b in box]) if box else -4.0
    wide = np.array([b.hi - b.lo for b in box]) if box else 8.0
    (before, size), (after, _) = extended(nodes, low + wide * draws), extended(found, low + wide * draws)
    with np.errstate(all="ignore"):
        whole = np.isfinite(size) & (size < 1e280)  # overflow aside
        close = np.abs(after - before) <= 1e-12 * np.abs(before) + 1e-14 * size
    assert close[whole].all()
    assert not np.isfinite(after[np.isnan(before) & (np.isfinite(size) | np.isnan(size))]).any()


@settings(max_examples=150)
@given(programs(max_leaves=10), st.none() | boxes)
def test_again_it_is_the_same(nodes, box):
    found = shortest(nodes, box)
    assert shortest(found, box) == found
    assert shortest(nodes, box) == found


@settings(max_examples=200)
@given(programs(max_leaves=10))
def test_the_normal_form_has_the_same_values(nodes):
    algebra = Algebra(Facts(None))
    X = np.random.default_rng(3).normal(size=(50, N_FEATURES)) * 2.0
    with np.errstate(all="ignore"):
        assert same_values(nodes, write(read(nodes, algebra)), X)


def test_long_deep_and_infinite_programs_are_left_alone():
    for nodes in (parse("+".join(["sin(x)*y"] * 200), NAMES), parse("sin(" * 250 + "x" + ")" * 250, NAMES)):
        assert shortest(nodes, POSITIVE) == nodes
    infinite = [(1, 0, np.inf)]
    assert shortest(infinite, None) == infinite


def test_values_on_the_given_rows_decide():
    nodes = parse("x0 - x0", n_features=1)
    assert shortest(nodes, None, np.array([[1.0], [2.0]])) == [(CONSTANT, 0, 0.0)]


@pytest.mark.parametrize("formula", ["1e-305*x0 + x1", "x0/1e305 - sin(x1)", "1e-310*x0"])
def test_numbers_at_the_ends_of_the_range_are_left_alone(formula):
    nodes = parse(formula, ["x0", "x1"])
    assert shortest(nodes) == nodes


def test_several_squares_are_completed_at_once():
    spread = parse("10/(32 - 6*x0 - 6*x1 - 6*x2 + x0*x0 + x1^2 + x2^2)", ["x0", "x1", "x2"])
    assert text(shortest(spread)) == "10/(5 + (x0 - 3)^2 + (x1 - 3)^2 + (x2 - 3)^2)"
