"""The loop and its parts: settings, measuring, tuning, survival, archive, history, and when a search stops."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import naive
from epsilex.evolution import Cases, Run, Settings, State, Stop, evolve, search
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.history import frame
from epsilex.evolution.observers.observer import Callback
from epsilex.evolution.survival.generational import generational
from epsilex.evolution.survival.pareto import best_of, crowding
from epsilex.evolution.tuning.hill_climbing import hill_climb
from epsilex.evolution.tuning.levenberg_marquardt import tune, tune_constants
from epsilex.kernels.pareto import front_ranks
from epsilex.programs import Programs
from epsilex.programs.evaluation import evaluate
from epsilex.selection.afp import survive

X = np.random.default_rng(0).normal(size=(70, 3))
Y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
HOW = {"scaling": False, "limited": False}


def paper(**changes):
    return Settings.paper(**{"population_size": 40, "max_length": 20, "seed": 1, **changes})


def states(n, settings=None, cases=None, state=None):
    loop = evolve(Run(cases or Cases.from_arrays(X, Y), settings or paper()), state)
    return [next(loop) for _ in range(n)]


class TestSettings:
    def test_table_1(self):
        """Every line of the paper's Table 1, and the authors' program where the paper is silent."""
        table = Settings.paper()
        assert table.population_size == 1000
        assert table.crossover == 0.8
        assert table.mutations == {"point": 1.0}
        assert (table.min_length, table.max_length) == (3, 50)
        assert table.constant_range == (-1.0, 1.0)
        assert table.operators == ("add", "sub", "mul", "pdiv", "sin", "cos", "exp", "plog")
        assert table.elitism
        assert table.loss == "mae"
        assert table.tuning == "hill_climbing"
        assert table.survival == "generational"
        assert not table.scaling
        assert not table.coefficients
        assert (table.point_rate, table.retries, table.limit_outputs) == (0.025, 0, True)
        assert (table.short_share, table.variations, table.planters) == (0.0, {}, ())  # what came after the paper
        assert (table.shadow, table.max_cases) == (False, None)

    def test_the_estimator_has_the_same_table_and_1000_generations(self):
        from epsilex import SymbolicRegressor

        est = SymbolicRegressor.paper(selection="lex_y", random_state=0, population_size=500)
        changed = Settings.paper(selection="lex_y", population_size=500)
        assert est.settings == changed
        assert (est.generations, est.time_limit, est.choose) == (1000, None, "accuracy")

    def test_frozen(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            Settings().population_size = 3

    @pytest.mark.parametrize(
        ("changes", "named"),
        [
            ({"population_size": 1}, "population_size: expected an integer of at least 2; got 1"),
            ({"min_length": 0}, "min_length"),
            ({"min_length": 9, "max_length": 8}, "min_length, max_length: .* got 9 and 8"),
            ({"operators": ()}, "operators: expected at least one"),
            ({"operators": ("plus",)}, "operators: expected names among .*; got 'plus'"),
            ({"selection": "best"}, "selection: expected one of .*; got 'best'"),
            ({"selection_options": {"size": 3}}, "options of lex_e_mad: expected .*; got size"),
            ({"crossover": 1.1}, "crossover: expected a number from 0 to 1; got 1.1"),
            ({"crossover": float("nan")}, "crossover"),
            ({"constant_share": -0.1}, "constant_share"),
            ({"point_rate": 2}, "point_rate"),
            ({"tuning_share": -1}, "tuning_share"),
            ({"constant_range": (1.0, -1.0)}, "constant_range: expected .* low <= high"),
            ({"tuning": "gradient"}, "tuning: expected one of none, .*; got 'gradient'"),
            ({"survival": "fittest"}, "survival: expected one of .*; got 'fittest'"),
            ({"mutations": {"flip": 1.0}}, "mutations: expected one of point, .*; got 'flip'"),
            ({"mutations": {"point": -1.0}}, "mutations: expected weights of at least 0"),
            ({"mutations": {"point": 0.0}}, "mutations: expected at least one weight above 0"),
            ({"variations": {"seeds": 0.1}}, "variations: expected one of grafts.*; got 'seeds'"),
            ({"variations": {"grafts": 1.5}}, "variations: expected shares from 0 to 1; got grafts=1.5"),
            ({"planters": ("cosines",)}, "planters: expected one of reductions, .*; got 'cosines'"),
            ({"selection": "afp"}, "survival: expected 'age_fitness' with the selection 'afp', .*; got 'pareto'"),
            ({"retries": -1}, "retries"),
            ({"subtree_size": 0}, "subtree_size"),
            ({"tuning_steps": 0}, "tuning_steps"),
        ],
    )
    def test_bad_settings(self, changes, named):
        with pytest.raises(ValueError, match=named):
            Settings(**{"selection": "lex_e_mad", **changes})

    def test_unknown_names(self):
        with pytest.raises(TypeError, match="colour"):
            Settings(colour="blue")


class TestMeasuring:
    """Errors and fitness of programs against NumPy."""

    P = Programs.from_nodes(
        [
            [(1, 0, 1.0)],
            [(1, 1, 0.5)],
            [(0, 0, 0.3)],
            [(1, 0, 1.0), (9, 0, 0.0)],
            [(1, 2, 9.0), (8, 0, 0.0), (8, 0, 0.0)],
        ],
        np.float32,
    )  # x0, 0.5*x1, 0.3, log(x0), exp(exp(9*x2))

    @pytest.mark.parametrize(
        ("loss", "function"),
        [
            ("mae", lambda y, p: np.abs(y - p)),
            ("mse", lambda y, p: (y - p) ** 2),
            ("huber", lambda y, p: np.where(np.abs(y - p) <= 1, 0.5 * (y - p) ** 2, np.abs(y - p) - 0.5)),
            (lambda y, p: np.abs(y - p) ** 1.5, lambda y, p: np.abs(y - p) ** 1.5),
        ],
    )
    @pytest.mark.parametrize("weighted", [False, True])
    def test_losses(self, loss, function, weighted):
        weight = np.random.default_rng(1).uniform(0.1, 3.0, 70) if weighted else None
        measured = Cases.from_arrays(X, Y, weight, loss).measure(self.P, **HOW)
        out = evaluate(self.P, X).astype(float)
        np.testing.assert_allclose(measured.errors[:3], function(Y, out[:3]), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(
            measured.fitness[:3], np.average(function(Y, out[:3]), axis=1, weights=weight), rtol=1e-5
        )
        np.testing.assert_allclose(measured.mae[:3], np.average(np.abs(Y - out[:3]), axis=1, weights=weight), rtol=1e-5)
        assert np.isinf(measured.fitness[3:]).all()
        assert np.isinf(measured.mae[3:]).all()

    def test_weights_are_relative(self):
        weight = np.random.default_rng(1).uniform(0.1, 3.0, 70)
        one, two = (Cases.from_arrays(X, Y, w).measure(self.P, **HOW).fitness for w in (weight, 8.0 * weight))
        np.testing.assert_array_equal(one, two)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_linear_scaling_is_least_squares(self, weighted):
        weight = np.random.default_rng(1).uniform(0.1, 3.0, 70) if weighted else np.ones(70)
        y = 3.0 * Y + 1000.0
        measured = Cases.from_arrays(X, y, weight).measure(self.P, scaling=True, limited=False)
        out = evaluate(self.P, X).astype(float)
        for i in range(2):
            slope, intercept = np.polyfit(out[i], y, 1, w=np.sqrt(weight))
            assert [measured.slope[i], measured.intercept[i]] == pytest.approx([slope, intercept], rel=1e-4)
            error = np.abs(y - slope * out[i] - intercept)
            assert measured.fitness[i] == pytest.approx(np.average(error, weights=weight), rel=1e-4)
        assert [measured.slope[2], measured.intercept[2]] == pytest.approx([0.0, np.average(y, weights=weight)])
        assert np.isinf(measured.fitness[3:]).all()

    def test_limited_outputs(self):
        """The paper's program: infinity becomes the largest float; NaN stays."""
        free, limited = (Cases.from_arrays(X, Y).measure(self.P, scaling=False, limited=f) for f in (False, True))
        overflow = np.isinf(evaluate(self.P, X)[4])
        assert overflow.any()
        assert np.isinf(free.errors[4][overflow]).all()
        np.testing.assert_allclose(limited.errors[4][overflow], np.finfo(np.float32).max, rtol=1e-6)
        assert np.isnan(limited.errors[3]).any()

    def test_hashes_tell_outputs_apart(self):
        twice = self.P.take([0, 1, 0, 2, 1])
        hashes = Cases.from_arrays(X, Y).measure(twice, **HOW).outputs
        assert hashes[0] == hashes[2]
        assert hashes[1] == hashes[4]
        assert len(set(hashes)) == 3

    def test_what_equals_a_parent_is_not_run_again(self):
        cases = Cases.from_arrays(X, Y)
        parents = cases.measure(self.P, **HOW)
        parents.fitness[0] = 123.0  # to be recognised
        children = cases.measure_new(self.P.take([1, 0, 2]), np.array([-1, 0, -1]), parents, **HOW)
        assert children.fitness[1] == 123.0
        np.testing.assert_array_equal(children.fitness[[0, 2]], parents.fitness[[1, 2]])

    @pytest.mark.parametrize("loss", ["rmse", "", None, 3])
    def test_unknown_loss(self, loss):
        with pytest.raises(ValueError, match="loss: expected one of mae, mse, huber"):
            Cases.from_arrays(X, Y, loss=loss)

    def test_negative_losses_are_refused(self):
        """Lexicase compares errors, of which 0 is the best."""
        with pytest.raises(ValueError, match="loss: expected values of at least 0"):
            Cases.from_arrays(X, Y, loss=lambda y, p: y - p)

    @pytest.mark.parametrize("loss", [lambda y: y, lambda y, p, w: y, lambda y, p: "error"])
    def test_losses_that_are_none(self, loss):
        with pytest.raises(ValueError, match="loss"):
            Cases.from_arrays(X, Y, loss=loss)


class TestHillClimbing:
    def test_never_worse_and_all_constants_at_once(self):
        cases, settings = Cases.from_arrays(X, Y), paper(population_size=200)
        population = states(1, settings)[0].population
        population.age = np.arange(200)
        before = population.take(np.arange(200))
        hill_climb(population, Run(cases, settings), 0)
        used = np.arange(before.programs.width) < before.programs.length[:, None]
        leaves = used & (before.programs.opcode == 0)
        assert population.evaluated == leaves.any(axis=1).sum()
        changed = (population.programs.constant != before.programs.constant).any(axis=1)
        assert 10 < changed.sum() < 200
        assert (population.fitness[changed] < before.fitness[changed]).all()
        assert (population.fitness[~changed] == before.fitness[~changed]).all()
        moved = population.programs.constant[changed] != before.programs.constant[changed]
        assert (moved == leaves[changed]).all()
        assert (population.age == np.arange(200)).all()
        assert (population.programs.opcode == before.programs.opcode).all()
        np.testing.assert_array_equal(
            population.fitness, cases.measure(population.programs, scaling=False, limited=True).fitness
        )

    def test_size_of_the_steps(self):
        from epsilex.kernels.variation import perturb_constants

        opcode, constant = np.zeros((1, 5000), np.uint8), np.full((1, 5000), 3.0, np.float32)
        out = np.empty_like(constant)
        perturb_constants(np.uint64(1), 0, 0, 0.1, opcode, constant, np.array([5000]), out, 0, 1)
        assert [out.mean(), out.std()] == pytest.approx([3.0, 0.3], abs=0.02)


class TestLevenbergMarquardt:
    def test_never_worse(self):
        settings = Settings(population_size=200, max_length=20, tuning_share=1.0, loss="mse", seed=1)
        cases = Cases.from_arrays(X, Y, loss="mse")
        children = states(1, settings, cases)[0].population
        before = children.take(np.arange(200))
        tune(children, Run(cases, settings), 0)
        assert children.evaluated == np.isfinite(before.fitness).sum()
        better = children.fitness < before.fitness
        assert better[np.isfinite(before.fitness)].mean() > 0.5
        assert (children.fitness[~better] == before.fitness[~better]).all()
        assert (children.programs.opcode == before.programs.opcode).all()
        assert np.isfinite(children.programs.constant).all()
        again = cases.measure(children.programs, scaling=True, limited=False)
        np.testing.assert_array_equal(children.fitness, again.fitness)

    @pytest.mark.parametrize("scaling", [False, True])
    def test_reaches_the_constants(self, scaling):
        """y = sin(1.5 x0) + 0.5 x1 from a start nearby."""
        target = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 1]
        nodes = [(1, 0, 1.2), (6, 0, 0.0), (1, 1, 0.8), (2, 0, 0.0)]
        p = Programs.from_nodes([nodes], np.float32)
        settings = Settings(scaling=scaling, tuning_steps=20)
        tune_constants(p, Cases.from_arrays(X, target).drawn(10**6, np.random.default_rng(0)), settings, 1)
        measured = Cases.from_arrays(X, target).measure(p, scaling=scaling, limited=False)
        assert p.constant[0, 0] == pytest.approx(1.5, abs=1e-3)
        assert measured.slope[0] * p.constant[0, 2] == pytest.approx(0.5, abs=1e-3)
        assert measured.fitness[0] < 1e-3

    def test_dependent_constants_and_undefined_programs(self):
        """x0*c*c*c has many best constants, log(x0) none; both come out with finite ones."""
        chained = [(1, 0, 1.1), (0, 0, 0.7), (4, 0, 0.0), (0, 0, 1.3), (4, 0, 0.0)]
        p = Programs.from_nodes([chained, [(1, 0, 2.0), (9, 0, 0.0)]], np.float32)
        cases = Cases.from_arrays(X, 3.0 * X[:, 0])
        tune_constants(p, cases.drawn(10**6, np.random.default_rng(0)), Settings(scaling=False, tuning_steps=20), 1)
        assert np.isfinite(p.constant).all()
        assert np.prod(p.constant[0, [0, 1, 3]]) == pytest.approx(3.0, rel=1e-3)
        assert p.constant[1, 0] == 2.0

    def test_exact_data_of_few_cases_drawn(self):
        p = Programs.from_nodes([[(1, 0, 1.0)]], np.float32)
        drawn = Cases.from_arrays(X, 3.0 * X[:, 0]).drawn(10, np.random.default_rng(0))
        tune_constants(p, drawn, Settings(scaling=False, tuning_steps=10), 1)
        assert p.constant[0, 0] == pytest.approx(3.0, rel=1e-5)


class TestFronts:
    @hypothesis_settings(max_examples=150, deadline=None)
    @given(data=st.data())
    def test_ranks(self, data):
        n = data.draw(st.integers(1, 25))
        f, g = (np.array(data.draw(st.lists(st.integers(0, 6).map(float), min_size=n, max_size=n))) for _ in range(2))
        rank = np.empty(n, np.int64)
        front_ranks(f, g, np.lexsort((g, f)), rank)
        assert rank.tolist() == naive.front_ranks(f, g)

    def test_crowding(self):
        f, g = np.array([0.0, 1.0, 2.0, 10.0]), np.array([9.0, 3.0, 2.0, 0.0])
        distance = crowding(f, g)
        assert distance[[0, 3]].tolist() == [np.inf, np.inf]
        assert distance[1:3] == pytest.approx([2 / 10 + 7 / 9, 9 / 10 + 3 / 9])

    def test_the_best_survives(self):
        settings = Settings(population_size=40, max_length=20, survival="pareto", tuning="none", seed=1)
        kept = [g.population.standing.min() for g in states(15, settings)]
        assert kept == sorted(kept, reverse=True)

    def test_pareto_keeps_the_first_fronts(self):
        """Those on fronts before the last that fits live on, nobody from a later one does, no outputs come twice."""
        how = {"population_size": 40, "operators": ("add", "mul", "sin")}
        parents, children = (states(1, Settings(seed=seed, **how))[0].population for seed in (1, 2))
        shortest = {}
        for p in (parents, children):
            for outputs, length, standing in zip(p.outputs, p.programs.length, p.standing, strict=True):
                if np.isfinite(standing):
                    shortest[outputs] = min(shortest.get(outputs, (np.inf, np.inf)), (length, standing))
        lengths, standings = zip(*shortest.values(), strict=True)
        rank = dict(zip(shortest, naive.front_ranks(standings, lengths), strict=True))
        last = sorted(rank.values())[39]
        kept = best_of(parents, children).outputs.tolist()
        assert len(kept) == len(set(kept)) == 40
        assert {o for o in rank if rank[o] < last} <= set(kept)
        assert all(rank[o] <= last for o in kept)


class TestElitism:
    def population(self, fitness, seed):
        p = Cases.from_arrays(X, Y).measure(
            Programs.from_nodes([[(0, 0, float(seed))]] * len(fitness), np.float32), **HOW
        )
        p.fitness = np.array(fitness)
        return p

    def survivors(self, parents, children, elitism=True):
        run = Run(Cases.from_arrays(X, Y), paper(elitism=elitism))
        state = State(1, self.population(parents, 1), 0, np.empty(0))
        return generational(self.population(children, 2), None, state, run)

    def test_the_best_parent_takes_the_place_of_the_worst_child(self):
        after = self.survivors([3.0, 1.0, 2.0], [5.0, 2.0, 4.0])
        assert after.fitness.tolist() == [1.0, 2.0, 4.0]
        assert after.programs.constant[:, 0].tolist() == [1.0, 2.0, 2.0]

    def test_not_where_a_child_is_as_good(self):
        after = self.survivors([3.0, 1.0, 2.0], [5.0, 1.0, 4.0])
        assert after.fitness.tolist() == [5.0, 1.0, 4.0]

    def test_not_where_it_is_not_wanted(self):
        after = self.survivors([3.0, 1.0, 2.0], [5.0, 2.0, 4.0], elitism=False)
        assert after.fitness.tolist() == [5.0, 2.0, 4.0]

    def test_the_best_is_never_lost(self):
        for selection in ("random", "tournament", "lex_e_mad"):
            kept = [g.population.fitness.min() for g in states(15, paper(selection=selection))]
            assert kept == sorted(kept, reverse=True)

    def test_it_is_lost_without(self):
        lost = [g.population.fitness.min() for g in states(15, paper(selection="random", elitism=False, tuning="none"))]
        assert lost != sorted(lost, reverse=True)


class TestAgeFitnessPareto:
    @hypothesis_settings(max_examples=150, deadline=None)
    @given(data=st.data())
    def test_small_sets_with_ties(self, data):
        size = data.draw(st.integers(1, 14))
        n = data.draw(st.integers(1, size))
        fitness = data.draw(st.lists(st.integers(0, 8).map(lambda v: v * 0.25), min_size=size, max_size=size))
        age = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
        assert survive(np.array(fitness), np.array(age), n).tolist() == naive.spea2(fitness, age, n)

    @pytest.mark.parametrize("seed", range(6))
    def test_larger_sets(self, seed):
        rng = np.random.default_rng(seed)
        fitness, age = rng.random(61), rng.integers(0, 30, 61)
        if seed % 2:  # a long front that has to be truncated
            fitness = 1.0 / (1.0 + age) + 1e-3 * rng.random(61) * (seed > 2)
        for n in (1, 20, 30, 60, 61):
            assert survive(fitness, age, n).tolist() == naive.spea2(fitness, age, n)

    def test_non_finite_fitness_goes_first(self):
        fitness = np.array([np.inf, 1.0, np.nan, 2.0, np.inf, 0.5])
        kept = survive(fitness, np.zeros(6), 3)
        assert kept.tolist() == [1, 3, 5]

    def test_nobody_is_finite(self):
        assert len(survive(np.full(5, np.inf), np.arange(5), 3)) == 3

    def test_ages(self):
        """One newcomer of age 0 a generation; whoever comes from the start is as old as the search."""
        seen_young = 0
        for state in states(12, paper(selection="afp", population_size=20)):
            age = state.population.age
            assert 0 <= age.min() <= age.max() <= state.generation
            assert len(age) == 20
            seen_young += state.generation > 0 and age.min() < state.generation
        assert seen_young > 5

    def test_one_newcomer_is_evaluated_too(self):
        start, first = states(2, paper(selection="afp", tuning="none", crossover=0.0, point_rate=1.0))
        assert start.evaluations == 40
        assert 40 < first.evaluations <= 80


class TestLoop:
    def test_indices_and_sizes(self):
        for k, g in enumerate(states(4)):
            assert g.generation == k
            assert len(g.population) == 40
            assert g.population.errors.shape == (40, 70)
            assert len(g.cases_used) == (40 if k else 0)

    def test_cases_used(self):
        lex, epsilon, none = (states(4, paper(selection=s))[-1].cases_used for s in ("lex", "lex_e_mad", "tournament"))
        assert 1 / 70 <= lex.min() <= lex.max() <= 1.0
        assert lex.mean() < epsilon.mean()
        assert (none == 0).all()

    @pytest.mark.parametrize("selection", ["lex_e_mad", "lex_semi", "afp", "tournament"])
    def test_continues_from_any_generation(self, selection):
        whole = states(7, paper(selection=selection))
        part = states(3, paper(selection=selection))[-1]
        again = states(4, paper(selection=selection), state=part)
        for one, two in zip(whole[3:], again, strict=True):
            assert one.generation == two.generation
            assert one.evaluations == two.evaluations
            for name, array in one.population.arrays().items():
                assert array.tobytes() == two.population.arrays()[name].tobytes(), name

    def test_seeds_differ(self):
        one, two = (states(2, paper(seed=seed))[-1].population for seed in (1, 2))
        assert one.programs.opcode.tobytes() != two.programs.opcode.tobytes()

    def test_options_reach_the_selection(self):
        used = states(3, paper(selection_options={"downsample": 5}))[-1].cases_used
        assert set(np.rint(used * 5)) <= {0, 1, 2, 3, 4, 5}

    def test_own_selection(self):
        def first_two(errors, n, rng):
            return np.arange(n) % 2

        last = states(3, paper(selection=first_two))[-1]
        assert len(last.population) == 40

    def test_it_learns(self):
        cases = Cases.from_arrays(X, X[:, 0] + X[:, 1])
        best = [g.population.fitness.min() for g in states(20, paper(population_size=200), cases)]
        assert best[-1] < 0.5 * best[0]


class TestArchive:
    def test_the_fittest_of_each_length(self):
        archive = Archive(20)
        least = np.full(21, np.inf)
        for g in states(6):
            archive.update(g.population)
            np.minimum.at(least, g.population.programs.length, g.population.fitness)
        assert (archive.fitness == least).all()
        assert (archive.programs.length[archive.taken] == archive.taken).all()
        measured = Cases.from_arrays(X, Y).measure(archive.programs.take(archive.taken), scaling=False, limited=True)
        np.testing.assert_array_equal(measured.fitness, least[archive.taken])

    def test_front(self):
        archive = Archive(6)
        archive.standing[:] = [np.inf, 5.0, 6.0, 4.0, np.inf, 4.0, 1.0]
        assert archive.taken.tolist() == [1, 2, 3, 5, 6]
        assert archive.front.tolist() == [1, 3, 6]

    def test_nobody(self):
        assert len(Archive(5).front) == 0


class TestHistory:
    COLUMNS = (
        "generation", "best_mae", "median_mae", "cases_used", "cases_used_mean", "diversity", "mean_length",
        "evaluations", "seconds", "seconds_select", "seconds_vary", "seconds_evaluate", "seconds_tune",
        "seconds_survive",
    )  # fmt: skip

    def test_columns(self):
        found = search(Cases.from_arrays(X, Y), paper(), Stop(generations=5))
        table = frame(found.rows)
        assert tuple(table.columns) == self.COLUMNS
        assert table["generation"].tolist() == list(range(6))
        assert table["best_mae"].is_monotonic_decreasing
        assert (table["median_mae"] >= table["best_mae"]).all()
        assert table["diversity"].between(1 / 40, 1.0).all()
        assert table["mean_length"].between(1, 20).all()
        assert table["evaluations"].is_monotonic_increasing
        assert table["seconds"].is_monotonic_increasing
        parts = [column for column in self.COLUMNS if column.startswith("seconds_")]
        assert (table[parts].sum(axis=1) <= table["seconds"] + 1e-6).all()
        assert (table[parts].diff().dropna() >= 0).all().all()

    def test_values(self):
        found = search(Cases.from_arrays(X, Y), paper(), Stop(generations=3))
        row, last = found.rows[-1], found.state
        assert row["best_mae"] == last.population.mae.min()
        assert row["median_mae"] == np.median(last.population.mae)
        assert row["cases_used"] == np.median(last.cases_used)
        assert row["cases_used_mean"] == pytest.approx(last.cases_used.mean())
        outputs = evaluate(last.population.programs, X)
        assert row["diversity"] == len({o.tobytes() for o in outputs}) / 40


class Watcher:
    """An observer that says what it is told to say at some generations."""

    def __init__(self, words):
        self.words, self.seen, self.ended = words, [], []

    def see(self, state, archive):
        self.seen.append((state.generation, len(archive.taken)))
        return self.words.get(state.generation)

    def end(self, state, archive):
        self.ended.append(state.generation)


class TestStopping:
    CASES = Cases.from_arrays(X, Y)

    def test_generations(self):
        found = search(self.CASES, paper(), Stop(generations=3))
        assert (found.reason, found.state.generation, len(found.rows)) == ("generations", 3, 4)

    def test_no_generations_is_the_random_start(self):
        found = search(self.CASES, paper(), Stop(generations=0))
        assert (found.state.generation, len(found.rows)) == (0, 1)

    def test_time(self):
        found = search(self.CASES, paper(), Stop(seconds=0.3))
        assert found.reason == "time"
        seconds = [row["seconds"] for row in found.rows]
        paces = [0.0, *np.diff(seconds)]
        over = [at + 0.5 * pace >= 0.3 for at, pace in zip(seconds, paces, strict=True)]
        assert over.index(True) == len(over) - 1  # the generation that ends nearest to the limit is the last

    def test_target(self):
        cases = Cases.from_arrays(X, X[:, 1])
        found = search(cases, paper(), Stop(generations=500, target=1e-3))
        assert found.reason == "target"
        assert found.state.population.fitness.min() <= 1e-3

    def test_an_observer_stops_with_its_own_reason(self):
        observer = Watcher({2: "enough"})
        found = search(self.CASES, paper(), Stop(generations=50), observers=[observer])
        assert (found.reason, found.state.generation) == ("enough", 2)
        assert [generation for generation, _ in observer.seen] == [0, 1, 2]
        assert observer.seen[-1][1] > 0
        assert observer.ended == [2]

    def test_an_interrupt_comes_before_other_reasons(self):
        observers = [Watcher({1: "enough"}), Watcher({1: "interrupt"}), Watcher({})]
        found = search(self.CASES, paper(), Stop(generations=1), observers=observers)
        assert found.reason == "interrupt"
        assert [observer.ended for observer in observers] == [[1]] * 3

    def test_callback(self):
        found = search(self.CASES, paper(), Stop(generations=50), observers=[Callback(lambda s: s.generation == 2)])
        assert (found.reason, found.state.generation) == ("callback", 2)

    def test_only_true_stops(self):
        own = [Callback(lambda state: 1), Callback(lambda state: "yes")]
        found = search(self.CASES, paper(), Stop(generations=2), observers=own)
        assert found.reason == "generations"

    @pytest.mark.parametrize(
        ("changes", "named"),
        [
            ({"generations": -1}, "generations: expected at least 0; got -1"),
            ({"seconds": 0}, "time_limit: expected more than 0 seconds; got 0"),
            ({"seconds": float("nan")}, "time_limit"),
            ({}, "generations, time_limit: expected at least one"),
        ],
    )
    def test_bad_stops(self, changes, named):
        with pytest.raises(ValueError, match=named):
            Stop(**changes)

    def test_continues_in_memory(self):
        part = search(self.CASES, paper(), Stop(generations=3))
        again = search(self.CASES, paper(), Stop(generations=6), begin=part)
        whole = search(self.CASES, paper(), Stop(generations=6))
        assert [r["best_mae"] for r in again.rows] == [r["best_mae"] for r in whole.rows]
        assert again.archive.fitness.tobytes() == whole.archive.fitness.tobytes()
