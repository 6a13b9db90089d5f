"""Laurent sums: terms of simple exponents are found together, on either side of a root or a fraction line."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.planting.laurent import LEAST_ROWS, PLANTED, laurent
from epsilex.planting.terms import outputs
from epsilex.programs.algebra import shortest
from epsilex.programs.formula import text
from epsilex.programs.intervals import Interval
from planted import by, unexplained

planted = by(laurent)

R = np.linspace(0.98, 1.9, 24)
W = np.linspace(100.0, 1500.0, 26)
V = np.linspace(2.0, 16.0, 20)
F = np.geomspace(20.0, 5000.0, 20)
Z = np.random.default_rng(5).uniform(0.5, 3.0, 26)
LAWS = {
    "atoms": (R, 4.0 * (R**-12.0 - R**-6.0)),
    "drag": (V, 2.1 * V + 0.34 * V**2),
    "circuit": (W, np.sqrt(50.0**2 + (0.2 * W - 1e5 / W) ** 2)),
    "filter": (F, 1.0 / np.sqrt(1.0 + (F / 400.0) ** 2)),
    "column": (V, 2.0 + 12.0 / V + 0.4 * V),
    "cell": (V, 0.8 - 0.06 * np.log(V) - 0.02 * V),
    "both signs": (V - 9.0, 3.0 * (V - 9.0) - 0.2 * (V - 9.0) ** 3),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_law_is_planted(name):
    x, law = LAWS[name]
    X = np.column_stack([x, Z[: len(x)]])
    noisy = law + 0.005 * law.std() * np.random.default_rng(1).normal(size=len(law))
    found = planted(X, noisy)
    assert 1 <= len(found) <= PLANTED
    assert min(unexplained(nodes, X, law) for nodes in found) < 1e-3


def test_steep_terms_under_a_root_are_found_though_they_hang_on_few_rows():
    x, law = LAWS["circuit"]
    found = [shortest(nodes, [Interval(100.0, 1500.0)]) for nodes in planted(x[:, None], law)]
    assert any("^2" in text(nodes, ["w"], 4) and "sqrt" in text(nodes, ["w"], 4) for nodes in found)
    assert min(unexplained(nodes, x[:, None], law) for nodes in found) < 1e-9


def test_a_sum_under_a_fraction_line_may_begin_with_one():
    x, law = LAWS["filter"]
    found = [text(nodes, ["f"], 3) for nodes in planted(x[:, None], law)]
    assert any(program.startswith("1/sqrt(1 + ") for program in found), found


def test_a_factor_may_be_another_feature():
    X = np.column_stack([V, Z[:20]])
    y = Z[:20] * (2.0 * V + 0.3 * V**2)
    assert min(unexplained(nodes, X, y) for nodes in planted(X, y)) < 1e-9


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (V[: LEAST_ROWS - 1, None], V[: LEAST_ROWS - 1]),
        (np.ones((20, 2)), V),
        (V[:, None], np.zeros(20)),
        (V[:, None], np.eye(20)[7]),
        (np.arange(-10.0, 10.0)[:, None], V),
    ],
    ids=["few rows", "constant features", "zero", "a single row", "zero among the rows"],
)
def test_nothing_undefined_is_planted(X, y):
    assert all(np.isfinite(outputs([nodes], X)).all() for nodes in planted(X, y))
