"""The estimators to scikit-learn's rules, and how they take good, odd and bad input."""

from __future__ import annotations

import pickle
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sympy as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from epsilex import DynamicRegressor, Settings, SymbolicRegressor
from epsilex.evolution.settings import population_for
from estimators import make

SMALL = {"generations": 5, "population_size": 50, "time_limit": None, "random_state": 0}
X = np.random.default_rng(0).normal(size=(60, 3))
Y = 2.0 * X[:, 0] + X[:, 1] ** 2

# A series has an order: its rows can neither be shuffled, nor predicted a few at a time, nor left out.
ORDER_MATTERS = {
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_sample_weight_equivalence_on_dense_data",
}


@parametrize_with_checks([
    SymbolicRegressor(**SMALL),
    SymbolicRegressor(choose="validation", loss="mse", **SMALL),
    SymbolicRegressor.paper(**SMALL),
])  # fmt: skip
def test_scikit_learn(estimator, check):
    check(estimator)


def name_of(check):
    return getattr(check, "func", check).__name__


@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pair
        for pair in estimator_checks_generator(DynamicRegressor(**SMALL), mark="skip")
        if isinstance(pair, tuple) and name_of(pair[1]) not in ORDER_MATTERS
    ],
    ids=lambda value: name_of(value) if callable(value) else "",
)
def test_scikit_learn_for_series(estimator, check):
    check(estimator)


def fitted(X=X, y=Y, weight=None, **changes):
    return make(**{**SMALL, **changes}).fit(X, y, weight)


@pytest.fixture(scope="module")
def est():
    return fitted(generations=15, population_size=150)


class TestFitted:
    def test_finds_the_formula(self, est):
        assert est.score(X, Y) > 0.999

    def test_front(self, est):
        front = est.front_
        assert front["length"].is_monotonic_increasing
        assert front["length"].is_unique
        assert {"length", "mae", "mse", "r2", "loss", "formula", "proven", "chosen"} <= set(front.columns)
        assert front["chosen"].sum() == 1
        assert front.loc[front["chosen"], "formula"].item() == est.model_.formula
        assert [m.formula for m in est.models_] == front["formula"].tolist()

    def test_history(self, est):
        assert est.history_["generation"].tolist() == list(range(16))
        assert est.n_generations_ == 15
        assert est.stopped_by_ == "generations"
        searched = fitted(generations=15, population_size=150, planters=())
        assert searched.history_["best_mae"].iloc[-1] < searched.history_["best_mae"].iloc[0]

    def test_history_is_in_the_targets_units(self):
        one, thousand = fitted(), fitted(y=1024.0 * Y)
        assert (thousand.history_["best_mae"] == 1024.0 * one.history_["best_mae"]).all()

    def test_take(self, est):
        other = pickle.loads(pickle.dumps(est))
        length = int(other.front_["length"].iloc[0])
        assert other.take(length=length) is other
        assert other.model_.length == length
        assert other.front_.loc[other.front_["chosen"], "length"].item() == length
        with pytest.raises(ValueError, match=r"length: expected one of .*; got 999"):
            other.take(length=999)

    def test_choices(self):
        accurate = fitted(choose="accuracy")
        assert accurate.front_["chosen"].iloc[-1]
        first = fitted(choose=lambda front: 0)
        assert first.front_["chosen"].iloc[0]
        with pytest.raises(ValueError, match="choose: expected an index"):
            fitted(choose=lambda front: 99)
        validated = fitted(choose="validation")
        losses = validated.front_["validation_loss"]
        assert losses[validated.front_["chosen"]].item() == losses.min()

    def test_validation_with_few_rows(self):
        """None can be held back of so few; another rule decides."""
        assert np.isfinite(fitted(X[:5], Y[:5], choose="validation").predict(X)).all()

    def test_repr(self, est):
        page = est._repr_html_()
        assert page.count("<code>") >= 1
        assert est.model_.formula.replace("<", "&lt;") in page
        assert est.model_.formula in est._repr_mimebundle_()["text/html"]
        assert "<code>" not in SymbolicRegressor()._repr_html_()[-100:]

    def test_formula_is_escaped_in_html(self):
        named = fitted(pd.DataFrame(X, columns=["<script>", "b&b", "c"]))
        assert "<script>" in named.model_.formula
        ending = named._repr_html_().rpartition("<p>")[2]
        assert "&lt;script&gt;" in ending
        assert "<script>" not in ending

    def test_polishing_recovers_constants(self):
        exact = fitted(y=3.25 * X[:, 0] - 1.5, generations=10)
        coefficients = sorted(abs(c) for code, _, c in exact.model_.nodes if code <= 1 and abs(c) > 1e-9)
        assert coefficients == pytest.approx([1.5, 3.25], rel=1e-9)


class TestScikitLearnHabits:
    def test_clone(self):
        est = make(selection="lex_semi", population_size=77, mutations={"point": 1.0})
        assert clone(est).get_params() == est.get_params()

    def test_pickle(self, est):
        again = pickle.loads(pickle.dumps(est))
        assert again.predict(X).tobytes() == est.predict(X).tobytes()
        assert again.front_.equals(est.front_)

    def test_cross_validation(self):
        assert (cross_val_score(SymbolicRegressor(**SMALL), X, Y, cv=2) > 0.5).all()

    def test_paper(self):
        est = SymbolicRegressor.paper(population_size=40, generations=3, random_state=0).fit(X, Y)
        assert est.n_generations_ == 3
        assert set(est.settings_.operators) == {"add", "sub", "mul", "pdiv", "sin", "cos", "exp", "plog"}
        assert est.front_["chosen"].iloc[-1]

    def test_defaults_stop_by_time(self):
        est = SymbolicRegressor()
        assert est.time_limit == 30
        assert est.generations is None

    def test_population_by_time(self):
        """A longer search has more individuals, unless generations limit it too; what is continued keeps its own."""

        def size(**changes):
            est = SymbolicRegressor(random_state=0, callbacks=[lambda state: True], **changes).fit(X, Y)
            return len(est.search_.state.population)

        assert size(time_limit=5) == size(time_limit=60, generations=3) == 1000
        assert size(time_limit=60) == population_for(60) == 3300
        assert size(time_limit=60, population_size=70) == 70
        est = SymbolicRegressor(random_state=0, time_limit=60, callbacks=[lambda state: True], warm_start=True)
        est.fit(X, Y).set_params(time_limit=5).fit(X, Y)
        assert len(est.search_.state.population) == 3300

    def test_resumed_with_another_time_limit(self, tmp_path):
        """What was begun for a minute can be continued for longer, in a population of the same size."""
        stop = [lambda state: True]
        est = SymbolicRegressor(random_state=0, time_limit=60, callbacks=stop, checkpoint=tmp_path / "a", resume=True)
        est.fit(X, Y).set_params(time_limit=120).fit(X, Y)
        assert len(est.search_.state.population) == 3300
        assert est.n_generations_ == 1

    def test_time_limit(self, rng):
        est = fitted(y=Y + rng.normal(size=len(Y)), time_limit=0.5, generations=None)
        assert est.stopped_by_ == "time"
        *before, last = est.history_["seconds"]
        assert all(seconds < 0.5 for seconds in before)
        pace = last - before[-1] if before else 0.0
        assert last + 0.5 * pace >= 0.25  # the choice has its share, at most half; the last generation is not begun

    @pytest.mark.parametrize("loss", ["mae", lambda y, p: (y - p) ** 4])
    def test_an_exact_formula_ends_the_search(self, loss):
        rng = np.random.default_rng(0)
        X = rng.uniform(1, 3, (100, 3))
        y = 1e5 * X[:, 0] * X[:, 1] / X[:, 2]
        est = SymbolicRegressor(generations=1000, time_limit=None, population_size=100, loss=loss, random_state=0)
        est.fit(X, y)
        assert est.stopped_by_ == "exact"
        assert (est.history_["best_mae"].iloc[-100:] < 1.0).all()
        assert 100 <= len(est.history_) < 300
        np.testing.assert_allclose(est.predict(X), y, rtol=1e-9)

    def test_noise_is_never_exact(self):
        est = fitted(y=Y + 1e-4 * np.random.default_rng(0).normal(size=len(Y)), generations=150)
        assert est.stopped_by_ == "generations"


class TestWarmStart:
    @pytest.mark.parametrize("kind", [SymbolicRegressor, DynamicRegressor])
    def test_two_halves_are_the_whole(self, kind):
        half = kind(warm_start=True, **SMALL).fit(X, Y).fit(X, Y)
        whole = kind(**SMALL | {"generations": 10}).fit(X, Y)
        assert half.n_generations_ == 10
        assert half.models_ == whole.models_
        assert half.history_["best_mae"].tolist() == whole.history_["best_mae"].tolist()

    def test_on_other_rows(self):
        """The population goes on; what was measured on the old rows does not."""
        est = SymbolicRegressor(warm_start=True, **SMALL).fit(X, Y)
        est.fit(X[:40], -Y[:40])
        assert est.search_.state.population.errors.shape[1] == 40
        assert est.score(X[:40], -Y[:40]) > 0.5
        m = est.model_
        assert m.metrics["mae"] == pytest.approx(np.abs(-Y[:40] - m.predict(X[:40])).mean())

    def test_with_other_settings(self):
        est = SymbolicRegressor(warm_start=True, **SMALL).fit(X, Y)
        est.set_params(selection="tournament", settings__crossover=0.2).fit(X, Y)
        assert est.n_generations_ == 10
        for change in ({"max_length": 10}, {"population_size": 60}):
            with pytest.raises(ValueError, match="population_size, max_length: expected those of the search"):
                clone(est).fit(X, Y).set_params(**change).fit(X, Y)

    def test_with_other_features(self):
        est = SymbolicRegressor(warm_start=True, **SMALL).fit(X, Y)
        with pytest.raises(ValueError, match="features"):
            est.fit(X[:, :2], Y)
        series = DynamicRegressor(warm_start=True, lags=2, **SMALL).fit(X, Y)
        with pytest.raises(ValueError, match="feature: expected indices"):
            series.set_params(lags=0, feedback=0).fit(X, Y)

    def test_without_it_a_fit_begins_anew(self):
        est = SymbolicRegressor(**SMALL)
        assert est.fit(X, Y).models_ == est.fit(X, Y).models_


class TestCallbacks:
    def test_each_generation_until_one_says_stop(self):
        seen = []

        def callback(state):
            seen.append(state.generation)
            return state.generation == 3

        est = fitted(callbacks=[callback], generations=50)
        assert seen == [0, 1, 2, 3]
        assert est.stopped_by_ == "callback"
        assert np.isfinite(est.predict(X)).all()

    def test_one_that_raises_is_named_and_loses_nothing_but_itself(self):
        calls, others = [], []

        def broken(state):
            calls.append(state.generation)
            if state.generation == 2:
                raise KeyError("mine")

        named = r"callback .*broken raised KeyError: 'mine'; the search goes on without it"
        with pytest.warns(UserWarning, match=named) as warned:
            est = fitted(callbacks=[broken, lambda state: others.append(state.generation)])
        assert len([w for w in warned if "callback" in str(w.message)]) == 1
        assert calls == [0, 1, 2]
        assert others == list(range(est.n_generations_ + 1))
        assert est.models_ == fitted().models_
        assert est.stopped_by_ == "generations"


class TestLosses:
    def test_names(self):
        for loss in ("mae", "mse", "huber"):
            est = fitted(loss=loss, generations=15, population_size=150)
            assert est.score(X, Y) > 0.99
        assert fitted(loss="mse").front_["loss"].equals(fitted(loss="mse").front_["mse"])

    def test_a_function_makes_cases_and_fitness(self):
        def relative(y, prediction):
            return np.abs(y - prediction) / np.abs(y)

        y = np.exp(X[:, 0])
        est = fitted(y=y, loss=relative, generations=10)
        by_hand = (np.abs(y - est.predict(X)) / y).mean()
        assert est.model_.metrics["loss"] == pytest.approx(by_hand)
        inside = est.search_.archive.fitness[est.search_.archive.taken].min()
        assert (
            est.front_["loss"].min() <= inside * 1.01
        )  # the search saw the target as it is, neither shifted nor scaled
        assert by_hand < 0.5

    def test_a_function_of_numbers(self):
        est = fitted(loss=lambda y, p: 3.0 * (y - p) if y > p else p - y)
        assert np.isfinite(est.front_["loss"]).all()

    def test_target_error(self):
        for loss, target in (("mae", 5.0), ("mse", 50.0)):
            est = fitted(
                y=1000.0 * Y, loss=loss, target_error=target, generations=300, population_size=150, planters=()
            )
            assert est.stopped_by_ == "target"
            assert est.front_["loss"].min() <= target * 1.001
            assert est.n_generations_ > 0


class TestFrames:
    NAMES = ("temp (C)", "lambda", "pi")

    @pytest.mark.parametrize("frame", [pd.DataFrame, lambda X, columns: pl.DataFrame(X, schema=list(columns))])
    def test_names_that_are_no_identifiers(self, frame, tmp_path):
        from epsilex import load_model
        from epsilex.programs.length import length
        from epsilex.programs.parser import parse

        data = frame(X, columns=self.NAMES)
        est = fitted(data, generations=15, population_size=150)
        assert est.feature_names_in_.tolist() == list(self.NAMES)
        m = est.model_
        assert "`temp (C)`" in m.formula
        assert {str(s) for s in m.sympy().free_symbols} <= set(self.NAMES)
        assert sp.pi not in m.sympy().atoms()
        np.testing.assert_allclose(est.predict(data), m.predict(X))
        np.testing.assert_array_equal(m.predict(data), m.predict(X))
        m.save(tmp_path / "model.json")
        assert load_model(tmp_path / "model.json") == m
        assert length(parse(m.formula, self.NAMES)) == m.length
        module = {}
        exec(m.python(), module)
        np.testing.assert_array_equal(module["predict"](X), m.predict(X))

    def test_columns_missing_or_in_another_order(self):
        est = fitted(pd.DataFrame(X, columns=self.NAMES))
        with pytest.raises(ValueError, match="same order"):
            est.predict(pd.DataFrame(X[:, ::-1], columns=self.NAMES[::-1]))
        with pytest.raises(ValueError, match="missing"):
            est.predict(pd.DataFrame(X[:, :2], columns=self.NAMES[:2]))

    def test_duplicate_names(self):
        with pytest.raises(ValueError, match="'a'"):
            fitted(pd.DataFrame(X, columns=["a", "a", "b"]))

    def test_names_that_are_no_text(self):
        assert fitted(pd.DataFrame(X)).model_.feature_names == ("x0", "x1", "x2")
        with pytest.raises(TypeError, match="string names"):
            fitted(pd.DataFrame(X, columns=["a", 1, 2.5]))

    def test_object_columns(self):
        numbers = pd.DataFrame(X.astype(object), columns=self.NAMES)
        assert fitted(numbers).models_ == fitted(pd.DataFrame(X, columns=self.NAMES)).models_
        words = numbers.assign(pi="word")
        with pytest.raises(ValueError, match="could not convert string"):
            fitted(words)

    def test_y_as_a_series_or_column(self):
        assert fitted(y=pd.Series(Y)).models_ == fitted(y=list(Y)).models_
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert fitted(y=Y.reshape(-1, 1)).models_ == fitted().models_


class TestWeights:
    def test_a_weight_is_so_many_rows(self):
        weight = np.random.default_rng(1).integers(0, 4, 60)
        rows = np.repeat(np.arange(60), weight)
        assert fitted(weight=weight.astype(float)).models_ == fitted(X[rows], Y[rows]).models_

    def test_the_scale_means_nothing(self):
        weight = np.random.default_rng(1).uniform(0.1, 2.0, 60)
        assert fitted(weight=weight).model_.formula == fitted(weight=weight * 4.0).model_.formula

    def test_heavy_rows_decide(self):
        y = np.where(np.arange(60) < 30, X[:, 0], -X[:, 0])
        weight = np.where(np.arange(60) < 30, 1.0, 1e-6)
        est = fitted(y=y, weight=weight, generations=10)
        assert est.score(X[:30], y[:30]) > 0.99

    @pytest.mark.parametrize("size", [1e-300, 1e300])
    def test_weights_of_any_size(self, size):
        assert fitted(weight=np.full(60, size)).score(X, Y) > 0.5

    @pytest.mark.parametrize(
        ("weight", "named"),
        [
            (np.zeros(60), r"(?i)sample.weight.* at least one"),
            (-np.ones(60), "[Nn]egative"),
            (np.full(60, np.nan), "NaN"),
            (np.ones(59), "sample_weight"),
            (np.ones((60, 2)), "[Ss]ample.weight"),
        ],
    )
    def test_bad_weights(self, weight, named):
        with pytest.raises(ValueError, match=named):
            fitted(weight=weight)


class TestOddData:
    """Where something sensible can be done, a finite model; else an error that says why."""

    def finite(self, X, y, **changes):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            est = fitted(X, y, **changes)
            assert np.isfinite(est.predict(X)).all()
        return est

    @pytest.mark.parametrize("value", [0.0, 3.0, -1e-200, 1e300])
    def test_constant_target(self, value):
        est = self.finite(X, np.full(60, value))
        np.testing.assert_allclose(est.predict(X), value, rtol=1e-9)
        assert est.model_.length == 1

    def test_two_rows_are_worth_a_number(self):
        assert self.finite(X[:2], Y[:2]).predict(X[:2]) == pytest.approx(Y[:2].mean())

    def test_two_equal_rows_of_two_targets(self):
        assert self.finite(X[[0, 0]], np.array([1.0, 2.0])).predict(X[[0]]) == pytest.approx(1.5)

    def test_one_row(self):
        with pytest.raises(ValueError, match="minimum of 2 is required"):
            fitted(X[:1], Y[:1])

    def test_fewer_rows_than_features(self, rng):
        self.finite(rng.normal(size=(5, 40)), rng.normal(size=5))

    def test_ten_thousand_features(self, rng):
        begin = time.process_time()
        wide = rng.normal(size=(20, 10_000))
        est = self.finite(wide, wide[:, 77])
        assert est.n_features_in_ == 10_000
        assert time.process_time() - begin < 60

    @pytest.mark.parametrize("kind", [SymbolicRegressor, DynamicRegressor])
    @pytest.mark.parametrize(
        ("x_size", "y_size"),
        [(1e300, 1.0), (1e-300, 1.0), (1.0, 1e300), (1.0, 1e-300), (1e300, 1e300), (1e-300, 1e300), (1e-310, 1e-310)],
    )
    @pytest.mark.parametrize("loss", ["mae", "mse"])
    def test_values_at_the_ends_of_the_range(self, kind, x_size, y_size, loss):
        with np.errstate(under="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            est = kind(loss=loss, **SMALL).fit(X * x_size, Y * y_size)
            prediction = est.predict(X * x_size)
        assert np.isfinite(prediction).all()
        if kind is SymbolicRegressor:
            assert np.corrcoef(prediction / y_size, Y)[0, 1] > 0.7
            assert est.model_.metrics["r2"] > 0.5

    def test_columns_of_all_sizes(self):
        sizes = np.array([1e300, 1e-300, 1.0])
        assert self.finite(X * sizes, Y * 1e250).model_.metrics["r2"] > 0.5

    def test_the_largest_floats(self):
        scaled = X / np.abs(X).max() * 1.7e308
        with np.errstate(all="ignore"):  # scikit-learn's own sums overflow
            assert np.isfinite(fitted(scaled, scaled[:, 0]).predict(scaled)).all()

    def test_a_mean_far_from_zero(self):
        est = self.finite(X + 1e9, 2.0 * X[:, 0] + 1e9, generations=10)
        assert est.score(X + 1e9, 2.0 * X[:, 0] + 1e9) > 0.99

    def test_constant_columns(self):
        assert self.finite(np.ones((60, 2)), Y).model_.length == 1

    def test_integers_and_booleans(self):
        self.finite((10 * X).astype(int), (10 * Y).astype(int))
        self.finite(X > 0, Y)

    @pytest.mark.parametrize("operators", [("log",), ("sqrt", "log")])
    def test_where_hardly_any_formula_is_defined(self, operators):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            est = fitted(-np.abs(X), Y, operators=operators, min_length=2, coefficients=False, scaling=False)
        assert np.isfinite(est.predict(-np.abs(X))).all()

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_what_is_not_finite(self, bad):
        holed, broken = X.copy(), Y.copy()
        holed[3, 1] = broken[5] = bad
        for data in ((holed, Y), (X, broken)):
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                fitted(*data)
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            fitted().predict(holed)

    @pytest.mark.parametrize(
        "data", [(X, Y[:-1]), (X[0], Y), (X, np.stack([Y, Y], axis=1)), (X[:0], Y[:0]), (X[:, :0], Y)]
    )
    def test_wrong_shapes(self, data):
        with pytest.raises(ValueError):  # noqa: PT011 the words are scikit-learn's
            fitted(*data)


BAD = {
    "population_size": (1, "many", 2.5, True),
    "min_length": (0, "a", 99),
    "max_length": (0, 2.0),
    "retries": (-1, "x"),
    "subtree_size": (0, None),
    "tuning": ("gradient", None, 3),
    "tuning_steps": (0, None),
    "tuning_share": (-1, 1.5),
    "tuning_cases": (1, "a"),
    "max_cases": (1, "a"),
    "fresh_cases": (0, "a"),
    "short_share": (-0.1, "a"),
    "variations": (3, "grafts", {"seeds": 0.1}, {"grafts": -0.1}, {"grafts": 1.5}, {"grafts": "a"}, {"grafts": np.nan}),
    "shadow": ("yes", None),
    "planters": ("sums", None, ["cosines"], [3], [["sums"]], {"sums"}),
    "survival": ("fittest", None),
    "constant_share": (-0.1, 2, "a", None, np.nan),
    "constant_range": (None, (1,), (2, 1), ("a", "b"), (0, np.inf), (np.nan, 1), (None, 1), 5),
    "crossover": (-1, "a"),
    "point_rate": (2,),
    "mutations": (3, {"flip": 1}, {"point": -1}, {"point": "a"}, {"point": 0}, {"point": np.nan}, {"point": np.inf}),
    "generations": (-1, "a", 1.5),
    "time_limit": (0, -1, "a", np.nan),
    "target_error": (-1, None, np.nan, "a"),
    "n_jobs": (0, "a", 1.5),
    "coefficients": ("yes", 1),
    "scaling": (None,),
    "limit_outputs": (3,),
    "elitism": ("a",),
    "polish": (2,),
    "warm_start": ("no",),
    "progress": ("yes",),
    "resume": (1,),
    "on_interrupt": ("ignore", 1, None),
    "operators": ("add", [], ["plus"], [1], [["add"]], {"add"}),
    "selection": ("best", 3),
    "settings": (3, "paper", {"crossover": 0.5}),
    "loss": ("rmse", 3, lambda y: y, lambda y, p: y - p),
    "choose": ("best", None, 3, np.ones(3)),
    "noise": ("loud", None, 3, np.ones((3, 2))),
    "selection_options": (3, {"size": 7}),
    "redraw": ("yes", None),
    "min_child_length": (0, 1.5, None, 100),
    "guesses": ("k*x", 3, None, [3], ["k*"]),
    "units": ("meter", 3),
    "target_unit": (3,),
    "constant_units": ("some", None, 3),
    "constants": (3, True, {"g": 0.0}, {"g": "9.81"}, {"2g": 9.81}, {"g": np.inf}, ["g"]),
    "constraints": ("increasing in x0", 3, None, [3], ["growing in x0"]),
    "domain": (3, "x0=0:1", {"x0": 1.0}),
    "form": (3, "x0", "f(x0", "f(q)"),
    "groups": (3, "q"),
    "per_group": ("a", 3, ["a"]),
    "islands": (0, 1.5, "two"),
    "dask": (3, ""),
    "nesting": (3, {"sinus": ["cos"]}),
    "costs": (3, {"sin": 0}),
    "whole_exponents": ("yes", None),
    "required": ("x0", ["q"]),
    "forbidden": ("x0", ["q"]),
    "callbacks": (3, [3], "abc", lambda state: None),
    "checkpoint": (3,),
    "checkpoint_every": (-1, "a", None),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_a_bad_parameter_is_named(name, value):
    """A parameter at `fit`, as scikit-learn has it, a setting at once; and with what was expected."""
    word = "options of lex_e_mad" if (name, value) == ("selection_options", {"size": 7}) else name
    with pytest.raises(ValueError, match=rf"(^|[ ,]){word}[:,].*(expected|got)"):
        make(**{**SMALL, name: value}).fit(X, Y)


@pytest.mark.parametrize(
    ("selection", "options"),
    [
        ("lex_e_mad", {"size": 3}), ("lex_e_mad", {"pool_size": 0}), ("lex_e_mad", {"pool_size": "all"}),
        ("lex_e_mad", {"case_order": "hardest"}), ("lex_e_mad", {"downsample": -1}), ("lex_e_mad", {"downsample": "a"}),
        ("lex_e_mad", {"neighbourhood": 1.5}), ("lex_y", {"epsilon": "a"}), ("lex_e", {"epsilon": -1}),
        ("tournament", {"tournament_size": 0}), ("tournament", {"tournament_size": "two"}), ("random", {"epsilon": 1}),
    ],
)  # fmt: skip
def test_a_bad_option_is_named(selection, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        SymbolicRegressor(**SMALL, settings=Settings(selection=selection, selection_options=options)).fit(X, Y)


def test_every_parameter_is_checked():
    """A new parameter needs a line above, or a reason not to have one."""
    assert set(SymbolicRegressor().get_params(deep=False)) - {"random_state"} <= set(BAD)
    assert set(Settings().get_params()) <= set(BAD)


class TestSettings:
    def test_parameters_are_few(self):
        assert len(SymbolicRegressor().get_params(deep=False)) <= 33

    def test_in_a_grid_search_and_a_pipeline(self):
        grid = [
            {"symbolicregressor__settings__crossover": [0.2], "symbolicregressor__max_length": [9]},
            {"symbolicregressor__settings__crossover": [0.9], "symbolicregressor__selection": ["tournament"]},
        ]
        found = GridSearchCV(make_pipeline(StandardScaler(), SymbolicRegressor(**SMALL)), grid, cv=2).fit(X, Y)
        best = found.best_estimator_[-1].settings_
        assert (best.crossover, best.max_length, best.selection) in ((0.2, 9, "lex_e_mad"), (0.9, 50, "tournament"))
        assert best.crossover == found.best_params_["symbolicregressor__settings__crossover"]
        assert found.score(X, Y) > 0.5

    def test_nested_names_are_read_and_set(self):
        est = SymbolicRegressor(settings=Settings(crossover=0.4))
        assert est.get_params()["settings__crossover"] == 0.4
        assert est.set_params(settings__retries=7).settings == Settings(crossover=0.4, retries=7)
        assert SymbolicRegressor().set_params(settings__crossover=0.1).settings == Settings(crossover=0.1)
        assert clone(est).settings is est.settings

    def test_an_unknown_setting_is_named(self):
        with pytest.raises(ValueError, match=r"settings: expected one of .*; got 'crosover'"):
            SymbolicRegressor().set_params(settings__crosover=0.1)

    @pytest.mark.parametrize(("name", "one", "two"), [("max_length", 20, 30), ("selection", "lex", "tournament")])
    def test_a_setting_given_twice_is_named(self, name, one, two):
        est = SymbolicRegressor(**SMALL | {name: one}, settings=Settings(**{name: two}))
        with pytest.raises(ValueError, match=f"{name}: expected it as a parameter or in settings"):
            est.fit(X, Y)

    def test_the_paper_takes_both_kinds(self):
        est = SymbolicRegressor.paper(selection="lex", crossover=0.7, n_jobs=2, generations=5)
        assert est.settings == Settings.paper(selection="lex", crossover=0.7)
        assert (est.n_jobs, est.generations) == (2, 5)


class TestTimeLimit:
    """The limit is that of the whole fit: reading and choosing take their part of it."""

    @pytest.fixture
    def hour(self, monkeypatch):
        """A clock that stands still, and an answer that takes so many seconds."""
        from epsilex import searching

        monkeypatch.setattr(searching.time, "perf_counter", lambda: 1000.0)

        def seconds(limit, answer, spent=0.0):
            monkeypatch.setattr(searching, "seconds_to_answer", lambda rows: answer)
            return SymbolicRegressor(time_limit=limit)._seconds(1000.0 - spent, None)

        return seconds

    def test_no_limit(self, hour):
        assert hour(None, 5.0) is None

    @pytest.mark.parametrize(
        ("limit", "answer", "spent", "left"),
        [
            (10.0, 0.5, 0.0, 10.0),  # within the second that a fit may be late
            (10.0, 1.8, 0.0, 9.0),
            (10.0, 1.8, 2.0, 7.0),
            (100.0, 6.0, 0.0, 98.0),  # 5% of it are more than a second
            (2.0, 60.0, 5.0, 1.0),  # the search has half of the time at least
        ],
    )
    def test_seconds_of_the_search(self, hour, limit, answer, spent, left):
        assert hour(limit, answer, spent) == pytest.approx(left)
