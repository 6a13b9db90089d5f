"""Curves: sigmoids, bells and waves are planted near their true slope and position."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.planting.curves import KEPT, curves
from planted import by, unexplained

planted = by(curves)

X = np.random.default_rng(5).uniform([0.5, 1.0, -2.0], [24.0, 3.0, 2.0], (40, 3))
T, DOSE = X[:, 0], X[:, 1]
LAWS = {
    "exponential": 3.0 + 5.0 * np.exp(-0.2 * T),
    "Arrhenius": 0.5 + 5.0 * np.exp(-4.0 / T),
    "power": 2.0 + 0.3 * T**1.7,
    "logistic": 12.0 / (1.0 + np.exp(-0.45 * (T - 9.0))),
    "falling": 7.0 - 4.0 / (1.0 + np.exp(-0.8 * (T - 15.0))),
    "Hill": 5.0 * T**3 / (8.0**3 + T**3),
    "Gompertz": 12.0 * np.exp(-5.0 * np.exp(-0.3 * T)),
    "Weibull": 1.0 - np.exp(-((T / 9.0) ** 2.3)),
    "bell": 1.0 + 4.0 * np.exp(-(((T - 10.0) / 3.0) ** 2)),
    "log-normal": np.exp(-((np.log(T) - 2.0) ** 2)),
    "resonance": 2.0 / (1.0 + ((T - 10.0) / 2.5) ** 2),
    "wave": 4.0 + np.sin(0.7 * T + 0.3),
    "damped wave": 2.0 + 3.0 * np.exp(-0.1 * T) * np.sin(0.9 * T + 1.0),
    "times another": DOSE / (1.0 + np.exp(-0.45 * (T - 9.0))),
    "over another": np.exp(-(((T - 10.0) / 3.0) ** 2)) / DOSE,
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_of_this_shape_is_planted_first_and_generalises(name):
    y = LAWS[name]
    noisy = y + 0.01 * y.std() * np.random.default_rng(1).normal(size=len(y))
    found = planted(X, noisy)
    assert 1 <= len(found) <= KEPT
    assert unexplained(found[0], X, y) < (0.05 if "wave" in name else 0.002)


def test_the_unit_of_the_data_does_not_matter():
    y = LAWS["logistic"]
    for scale in (1e-3, 1e3):
        assert unexplained(planted(X * scale, y * scale)[0], X * scale, y * scale) < 0.002


def test_nothing_is_made_of_too_few_rows_or_a_constant_feature():
    assert planted(X[:5], LAWS["logistic"][:5]) == []
    assert planted(np.ones((40, 1)), LAWS["logistic"]) == []


def test_a_logistic_law_is_chosen_from_thirty_noisy_rows():
    t = np.linspace(0.0, 24.0, 30)
    y = 12.0 / (1.0 + np.exp(-0.45 * (t - 9.0)))
    noisy = y + 0.2 * np.random.default_rng(3).normal(size=30)
    est = SymbolicRegressor(generations=15, time_limit=None, random_state=0).fit(t[:, None], noisy)
    new = np.linspace(0.0, 24.0, 200)
    law = 12.0 / (1.0 + np.exp(-0.45 * (new - 9.0)))
    assert np.abs(est.predict(new[:, None]) - law).max() < 0.4
    assert "exp" in est.model_.formula
    assert "sin" not in est.model_.formula
