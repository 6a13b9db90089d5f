"""Mixtures: sums of two exponentials, or of two powers, are planted near their true rates."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.planting import Limits
from epsilex.planting.mixtures import KEPT, LEAST_ROWS, mixtures
from planted import by, unexplained

planted = by(mixtures)

T = np.linspace(0.0, 12.0, 24)
R = np.linspace(0.97, 2.5, 24)
Z = np.random.default_rng(5).uniform(0.5, 3.0, 24)
LAWS = {
    "uptake": (T, np.exp(-0.25 * T) - np.exp(-1.4 * T)),
    "two decays": (T, 5.0 * np.exp(-T) + 2.0 * np.exp(-0.1 * T)),
    "growth and decay": (T, 0.1 * np.exp(0.3 * T) + 3.0 * np.exp(-0.8 * T)),
    "with an offset": (T, 4.0 + np.exp(-0.2 * T) - 3.0 * np.exp(-T)),
    "atoms": (R, R**-12.0 - 2.0 * R**-6.0),
    "with a factor": (T, Z * (np.exp(-0.2 * T) + 3.0 * np.exp(-1.2 * T))),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_law_is_planted(name):
    x, law = LAWS[name]
    X = np.column_stack([x, Z])
    noisy = law + 0.001 * np.ptp(law) * np.random.default_rng(1).normal(size=len(law))
    found = planted(X, noisy)
    assert 1 <= len(found) <= KEPT
    assert min(unexplained(nodes, X, law) for nodes in found) < 1e-3


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (T[: LEAST_ROWS - 1, None], LAWS["uptake"][1][: LEAST_ROWS - 1]),
        (np.ones((24, 2)), LAWS["uptake"][1]),
        (T[:, None], np.zeros(24)),
        (T[:, None], np.full(24, 2.0)),
        (T[:, None], np.eye(24)[7]),
    ],
    ids=["few rows", "constant features", "zero", "constant", "a single row"],
)
def test_what_is_no_mixture_gets_none(X, y):
    assert planted(X, y) == []


def test_only_operators_that_are_there():
    assert planted(T[:, None], LAWS["uptake"][1], Limits(("add", "sub", "mul", "div"), 50, 1000)) == []


def test_the_course_of_a_drug_is_found():
    noise = 1.0 + 0.04 * np.random.default_rng(7).normal(size=len(T))
    est = SymbolicRegressor(time_limit=None, generations=20, population_size=500, random_state=0)
    est.fit(T[:, None], 8.2 * LAWS["uptake"][1] * noise)
    fresh = np.linspace(0.3, 11.7, 40)
    law = 8.2 * (np.exp(-0.25 * fresh) - np.exp(-1.4 * fresh))
    np.testing.assert_allclose(est.predict(fresh[:, None]), law, atol=0.04 * law.max())
    assert est.model_.length <= 6
