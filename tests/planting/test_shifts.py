"""Shifts: power laws and exponentials of a shifted feature are planted near their true shift."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.planting import Limits
from epsilex.planting.shifts import KEPT, LEAST_ROWS, shifts
from epsilex.planting.terms import outputs
from planted import by

planted = by(shifts)

RNG = np.random.default_rng(5)
X = np.column_stack([np.linspace(300.0, 420.0, 30), RNG.uniform(0.1, 3.0, 30), RNG.uniform(-2.0, 2.0, 30)])
T, C = X[:, 0], X[:, 1]
LAWS = {
    "Antoine": 1e5 * np.exp(-3985.0 / (T - 40.0)),
    "viscosity": 0.02 * np.exp(900.0 / (T - 180.0)),
    "above the data": 3.0 * np.exp(-200.0 / (500.0 - T)),
    "critical point": 2.3 * (430.0 - T) ** 0.34,
    "threshold": 0.01 * (T - 290.0) ** 1.5,
    "negative": -0.02 * np.exp(900.0 / (T - 180.0)),
    "loop": 60.0 / (1.7 + X[:, 2] ** 2) ** 1.5,
    "circle": 3.0 * np.sqrt(5.3 - X[:, 2] ** 2),
    "with a factor": 2e3 * C**1.5 * np.exp(-700.0 / (T - 170.0)),
}


def ratio(nodes, X, y) -> float:
    """The largest relative error of a program, whose factor is left to linear scaling."""
    quotient = outputs([nodes], X)[0] / y
    return float(np.abs(quotient / np.median(quotient) - 1.0).max())


@pytest.mark.parametrize("name", LAWS)
def test_the_law_is_planted_and_generalises(name):
    noisy = LAWS[name] * (1.0 + 0.002 * np.random.default_rng(1).normal(size=len(T)))
    found = planted(X, noisy)
    assert 1 <= len(found) <= KEPT
    assert min(ratio(nodes, X, LAWS[name]) for nodes in found) < 0.01


def test_there_is_no_pole_among_the_rows():
    y = np.exp(np.random.default_rng(2).normal(size=30))
    for nodes in planted(X, y):
        assert np.isfinite(outputs([nodes], X)).all()


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (X[: LEAST_ROWS - 1], LAWS["Antoine"][: LEAST_ROWS - 1]),
        (np.ones((30, 2)), LAWS["Antoine"]),
        (X, np.zeros(30)),
        (X, np.full(30, 2.0)),
    ],
    ids=["few rows", "constant features", "zero", "constant"],
)
def test_what_has_no_shift_gets_none(X, y):
    assert planted(X, y) == []


def test_only_operators_that_are_there():
    assert planted(X, LAWS["Antoine"], Limits(("add", "mul", "div"), 50, 1000)) == []
    for nodes in planted(X, LAWS["with a factor"], Limits(("add", "mul", "div", "exp"), 50, 1000)):
        assert np.isfinite(outputs([nodes], X)).all()


def test_the_vapour_pressure_of_water_is_found():
    t = np.linspace(0.0, 100.0, 26)
    law = 10.0 ** (8.07131 - 1730.63 / (233.426 + t))
    y = law * (1.0 + 0.003 * np.random.default_rng(5).normal(size=26))
    est = SymbolicRegressor(time_limit=None, generations=30, population_size=500, random_state=0).fit(t[:, None], y)
    fresh = np.linspace(1.0, 99.0, 50)
    np.testing.assert_allclose(est.predict(fresh[:, None]), 10.0 ** (8.07131 - 1730.63 / (233.426 + fresh)), rtol=0.01)
    assert est.model_.length <= 6
