"""The ridge regression that a formula must be better than where rows are few."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from epsilex import SymbolicRegressor
from epsilex.data.noise import Noise, possible
from epsilex.data.rows import Rows
from epsilex.evolution.settings import Settings
from epsilex.models.answer import answer
from epsilex.models.choice.language import Language
from epsilex.models.choice.linear import FEW, LEAST, PENALTIES, gain, left_out, reference
from epsilex.models.front import Scorer
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse

NAMES = ["a", "b", "c"]


def linear_rows(n=40, noise=1.0, seed=0) -> Rows:
    """All three columns matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, -3.0]
    return Rows(X, X @ [2.0, 0.3, 15.0] + 7.0 + noise * rng.normal(size=n), np.ones(n))


def convinces(program, over, rows) -> bool:
    language = Language(Settings.operators, rows.X.shape[1])
    noises = possible("auto", rows)
    return gain(program, over, rows, noises, language, noises[0]) > 0.0


def squared(y, prediction):
    return (y - prediction) ** 2


def test_a_derivative_whose_square_overflows_is_that_of_a_fixed_number():
    rows = linear_rows()
    predictions = left_out(parse("a/1e-80 + 2.1*b", NAMES), rows.X, Noise.of("additive", rows))
    assert np.isfinite(predictions).all()


class TestReference:
    def test_it_is_ridge_with_cross_validation(self):
        rows = linear_rows()
        theirs = make_pipeline(StandardScaler(), RidgeCV(PENALTIES)).fit(rows.X, rows.y)
        found = reference(rows, 50)
        np.testing.assert_allclose(evaluate64(found.nodes, rows.X), theirs.predict(rows.X), rtol=1e-10)

    def test_errors_with_their_rows_left_out_are_those_of_a_fit_without_them(self):
        rows = linear_rows(n=12)
        found = reference(rows, 50)
        centre, spread = rows.X.mean(axis=0), rows.X.std(axis=0)
        Z, y = (rows.X - centre) / spread, rows.y - rows.y.mean()
        for penalty in PENALTIES:
            design = np.column_stack([Z, np.ones(len(y))])
            shrink = penalty * np.diag([1.0, 1.0, 1.0, 0.0])
            errors = []
            for i in range(len(y)):
                others = np.arange(len(y)) != i
                a = design[others]
                errors.append(y[i] - design[i] @ np.linalg.solve(a.T @ a + shrink, a.T @ y[others]))
            if np.allclose(errors, found.left_out, rtol=1e-6):
                return
        pytest.fail("no penalty gives these errors")

    def test_weights_count_as_equal_rows_do(self):
        rows = linear_rows(n=20)
        times = np.random.default_rng(1).integers(1, 4, size=20)
        weighted = reference(Rows(rows.X, rows.y, 5.0 * times), 50)
        theirs = make_pipeline(StandardScaler(), RidgeCV(PENALTIES))
        many = Rows(np.repeat(rows.X, times, axis=0), np.repeat(rows.y, times), np.ones(times.sum()))
        theirs.fit(many.X, many.y)
        np.testing.assert_allclose(evaluate64(weighted.nodes, rows.X), theirs.predict(rows.X), rtol=0.02)

    def test_two_equal_rows_made_one_do_not_change_the_penalty(self):
        rows = linear_rows(n=30)
        one = reference(Rows(rows.X, rows.y, np.where(np.arange(30) == 3, 2.0, 1.0)), 50)
        theirs = make_pipeline(StandardScaler(), RidgeCV(PENALTIES))
        theirs.fit(np.vstack([rows.X, rows.X[3]]), np.append(rows.y, rows.y[3]))
        np.testing.assert_allclose(evaluate64(one.nodes, rows.X), theirs.predict(rows.X), rtol=1e-10)

    def test_columns_that_hardly_matter_are_left_out(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 20))
        found = reference(Rows(X, 5.0 * X[:, 3] + 0.002 * rng.normal(size=60), np.ones(60)), 50)
        assert len(found.nodes) == 3
        assert found.nodes[1][1] == 3

    def test_the_mean_where_nothing_is_known(self):
        rng = np.random.default_rng(0)
        found = reference(Rows(rng.normal(size=(40, 300)), rng.normal(size=40), np.ones(40)), 50)
        assert len(found.nodes) == 1

    def test_no_longer_than_allowed(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 30))
        y = X.sum(axis=1)
        assert len(reference(Rows(X, y, np.ones(60)), 21).nodes) <= 21
        assert reference(Rows(X, y, np.ones(60)), 2) is None

    def test_a_few_of_thousands_of_columns_only_where_they_foretell(self):
        def r2(seed, matter):
            X = np.random.default_rng(seed).normal(size=(560, 2000))
            y = X[:, :matter].sum(axis=1) / np.sqrt(matter)
            found = reference(Rows(X[:60], y[:60], np.ones(60)), 50)
            rest = y[60:] - evaluate64(found.nodes, X[60:])
            return 1.0 - (rest**2).mean() / y[60:].var(), len(found.nodes)

        every = [r2(seed, 2000) for seed in range(6)]
        assert np.mean([score for score, _ in every]) > -0.1  # 24 columns picked by all rows: -0.18
        assert np.median([length for _, length in every]) == 1
        assert all(score > 0.1 for score, _ in (r2(seed, 2) for seed in range(3)))

    @pytest.mark.parametrize("n", [LEAST - 1, FEW + 1])
    def test_none_for_many_rows_or_next_to_none(self, n):
        assert reference(linear_rows(n), 50) is None

    def test_constant_columns(self):
        rows = linear_rows()
        same = Rows(np.full_like(rows.X, 1e6), rows.y, rows.weight)
        assert reference(same, 50).nodes == [(0, 0, pytest.approx(rows.y.mean()))]
        y = rows.y + 30.0 * rows.X[:, 2]
        one = Rows(np.column_stack([same.X[:, 0], rows.X[:, 2]]), y, rows.weight)
        assert {column for code, column, _ in reference(one, 50).nodes} == {0, 1}  # 0 of constants and operators
        assert len(reference(one, 50).nodes) == 3


class TestLeftOut:
    def test_exact_for_programs_that_are_linear_in_their_constants(self):
        rows = linear_rows(n=15)
        design = np.column_stack([rows.X[:, 0], np.sin(rows.X[:, 1]), np.ones(15)])
        constants = np.linalg.lstsq(design, rows.y, rcond=None)[0]
        program = parse("{!r}*a + {!r}*sin(b) + {!r}".format(*map(float, constants)), NAMES)
        errors = rows.y - left_out(program, rows.X, Noise.of("additive", rows))
        # the coefficient within the sine is a constant too: its derivative makes the leverage larger
        assert (np.abs(errors) >= np.abs(rows.y - evaluate64(program, rows.X)) - 1e-12).all()
        line = np.linalg.lstsq(design[:, [0, 2]], rows.y, rcond=None)[0]
        program = parse("{!r}*a + {!r}".format(*map(float, line)), NAMES)
        errors = rows.y - left_out(program, rows.X, Noise.of("additive", rows))
        for i in range(15):
            others = np.arange(15) != i
            fit = np.linalg.lstsq(design[others][:, [0, 2]], rows.y[others], rcond=None)[0]
            assert errors[i] == pytest.approx(rows.y[i] - design[i, [0, 2]] @ fit, rel=1e-8)

    def test_under_relative_noise_they_are_of_fits_to_logarithms(self):
        rng = np.random.default_rng(0)
        X = np.exp(rng.uniform(0, 6, (15, 1)))
        rows = Rows(X, 3.0 * X[:, 0] ** 1.5 * np.exp(0.1 * rng.normal(size=15)), np.ones(15))
        design = np.column_stack([np.log(X[:, 0]), np.ones(15)])
        power, log_factor = np.linalg.lstsq(design, np.log(rows.y), rcond=None)[0].tolist()
        program = parse(f"exp({power!r}*log(a) + {log_factor!r})", ["a"])
        found = left_out(program, rows.X, Noise.of("relative", rows))
        for i in range(15):
            others = np.arange(15) != i
            fit = np.linalg.lstsq(design[others], np.log(rows.y[others]), rcond=None)[0]
            assert found[i] == pytest.approx(np.exp(design[i] @ fit), rel=1e-8)

    def test_as_many_constants_as_rows_convince_nobody(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(LEAST, 3))
        rows = Rows(X, rng.normal(size=LEAST), np.ones(LEAST))
        program = parse("a + b + c + 0.1*a*b + 0.1*b*c + 0.1*a*c + 0.1*a*a + 1", NAMES)
        assert not convinces(program, reference(rows, 50), rows)


class TestConvinces:
    def test_a_law_does(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(1, 3, (40, 3))
        rows = Rows(X, X[:, 0] * X[:, 1] / X[:, 2] + 0.05 * rng.normal(size=40), np.ones(40))
        found = reference(rows, 50)
        assert convinces(parse("a*b/c", NAMES), found, rows)
        assert not convinces(parse("a*b", NAMES), found, rows)

    def test_one_under_relative_noise_does_though_large_values_scatter(self):
        rng = np.random.default_rng(0)
        X = np.exp(rng.uniform(0, 8, (40, 1)))
        y = 3.0 * X[:, 0] ** 0.75 * np.exp(0.2 * rng.normal(size=40))
        rows = Rows(X, y, np.ones(40))
        program, over = parse("3.01*exp(0.751*log(a))", ["a"]), reference(rows, 50)
        language = Language(Settings.operators, 1)
        relative = Noise.of("relative", rows)
        by_noise = {
            kind: gain(program, over, rows, possible(kind, rows), language, relative) for kind in ("additive", "auto")
        }
        assert by_noise["auto"] > by_noise["additive"]

    def test_one_with_few_dominant_values_does(self):
        rng = np.random.default_rng(9)
        X = np.exp(rng.uniform(np.log(5), np.log(500), (60, 3)))
        y = 0.05 * X[:, 0] * X[:, 1] / X[:, 2] ** 1.2 * np.exp(0.1 * rng.normal(size=60))
        rows = Rows(X, y, np.ones(60))
        program, noises = parse("0.0505*a*b/exp(1.201*log(c))", NAMES), possible("auto", rows)
        language = Language(Settings.operators, 3)
        assert gain(program, reference(rows, 50), rows, noises, language, noises[1]) > 20.0

    def test_ten_rows_are_enough_for_an_exact_one(self):
        X = np.random.default_rng(0).uniform(1, 3, (10, 3))
        rows = Rows(X, X[:, 0] * X[:, 1] / X[:, 2], np.ones(10))
        assert convinces(parse("a*b/c", NAMES), reference(rows, 50), rows)

    def test_every_node_has_its_price_the_less_the_more_rows(self):
        def convinced(n, more):
            rng = np.random.default_rng(0)
            X = rng.normal(size=(n, 3))
            rows = Rows(X, X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=n), np.ones(n))
            return convinces(parse("a*b" + " + 0*sin(a)" * more, NAMES), reference(rows, 50), rows)

        assert [convinced(40, more) for more in (0, 2, 16)] == [True, True, False]
        assert convinced(300, 16)

    def test_a_leaf_costs_the_more_the_more_features_there_are(self):
        def convinced(more_columns, more_leaves):
            rng = np.random.default_rng(0)
            X = np.pad(rng.normal(size=(40, 3)), ((0, 0), (0, more_columns)))  # constant: the reference is the same
            rows = Rows(X, X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=40), np.ones(40))
            return convinces(parse("a*b" + " + 0*c" * more_leaves, NAMES), reference(rows, 50), rows)

        assert convinced(0, 10)
        assert [convinced(1000, more) for more in (0, 10)] == [True, False]

    def test_a_linear_formula_pays_half_for_naming_columns_beside_ridge_and_all_beside_the_mean(self):
        rows = linear_rows(noise=0.1)
        noises, language = possible("auto", rows), Language(Settings.operators, 3)
        ridge = reference(rows, 50)
        nodes = ridge.nodes
        assert gain(nodes, ridge, rows, noises, language, noises[0]) == pytest.approx(0.0, abs=1e-2)  # all three
        wider = Language(Settings.operators, 30)
        named = gain(nodes, ridge, rows, noises, wider, noises[0])
        assert named == pytest.approx(-0.5 * np.log(30 * 29 * 28 / 6), abs=1e-2)
        still = Rows(rows.X, np.random.default_rng(5).normal(size=40), rows.weight)
        mean = reference(still, 50)
        assert len(mean.nodes) == 1
        noises = possible("auto", still)
        assert gain(parse("0.01*a + 0.02", NAMES), mean, still, noises, language, noises[0]) < -5.0


class TestChoice:
    def test_the_linear_model_takes_the_place_of_its_length(self):
        rows = linear_rows()
        score = Scorer(NAMES, squared, rows)
        programs = [parse(text, NAMES) for text in ("7.1", "2.1*a + 7.1", "2.1*a*sin(b) + 7.1*c*a")]
        told = answer(programs, [], score, "description", False, 50)
        assert told.choice.linear
        assert told.models[told.chosen].formula.count("*") == 3
        lengths = [m.length for m in told.models]
        assert lengths == sorted(set(lengths))

    def test_noise_gets_no_formula(self):
        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(40, 4)), rng.normal(size=40)
        est = SymbolicRegressor(generations=30, time_limit=None, random_state=0).fit(X, y)
        assert est.model_ is est.models_[int(est.front_["chosen"].argmax())]
        fresh = np.random.default_rng(4).normal(size=(1000, 4))
        assert np.ptp(est.predict(fresh)) == 0.0
        assert "number" in est.choice_.text

    def test_a_law_of_few_rows_is_chosen(self):
        X = np.random.default_rng(0).uniform(1, 3, (30, 2))
        y = X[:, 0] / X[:, 1]
        est = SymbolicRegressor(generations=20, time_limit=None, random_state=0).fit(X, y)
        np.testing.assert_allclose(est.predict(X), y, rtol=1e-6)
