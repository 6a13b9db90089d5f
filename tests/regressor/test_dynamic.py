"""Dynamic models: free run in lanes against plain stepping, and the estimator."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import naive
from epsilex import DynamicRegressor, Settings, load_model
from epsilex.evolution.measuring.recurrent import RecurrentCases
from epsilex.programs import Programs
from epsilex.programs.parser import parse
from estimators import make

BLOCK = 64  # rows: two steps of all lanes
NAMES = ["x", "u", "y1", "y2"]  # two inputs, and the outputs one and two rows before


def stepped(nodes, X, feedback=2, past=None):
    """Outputs in free run, row by row in float64; NaN after the first that is not finite."""
    past = [0.0] * feedback if past is None else list(past)
    outputs = []
    for x in X:
        value = naive.evaluate(nodes, [[*x, *past]])[0]
        outputs.append(value)
        past = [value, *past][:feedback]
        if not np.isfinite(value):
            break
    return np.array(outputs + [np.nan] * (len(X) - len(outputs)))


def simulated(formulas, X, y=None, weight=None, feedback=2, n_jobs=1):
    """The same by the kernel, float32, for programs given as text."""
    y = np.zeros(len(X)) if y is None else y
    weight = np.ones(len(X)) if weight is None else weight
    cases = RecurrentCases.from_series(X, y, weight, "mae", feedback)
    p = Programs.from_nodes([parse(formula, NAMES[: 2 + feedback]) for formula in formulas], np.float32)
    return cases.outputs(p, n_jobs)


def inputs(n, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 2)).astype(np.float32).astype(np.float64)


STABLE = [
    "0.5*y1 + x",
    "0.9*y1 - 0.5*y2 + u",
    "tanh(y1) + 0.3*x*u",
    "sin(x + 0.5*y1)",
    "0.2*y2 + u*u",
    "exp(-1*y1*y1) + x",
    "x/(1 + y1*y1)",
    "0.99*y1 + 0.1*x",
]
DRIFTING = ["y1 + 0.01*x", "y1 - 0.2*y2 + x*u"]
UNSTABLE = ["2*y1 + x + 2", "y1*y1 + 2", "exp(y1) + 1", "1/(y1*y1*0)", "log(y1 - 1)", "1.5*y1*y1 - 3*y2 + 4"]
STATIC = ["x + u", "sin(3*x)*u", "0.25", "1/u"]


@pytest.mark.parametrize("n", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 17])
@pytest.mark.parametrize("formula", STABLE)
def test_stable(formula, n):
    X = inputs(n)
    np.testing.assert_allclose(simulated([formula], X)[0], stepped(parse(formula, NAMES), X), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("formula", DRIFTING)
def test_without_damping(formula):
    """An error is never forgotten here, so the passes must not end early, however good the guess was."""
    X = inputs(5 * BLOCK)
    exact = stepped(parse(formula, NAMES), X)
    for guess in (np.zeros(len(X)), exact, exact + 1e-3):
        np.testing.assert_allclose(simulated([formula], X, guess)[0], exact, rtol=1e-3, atol=2e-4)


@pytest.mark.parametrize("formula", UNSTABLE)
def test_unstable(formula):
    """Runs away as stepping does: finite up to the same row, give or take float32's smaller range, then never again."""
    X = inputs(3 * BLOCK)
    got, exact = simulated([formula], X)[0], stepped(parse(formula, NAMES), X)
    with np.errstate(over="ignore"):
        fits = np.isfinite(exact.astype(np.float32))
    end = len(X) if fits.all() else int(np.argmin(fits))
    finite = np.isfinite(got)
    assert not finite[end:].any()
    tame = np.flatnonzero(np.abs(exact[:end]) < 1e15)
    np.testing.assert_allclose(got[tame], exact[tame], rtol=1e-3)


@pytest.mark.parametrize("formula", STATIC)
def test_without_feedback(formula):
    X = inputs(2 * BLOCK + 3)
    exact = naive.evaluate(parse(formula, NAMES), np.column_stack([X, X]))
    np.testing.assert_allclose(simulated([formula], X)[0], exact, rtol=1e-5)
    np.testing.assert_allclose(simulated([formula], X, feedback=0)[0], exact, rtol=1e-5)


@pytest.mark.parametrize("n", [BLOCK - 1, 3 * BLOCK, 12 * BLOCK + 5])
def test_the_guess_does_not_matter(n):
    """Not for a single bit: lanes begin anew until they begin with what came before them."""
    X = inputs(n)
    rng = np.random.default_rng(0)
    formulas = STABLE + DRIFTING + UNSTABLE
    first = simulated(formulas, X)
    for guess in (
        rng.normal(size=len(X)),
        np.full(len(X), 1e6),
        1e-6 * rng.normal(size=len(X)),
    ):
        assert simulated(formulas, X, guess).tobytes() == first.tobytes()


@pytest.mark.parametrize("n", [1, 20, 2 * BLOCK, 5 * BLOCK - 3])
def test_where_lanes_begin_does_not_matter(n):
    """A shorter series is cut into other pieces, and has the same outputs."""
    X = inputs(5 * BLOCK)
    formulas = STABLE + DRIFTING + UNSTABLE + STATIC
    assert simulated(formulas, X[:n]).tobytes() == np.ascontiguousarray(simulated(formulas, X)[:, :n]).tobytes()


@pytest.mark.parametrize("n_jobs", [2, 8])
def test_number_of_threads_does_not_matter(n_jobs):
    formulas = STABLE + DRIFTING + UNSTABLE + STATIC
    X = inputs(3 * BLOCK)
    assert simulated(formulas, X, n_jobs=n_jobs).tobytes() == simulated(formulas, X).tobytes()


def test_programs_do_not_disturb_each_other():
    X = inputs(2 * BLOCK)
    together = simulated(UNSTABLE + STABLE, X)
    apart = [simulated([formula], X)[0] for formula in UNSTABLE + STABLE]
    assert together.tobytes() == np.array(apart).tobytes()


def test_rows_of_weight_0_are_run_through_but_do_not_count():
    X = inputs(2 * BLOCK)
    weight = (np.arange(len(X)) % 3 == 0).astype(float)
    whole = simulated(STABLE, X)
    np.testing.assert_array_equal(simulated(STABLE, X, weight=weight), whole[:, weight > 0])


@pytest.fixture(scope="module")
def series():
    """y(t) = 0.6 y(t-1) + x(t-1), 300 rows."""
    X = np.random.default_rng(3).uniform(-1, 1, (300, 1))
    y = np.zeros(300)
    for t in range(300):
        y[t] = (0.6 * y[t - 1] if t else 0.0) + X[max(t - 1, 0), 0]
    return X, y


@pytest.fixture(scope="module")
def fitted(series):
    return DynamicRegressor(
        operators=("add", "mul"), generations=40, population_size=150, max_length=9, time_limit=None, random_state=0
    ).fit(*series)


class TestEstimator:
    def test_finds_the_difference_equation(self, fitted, series):
        assert fitted.score(*series) > 0.99
        assert "x0[t-1]" in fitted.model_.formula
        assert "y[t-1]" in fitted.model_.formula

    def test_predict_is_simulate_from_rest(self, fitted, series):
        np.testing.assert_array_equal(fitted.predict(series[0]), fitted.simulate(series[0], 0.0))

    def test_simulate_is_the_model_step_by_step(self, fitted, series):
        X = series[0]
        lagged = np.hstack([X, X[np.maximum(np.arange(len(X)) - 1, 0)]])
        np.testing.assert_allclose(fitted.simulate(X, 2.5), stepped(fitted.model_.nodes, lagged, 1, [2.5]), rtol=1e-12)
        assert fitted.simulate(X, 2.5)[0] != fitted.simulate(X, 0.0)[0]

    def test_a_start_is_forgotten_by_a_stable_model(self, fitted, series):
        assert fitted.simulate(series[0], 5.0)[-1] == pytest.approx(fitted.simulate(series[0])[-1], abs=1e-6)

    @pytest.mark.parametrize("y0", [[1.0, 2.0], np.nan, [[1.0]], np.inf, []])
    def test_bad_starts(self, fitted, series, y0):
        with pytest.raises(ValueError, match="y0: expected a finite number, or 1 of them"):
            fitted.simulate(series[0], y0)

    def test_names(self, series):
        X, y = series
        import pandas as pd

        frame = pd.DataFrame({"wind speed": X[:, 0]})
        est = DynamicRegressor(
            lags=2, feedback=2, generations=2, population_size=30, time_limit=None, random_state=0
        ).fit(frame, y)
        assert est.model_.feature_names == (
            "wind speed", "wind speed[t-1]", "wind speed[t-2]", "y[t-1]", "y[t-2]",
        )  # fmt: skip
        assert est.n_features_in_ == 1
        assert est.simulate(frame, [1.0, 2.0]).shape == (300,)

    @pytest.mark.parametrize(("lags", "feedback"), [(0, 0), (0, 1), (3, 0), (2, 3)])
    def test_any_reach(self, series, lags, feedback):
        est = DynamicRegressor(
            lags=lags, feedback=feedback, generations=2, population_size=30, time_limit=None, random_state=0
        ).fit(*series)
        assert len(est.model_.feature_names) == 1 + lags + feedback
        assert np.isfinite(est.predict(series[0])).all()

    def test_rows_of_weight_0_do_not_count(self, series):
        """Targets there may be anything, for instance where nothing was measured."""
        X, y = series
        weight = (np.arange(300) >= 20).astype(float)
        wrong = np.where(weight > 0, y, 1e6)
        how = {"generations": 3, "population_size": 30, "time_limit": None, "random_state": 0}
        right, other = (DynamicRegressor(**how).fit(X, target, weight) for target in (y, wrong))
        assert other.front_["mae"].iloc[-1] < 10
        mae = np.abs(y - other.predict(X))[20:].mean()
        assert other.model_.metrics["mae"] == pytest.approx(mae, rel=1e-6)
        assert right.front_["mae"].iloc[-1] < 10

    def test_metrics_are_those_of_the_free_run(self, fitted, series):
        X, y = series
        assert fitted.model_.metrics["mae"] == pytest.approx(np.abs(y - fitted.predict(X)).mean())

    def test_saved_model(self, fitted, series, tmp_path):
        fitted.model_.save(tmp_path / "model.json")
        assert load_model(tmp_path / "model.json") == fitted.model_

    def test_no_variation_unless_asked_for(self, series):
        how = {"population_size": 20, "generations": 1, "time_limit": None, "random_state": 0}
        X, y = series
        assert DynamicRegressor(**how).fit(X, y).settings_.variations == {}
        grafts = {"grafts": 0.5}
        assert (
            DynamicRegressor(settings=Settings.dynamic(variations=grafts), **how).fit(X, y).settings_.variations
            == grafts
        )

    def test_clone_and_paper(self):
        est = DynamicRegressor(lags=3, feedback=2, population_size=10)
        assert clone(est).get_params() == est.get_params()
        paper = DynamicRegressor.paper(lags=1, feedback=1, selection="lex_y_mad")
        assert (paper.generations, paper.settings) == (1000, Settings.paper(selection="lex_y_mad"))

    @pytest.mark.parametrize(
        "changes",
        [
            {"lags": -1}, {"lags": 1.5}, {"feedback": -2}, {"feedback": "one"}, {"lags": True},
            {"scaling": True}, {"polish": True}, {"tuning": "levenberg_marquardt"}, {"choose": "validation"},
        ],
    )  # fmt: skip
    def test_bad_parameters(self, series, changes):
        with pytest.raises(ValueError, match=f"{next(iter(changes))}.*: expected"):
            make(DynamicRegressor, generations=1, time_limit=None, **changes).fit(*series)

    def test_a_target_far_from_zero(self, series):
        """Outputs fed back begin with 0 in the user's units, whatever units the search may use."""
        X, y = series
        est = DynamicRegressor(generations=3, population_size=30, time_limit=None, random_state=0).fit(
            X, 1e6 + 1e-3 * y
        )
        inside, outside = est.search_.archive.fitness[est.search_.archive.taken].min(), est.model_.metrics["mae"]
        assert outside == pytest.approx(inside, rel=0.2, abs=1.0)
