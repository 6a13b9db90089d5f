"""Length: the nodes of the printed formula, never more than those of the program."""

from __future__ import annotations

import pytest
from hypothesis import given

from epsilex.programs.length import count, length
from epsilex.programs.parser import parse
from strategies import programs


@pytest.mark.parametrize(
    ("formula", "nodes", "tokens"),
    [
        ("2.5*x0", 1, 3),
        ("2*x0^3", 2, 5),
        ("x0*x0", 3, 3),
        ("3*sin(x0) + 1", 4, 6),
        ("1/x0", 2, 3),
        ("10/(5 + x0)", 4, 5),
        ("x0/2 - x1", 3, 5),
        ("-sin(x0)", 2, 3),
        ("sqrt(x0*x1)", 4, 4),
        ("x0^x1", 3, 3),
        ("4*3.5", 1, 3),
    ],
)
def test_examples(formula, nodes, tokens):
    assert count(parse(formula))[:2] == (nodes, tokens)


@given(programs())
def test_no_program_is_shorter_than_its_length(nodes):
    assert 1 <= length(nodes) <= len(nodes)
