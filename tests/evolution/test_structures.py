"""Structures of many programs: prices, constants and shapes."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.evolution.observers.structures import described, shapes_of
from epsilex.models.choice.language import TOLD, Language
from epsilex.programs import Programs, random_programs
from epsilex.programs.operators import TABLE
from epsilex.programs.parser import parse

NAMES = ["x", "z"]
OPERATORS = tuple(row.name for row in TABLE)
LANGUAGE = Language(OPERATORS, 2)
POWERS = (
    "3*exp(1.5*log(x))",
    "-(2*sin(x)*z)",
    "3*(x + z)/x",
    "sin(z)/4",
    "2*log(x)",
    "exp(1.5*log(x))",
    "exp(log(z)*2 - 0.5*log(x))",
    "exp(log(x))*exp(-0.3*z)",
    "log(exp(1.5*log(2*x)) + 1)",
    "x^z",
    "2^x",
    "3*(x + sin(z))^(2*z)",
    "sin(x^z) + x^1.7",
)


def programs(texts) -> Programs:
    return Programs.from_nodes([parse(text, NAMES) for text in texts], np.float32)


def constants(text: str) -> float:
    """How many constants are counted."""
    p = programs([text])
    return (described(p, LANGUAGE)[0][0] - LANGUAGE.structure(p.nodes(0))) / TOLD


def test_prices_are_those_of_the_language():
    some = random_programs(500, 2, np.random.default_rng(0), min_length=1, max_length=30, operators=OPERATORS)
    for p in (some, programs(POWERS)):
        nats = described(p, LANGUAGE)[0]
        counted = [(nats[i] - LANGUAGE.structure(p.nodes(i))) / TOLD for i in range(len(p))]
        np.testing.assert_allclose(counted, np.round(counted), atol=1e-9)  # what is left are whole constants
        assert min(counted) > -1e-9


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("3*x", 0),  # the factor of the whole
        ("2/(square(1.5*x)*4*z)", 0),
        ("exp(-0.4*x)/(2*z)", 1),
        ("2*x + 3*z", 1),  # one relative to the other
        ("x + z", 0),
        ("exp(x + 3)", 1),
        ("exp(exp(-0.4*x))", 1),
        ("exp(2*exp(-0.4*x))", 2),
        ("1/(2*x + 3*z + 4)", 2),
        ("3*exp(1.5*log(2*x))", 1),  # a power
        ("sqrt(2*x + 0.1)", 1),
    ],
)
def test_constants_that_can_be_merged_count_once(text, count):
    assert constants(text) == pytest.approx(count)


def test_shapes_ignore_constants_and_the_order_of_arguments():
    same = shapes_of(programs(["2*x + sin(z)", "sin(3*z) + x", "x - sin(z)", "sin(z) - 4*x"]))
    assert len(set(same.tolist())) == 1
    apart = ["x + sin(z)", "z + sin(x)", "x*sin(z)", "x/sin(z)", "sin(z)/x", "x + cos(z)", "x + sin(x)", "x + z", "x"]
    assert len(set(shapes_of(programs(apart)).tolist())) == len(apart)
