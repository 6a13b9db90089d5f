"""Standard errors of constants, prediction bands, digits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import curve_fit

from epsilex import SymbolicRegressor, load_model
from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.models.covariance import covariance_of
from epsilex.models.model import model
from epsilex.models.polish import polish
from epsilex.models.uncertainty import estimate, rounded
from epsilex.programs.parser import parse

NAMES = ["S"]


def kinetics(n=40, seed=0, kind="additive"):
    rng = np.random.default_rng(seed)
    S = np.exp(rng.uniform(-1.5, 3.5, n))
    f = 12.3 * S / (3.45 + S)
    y = f + 0.3 * rng.normal(size=n) if kind == "additive" else f * np.exp(0.05 * rng.normal(size=n))
    return Rows(S[:, None], y, np.ones(n))


def fitted(rows, kind="additive"):
    noise = Noise.of(kind, rows)
    nodes = polish(parse("11.1*S/(3.1 + 1*S)", NAMES), rows.X, noise, [0, 1])
    return nodes, estimate(nodes, rows.X, noise)


def test_standard_errors_are_scipys():
    rows = kinetics()
    nodes, known = fitted(rows)
    c, covariance = curve_fit(lambda S, V, K: V * S / (K + S), rows.X[:, 0], rows.y, [11, 3])
    assert [nodes[k][2] for k in known.fitted] == pytest.approx(c, rel=1e-5)
    np.testing.assert_allclose(known.covariance, covariance, rtol=1e-3)


@pytest.mark.parametrize("kind", ["additive", "relative"])
def test_intervals_cover(kind):
    """Of the true constants, and bands of new measurements: 95% of 300 fits, within what chance allows."""
    constants, rows_in = [], []
    for seed in range(300):
        rows = kinetics(25, seed, kind)
        nodes, known = fitted(rows, kind)
        value, error = np.array([nodes[k][2] for k in known.fitted]), np.sqrt(np.diag(known.covariance))
        constants.append(np.abs(value - [12.3, 3.45]) <= known.quantile(0.95) * error)
        fresh = kinetics(20, seed + 1000, kind)
        m = model(nodes, NAMES)
        object.__setattr__(m, "uncertainty", known)
        _, low, high = m.predict(fresh.X, interval=0.95)
        rows_in.append((fresh.y >= low) & (fresh.y <= high))
    assert 0.9 < np.mean(constants) < 0.98
    assert 0.92 < np.mean(rows_in) < 0.98


def test_digits_are_those_that_matter():
    rows = kinetics()
    nodes, known = fitted(rows)
    m = model(nodes, NAMES)
    object.__setattr__(m, "uncertainty", known)
    assert len(m.formula) < len(model(nodes, NAMES).formula)
    shown = rounded(nodes, known, 6)
    moved = np.abs([a[2] - b[2] for a, b in zip(nodes, shown, strict=True)])
    assert (moved[list(known.places)] <= 0.051 * known.resolution).all()


def test_the_table_of_constants_and_the_file(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 3, (50, 2))
    est = SymbolicRegressor(generations=2, time_limit=None, population_size=200, random_state=0)
    est.fit(X, 2.34 * X[:, 0] / X[:, 1] + 0.02 * rng.normal(size=50))
    table = est.model_.constants
    assert list(table.columns) == ["value", "standard_error", "low", "high", "name"]
    assert len(table) == 1
    assert table["low"][0] < 2.34 < table["high"][0]
    est.model_.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.constants.equals(table)
    for one, other in zip(again.predict(X, interval=0.9), est.model_.predict(X, interval=0.9), strict=True):
        np.testing.assert_array_equal(one, other)
    prediction, low, high = again.predict(X, interval=0.9)
    assert ((low < prediction) & (prediction < high)).all()


@pytest.mark.parametrize("bad", [0.0, 1.0, 95, "wide"])
def test_intervals_that_are_none(bad):
    nodes, known = fitted(kinetics())
    m = model(nodes, NAMES)
    object.__setattr__(m, "uncertainty", known)
    with pytest.raises(ValueError, match="interval: expected a number between 0 and 1"):
        m.predict(np.ones((2, 1)), interval=bad)


def test_fewer_rows_than_constants():
    rows = kinetics(2)
    nodes, known = fitted(rows)
    m = model(nodes, NAMES)
    object.__setattr__(m, "uncertainty", known)
    assert m.constants["standard_error"].isna().all()
    with pytest.raises(ValueError, match="interval: expected a model of more rows than constants"):
        m.predict(rows.X, interval=0.95)


class TestCovariance:
    def test_it_is_the_inverse_whatever_the_sizes(self, rng):
        slopes = rng.normal(size=(40, 3)) * [1e-90, 1.0, 1e90]
        found = covariance_of(slopes)
        unit = slopes / [1e-90, 1.0, 1e90]
        expected = np.linalg.inv(unit.T @ unit)
        sizes = np.array([1e-90, 1.0, 1e90])
        np.testing.assert_allclose(found * sizes * sizes[:, None], expected, rtol=1e-9)

    def test_no_influence_or_one_beyond_float64_has_none(self, rng):
        slopes = rng.normal(size=(40, 3)) * [0.0, 1.0, 1e200]
        found = covariance_of(slopes)
        assert np.isfinite(found).all()
        assert found[1, 1] == pytest.approx(1.0 / (slopes[:, 1] ** 2).sum())
        assert not found[0].any()
        assert not found[2].any()
