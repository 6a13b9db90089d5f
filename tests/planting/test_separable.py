"""Separable: products and sums of curves of two features are planted near their true constants."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.evolution import Settings
from epsilex.planting import Limits
from epsilex.planting.separable import KEPT, LEAST_ROWS, separable
from planted import LIMITS, unexplained

X = np.random.default_rng(3).uniform([0.5, 0.2, -1.0], [30.0, 9.0, 1.0], (60, 3))
S, Z = X[:, 0], X[:, 1]
LAWS = {
    "two nutrients": S / (4.0 + S) * Z / (1.1 + Z),
    "rate and optimum": np.exp(-0.1 * S) * np.exp(-(((Z - 4.0) / 2.0) ** 2)),
    "switch and decay": np.exp(-0.3 * Z) / (1.0 + np.exp(-0.6 * (S - 12.0))),
    "trend and step": 0.2 * S + 3.0 / (1.0 + np.exp(-2.0 * (Z - 5.0))),
    "two decays": 2.0 * np.exp(-0.3 * S) + 5.0 * np.exp(-0.5 * Z),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_of_this_kind_is_planted(name):
    y = LAWS[name]
    noisy = y + 0.01 * y.std() * np.random.default_rng(1).normal(size=len(y))
    found = separable(X, noisy, LIMITS)
    assert 1 <= len(found) <= KEPT
    assert min(unexplained(nodes, X, y) for nodes in found) < 0.003


def test_nothing_on_few_rows_without_operators_or_with_a_single_feature():
    y = LAWS["two decays"]
    assert separable(X[: LEAST_ROWS - 1], y[: LEAST_ROWS - 1], LIMITS) == []
    assert separable(X, y, Limits(("add", "sub", "mul", "div"), 50, 1000)) == []
    assert separable(X[:, :1], y, LIMITS) == []
    still = np.column_stack([S, np.ones(60)])
    assert separable(still, y, LIMITS) == []


def test_programs_are_within_the_limit_of_length():
    assert all(len(nodes) <= 12 for nodes in separable(X, LAWS["two nutrients"], Limits(Settings.operators, 12, 1000)))


def test_two_saturations_are_found_from_sixty_rows():
    """The planted form is long; only the choice makes it lean, so the archive must keep it."""
    y = 0.9 * LAWS["two nutrients"]
    noisy = y * (1.0 + 0.02 * np.random.default_rng(0).normal(size=60))
    est = SymbolicRegressor(generations=60, time_limit=None, population_size=500, random_state=0).fit(X, noisy)
    assert est.model_.length <= 13
    assert np.mean((est.predict(X) - y) ** 2) < 2e-3 * y.var()
