"""Fractions put together: the same function in another form."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.programs import random_programs
from epsilex.programs.algebra.clearing import cleared
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse

NAMES = ["x", "z"]
X = np.random.default_rng(0).uniform(0.5, 3.0, (50, 2))


@pytest.mark.parametrize(
    ("text", "length"), [("1/(1 + 4/x)", 5), ("0.9/((1 + 4/x)*(1 + 1.1/z))", 11), ("1/(1/x + 1/z)", 7), ("x + z", 3)]
)
def test_known_ones(text, length):
    nodes = parse(text, NAMES)
    found = cleared(nodes)
    assert len(found) == length
    np.testing.assert_allclose(evaluate64(found, X), evaluate64(nodes, X), rtol=1e-12)


def test_the_last_sum_may_stay():
    nodes = parse("3 + 1/(2 + 1/x)", NAMES)
    one, whole = cleared(nodes, whole=False), cleared(nodes)
    assert one[-1][0] == nodes[-1][0] != whole[-1][0]
    for found in (one, whole):
        np.testing.assert_allclose(evaluate64(found, X), evaluate64(nodes, X), rtol=1e-12)


def test_values_stay_the_same():
    rational = ("add", "sub", "mul", "div")
    some = random_programs(300, 2, np.random.default_rng(1), min_length=5, max_length=20, operators=rational)
    with np.errstate(all="ignore"):
        for i in range(len(some)):
            nodes = some.nodes(i)
            before = evaluate64(nodes, X)
            for whole in (True, False) if np.isfinite(before).all() else ():
                after = evaluate64(cleared(nodes, whole), X)
                size = np.maximum(np.abs(before), np.median(np.abs(before))) + 1e-300  # some are 0 everywhere
                assert np.median(np.abs(after - before) / size) < 1e-9  # single rows may be near a pole
