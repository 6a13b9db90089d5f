"""Quotients: laws that are quotients of sums are planted from few noisy rows, near their constants."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.evolution import Settings
from epsilex.planting import Limits
from epsilex.planting.quotients import KEPT, LEAST_ROWS, quotients
from epsilex.planting.terms import outputs
from epsilex.planting.transforms import MIN_ROWS
from planted import by

planted = by(quotients)

SEEDS = range(4)


def doppler(X):
    return 440.0 * (343.0 + X[:, 0]) / (343.0 - X[:, 1])


def lens(X):
    return 4.0 + X[:, 0] * X[:, 1] / (X[:, 0] + X[:, 1])


def inhibited(X):
    return 12.0 * X[:, 0] / (1.5 * (1.0 + X[:, 1] / 2.2) + X[:, 0])


def masses(X):
    return X[:, 0] * (X[:, 1] - X[:, 2]) / (X[:, 1] + X[:, 2])


def saturated(X):
    return 3.0 * X[:, 1] * X[:, 0] / (2.5 + X[:, 0])


LAWS = {  # the ranges of the features
    doppler: ([0.0, -60.0], [60.0, 60.0]),
    lens: ([30.0, 30.0], [200.0, 200.0]),
    inhibited: ([0.2, 0.0], [10.0, 8.0]),
    masses: ([1.0, 1.0, 1.0], [5.0, 5.0, 5.0]),
    saturated: ([0.1, 1.0, 1.0], [20.0, 8.0, 8.0]),
}


def rows(law, seed, n=25):
    return np.random.default_rng(seed).uniform(*LAWS[law], (n, len(LAWS[law][0])))


def least_error(found, law, X, y, size) -> float:
    """The least median error on new rows, in units of `size`, a function of the law's values, after linear scaling."""
    fresh, errors = rows(law, 99, 200), []
    new = law(fresh)
    for nodes in found:
        values = [np.column_stack([outputs([nodes], each)[0], np.ones(len(each))]) for each in (X, fresh)]
        weight = 1.0 / size(law(X))
        c, *_ = np.linalg.lstsq(values[0] * weight[:, None], y * weight)
        errors.append(np.median(np.abs(values[1] @ c - new) / size(new)))
    return min(errors, default=np.inf)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("relative", [False, True], ids=["even", "relative"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_law_is_planted(law, relative, seed):
    X = rows(law, seed)
    spread = law(X).std()
    size = np.abs if relative else lambda values: np.full(len(values), spread)
    y = law(X) + 0.02 * size(law(X)) * np.random.default_rng(50 + seed).normal(size=len(X))
    found = planted(X, y)
    assert 1 <= len(found) <= KEPT
    assert least_error(found, law, X, y, size) < 0.02
    assert min(map(len, found)) <= 11


@pytest.mark.parametrize("law", LAWS)
def test_exact_rows_come_first(law):
    X = rows(law, 0, 15)
    assert least_error(planted(X, law(X))[:1], law, X, law(X), np.abs) < 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_a_third_term(seed):
    rng = np.random.default_rng(seed)
    x, z = X = rng.uniform([[0.0], [1.0]], [[8.0], [4.0]], (2, 40))
    law = (z + 2.0 * x) / (1.0 + 0.5 * x + 0.3 * x**2)
    values = outputs(planted(X.T, law * (1.0 + 0.02 * rng.normal(size=40))), X.T)
    assert min(np.std(each / law) / np.mean(each / law) for each in values) < 0.015


def test_there_is_no_pole_among_the_rows():
    X, y = np.random.default_rng(3).normal(size=(2, 20, 3))
    for nodes in planted(X, y[:, 0]):
        values = outputs([nodes], X)[0]
        assert np.isfinite(values).all()


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.ones((MIN_ROWS - 1, 2)) * np.arange(5)[:, None], np.arange(5.0)),
        (rows(doppler, 0, LEAST_ROWS - 1), doppler(rows(doppler, 0, LEAST_ROWS - 1))),
        (np.ones((30, 2)), doppler(rows(doppler, 0, 30))),
        (rows(doppler, 0, 30), np.zeros(30)),
        (rows(doppler, 0, 30), np.full(30, 2.0)),
    ],
    ids=["very few rows", "few rows", "constant features", "zero", "constant"],
)
def test_nothing(X, y):
    assert planted(X, y) == []


def test_none_without_arithmetic_or_room():
    X = rows(doppler, 0)
    assert planted(X, doppler(X), Limits(("sin", "exp"), 50, 1000)) == []
    assert planted(X, doppler(X), Limits(Settings.operators, 4, 1000)) == []


def test_the_same_again_in_other_units():
    """Powers of two are exact, so nothing may depend on the units but the constants."""
    X = rows(doppler, 2)
    y = doppler(X) + np.random.default_rng(4).normal(size=len(X))
    again, scaled = planted(X, y), planted(X * 2.0**10, y * 2.0**-5)
    assert [[n[:2] for n in nodes] for nodes in again] == [[n[:2] for n in nodes] for nodes in scaled]
    assert planted(X, y) == again


@pytest.mark.parametrize("seed", [2, 3])
def test_the_doppler_shift_is_chosen(seed):
    """Without the planter, exponentials of exponentials are, which are close to it between the rows but not beyond."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(*LAWS[doppler], (22, 2))
    y = doppler(X) + rng.normal(size=22)
    est = SymbolicRegressor(generations=20, time_limit=None, random_state=seed).fit(X, y)
    assert est.model_.length <= 7
    faster = np.array([[0.0, 200.0], [60.0, 200.0]])
    np.testing.assert_allclose(est.predict(faster), doppler(faster), rtol=0.03)
