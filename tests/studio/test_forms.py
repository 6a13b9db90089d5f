"""Forms: the same for formulas that differ in their constants and the order of terms only."""

from __future__ import annotations

import pytest

from epsilex.models.model import model
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.formula import text
from epsilex.programs.parser import parse
from epsilex.studio.forms import form_of

NAMES = ["a", "b"]


def of(written: str):
    return form_of(model(parse(written, NAMES), NAMES))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("2.18 - 0.7*a", "3*a + 1"),
        ("2*a - 3*b + 1", "5 + b - a"),
        ("2*sin(a)*b", "b*sin(3*a)"),
        ("a/(2*b + 1)", "7*a/(3 + b)"),
        ("-exp(a)", "4*exp(2*a)"),
        ("a/3", "a"),
    ],
)
def test_equal(one, two):
    assert of(one) == of(two)


@pytest.mark.parametrize(
    ("one", "two"), [("a + 1", "a"), ("a", "b"), ("a*b", "a/b"), ("sin(a)", "cos(a)"), ("a + b", "a*b")]
)
def test_different(one, two):
    assert of(one) != of(two)


@pytest.mark.parametrize("written", ["2.18 - 0.7*a", "(a - 2)*b/3 + sin(2*a + 1)", "sqrt(2*a - 0.3*a*cos(b)) - 1"])
def test_the_form_is_that_of_the_formula_as_the_page_shows_it(written):
    shown = text(simplify(parse(written, NAMES)), NAMES)
    assert of(shown) == of(written)
