"""The modern parts: the Jacobian kernel and Levenberg-Marquardt, shadow rows, niches, pruning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from epsilex import SymbolicRegressor
from epsilex.data.shadow import limits, shadow_rows
from epsilex.evolution import Cases, Run, Settings, evolve
from epsilex.evolution.measuring.tameness import look_closer
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.tuning.levenberg_marquardt import tune_constants
from epsilex.evolution.variation.niches import niches
from epsilex.kernels.evaluating import in_blocks
from epsilex.kernels.jacobian import jacobian
from epsilex.programs import Programs
from epsilex.programs.algebra.pruning import prune
from epsilex.programs.gradient import constant_places, jacobian64
from epsilex.programs.machine import addresses
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, arities
from epsilex.programs.parser import parse
from strategies import N_FEATURES, programs, tame

SMOOTH = ("add", "sub", "mul", "div", "sin", "cos", "exp", "log", "sqrt", "square", "tanh", "inv", "neg")


def jacobian32(nodes, X, places):
    """Outputs (rows,) and derivatives (rows, places) by the kernel."""
    p = Programs.from_nodes([nodes], np.float32)
    blocks = in_blocks(X)
    n = blocks.shape[0] * blocks.shape[2]
    outputs, columns = np.empty(n, np.float32), np.empty((len(places), n), np.float32)
    table, slopes = addresses(p.opcode), addresses(p.opcode, slope=True)
    where = np.array(places, np.int64)
    jacobian(
        table, slopes, arities(), p.opcode[0], p.feature[0], p.constant[0], p.length[0], where, blocks, outputs, columns
    )
    return outputs[: len(X)], columns[:, : len(X)].T


class TestJacobian:
    @settings(deadline=None, max_examples=150)
    @given(nodes=programs(constants=tame, operators=SMOOTH))
    def test_kernel_against_float64(self, nodes):
        X = np.random.default_rng(0).uniform(0.5, 2.0, (40, N_FEATURES)).astype(np.float32).astype(np.float64)
        nodes = [(o, f, float(np.float32(c))) for o, f, c in nodes]
        places = constant_places(nodes)
        values, slopes = jacobian64(nodes, X, places)
        got_values, got = jacobian32(nodes, X, places)
        calm = np.isfinite(slopes).all(axis=1) & (np.abs(slopes) < 1e3).all(axis=1) & (np.abs(values) < 1e3)
        nudged = X * (1.0 + 1e-6)  # rows whose derivatives float32 cannot know are left out
        calm &= np.isclose(jacobian64(nodes, nudged, places)[1], slopes, rtol=1e-4, atol=1e-5).all(axis=1)
        assert np.allclose(got_values[calm], values[calm], rtol=1e-3, atol=1e-4)
        assert np.allclose(got[calm], slopes[calm], rtol=1e-2, atol=1e-3)

    def test_float64_against_differences(self):
        nodes = parse("1.5*sin(0.7*x0) + x1/(2.0 + x0)", n_features=2)
        X = np.random.default_rng(1).uniform(0.5, 2.0, (20, 2))
        places = constant_places(nodes)
        _, slopes = jacobian64(nodes, X, places)
        for q, k in enumerate(places):
            up, down = list(nodes), list(nodes)
            up[k] = (*nodes[k][:2], nodes[k][2] + 1e-6)
            down[k] = (*nodes[k][:2], nodes[k][2] - 1e-6)
            difference = (evaluate64(up, X) - evaluate64(down, X)) / 2e-6
            assert slopes[:, q] == pytest.approx(difference, rel=1e-6, abs=1e-7)


def tuned(text, X, y, **changes):
    nodes = parse(text, n_features=X.shape[1])
    p = Programs.from_nodes([nodes], np.float32)
    choices = Settings(tuning_steps=20, **changes)
    cases = Cases.from_arrays(X, y)
    before = cases.measure(p.copy(), scaling=choices.scaling, limited=False)
    tune_constants(p, cases.drawn(10**9, np.random.default_rng(0)), choices, 1)
    return p, before, cases.measure(p, scaling=choices.scaling, limited=False)


class TestLevenbergMarquardt:
    X = np.random.default_rng(2).uniform(0.2, 3.0, (300, 2))

    def test_finds_the_constants(self):
        y = np.exp(-1.3 * self.X[:, 0]) * np.sin(2.1 * self.X[:, 1])
        _, before, after = tuned("exp(-1.0*x0)*sin(2.0*x1)", self.X, y, scaling=False)
        assert after.fitness[0] < 1e-4 < before.fitness[0]

    def test_scaling_is_part_of_it(self):
        y = 7.0 - 40.0 * np.log(self.X[:, 0] + 0.5)
        _, _, after = tuned("log(x0 + 2.0)", self.X, y)
        assert after.fitness[0] < 1e-2
        assert after.slope[0] == pytest.approx(-40.0, rel=1e-2)

    @pytest.mark.parametrize("text", ["3.0", "x0 - x0", "log(-1.0*x0)", "0.0*x0 + 0.0*x1", "exp(exp(exp(9.0*x0)))"])
    def test_hopeless_programs_stay_as_they_are_or_get_better(self, text):
        _, before, after = tuned(text, self.X, self.X[:, 0])
        assert not after.fitness[0] > before.fitness[0] * (1 + 1e-6)

    def test_dependent_constants(self):
        _, before, after = tuned("1.5*x0 + 0.5*x0 + 1.0 + 2.0", self.X, 4.0 * self.X[:, 0] - 1.0, scaling=False)
        assert after.fitness[0] < before.fitness[0]


class TestShadow:
    X = np.random.default_rng(3).uniform(1.0, 2.0, (200, 3))

    def test_rows_are_likely_ones(self):
        rows = shadow_rows(self.X, seed=1)
        assert rows.shape == (128, 3)
        assert (rows > 0.95).all()
        assert (rows < 2.05).all()
        assert (rows < self.X.min(axis=0)).any(axis=0).all()
        assert (shadow_rows(self.X, seed=1) == rows).all()
        assert (shadow_rows(self.X, seed=2) != rows).any()

    def test_a_pole_is_seen(self):
        y = self.X[:, 0]
        cases = Cases.from_arrays(self.X, y, shadow=shadow_rows(self.X, 0))
        p = Programs.from_nodes([parse(text, n_features=3) for text in ("x0", "log(x0 - 1.0)")], np.float32)
        assert cases.measure(p, scaling=True, limited=False).tame.tolist() == [2, 0]

    def test_limits(self):
        assert limits(np.array([1.0, 3.0])) == (-1.0, 5.0)
        assert limits(np.array([-5.0, 1.0, 10.0])) == (-20.0, 25.0)

    def test_limits_of_a_skewed_target(self):
        y = np.array([-0.5, 1.0, 2.0, 4.0, 10.0])  # positive but for noise, its largest value five times its median
        assert limits(y) == (-11.0, 50.0)
        assert limits(-y) == (-50.0, 11.0)
        assert limits(y - 2.0, zero=-2.0) == (-13.0, 48.0)
        assert limits(np.array([0.0, 0.1, 100.0])) == (-100.0, 1000.0)

    def test_an_untamed_program_stands_lower(self):
        y = self.X[:, 0]
        cases = Cases.from_arrays(self.X, y, shadow=shadow_rows(self.X, 0))
        population = cases.measure(
            Programs.from_nodes([parse("log(x0 - 1.0)", n_features=3)], np.float32), scaling=True, limited=False
        )
        assert population.standing[0] == pytest.approx(1.25 * population.fitness[0])

    def test_what_is_wild_where_few_shadow_rows_lie(self):
        X = self.X
        far = np.tile([1.5, 1.5, 9.0], (50, 1))
        cases = Cases.from_arrays(
            X, X[:, 0], shadow=shadow_rows(X, 0), more_shadow=np.vstack([far[:1] - [0, 0, 7.5], far])
        )
        texts = ("x0", "x1", "x0 + 0*x2", "x0 + 0.001*exp(x2)", "x1 + 0.001*exp(x2)", "log(x0 - 1.0)")
        p = Programs.from_nodes([parse(text, n_features=3) for text in texts], np.float32)
        population = cases.measure(p, scaling=True, limited=False)
        assert population.tame.tolist() == [1, 1, 1, 1, 1, 0]
        look_closer(population, cases)
        assert population.tame.tolist() == [2, 2, 2, 0, 2, 0]
        archive = Archive(p.width)
        archive.update(population)
        assert archive.standing[1] == population.standing[0]

    def test_who_was_not_looked_at_waits(self):
        X = self.X
        cases = Cases.from_arrays(X, X[:, 0], shadow=shadow_rows(X, 0), more_shadow=X)
        p = Programs.from_nodes([parse(f"x0 + {k / 10}*x1", n_features=3) for k in range(5)], np.float32)
        population = cases.measure(p, scaling=True, limited=False)
        archive = Archive(p.width)
        archive.update(population)
        assert not len(archive.taken)
        look_closer(population, cases)
        assert population.tame.tolist() == [2, 2, 2, 1, 1]
        archive.update(population)
        assert archive.fitness[3] == population.fitness[0]


class TestNiches:
    def test_shares_and_limits(self):
        found = niches(np.arange(100) % 50 + 1, Settings(population_size=100, short_share=0.5))
        assert [s.n_parents for s in found] == [52, 24, 24]
        assert [s.max_length for s in found] == [50, 25, 12]
        assert len(found[2].members) == 24

    def test_the_paper_has_none(self):
        assert len(niches(np.full(1000, 3), Settings.paper())) == 1

    def test_children_stay_short(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(50, 2))
        choices = Settings(population_size=40, short_share=1.0, max_length=40, min_length=30)
        for state in evolve(Run(Cases.from_arrays(X, X[:, 0] * X[:, 1]), choices)):
            assert state.population.programs.length.max() <= 40
            if state.generation == 3:
                break


def test_no_formula_is_longer_than_asked_for():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 3))
    y = 5.0 + 3.0 * np.sin(X[:, 0]) * X[:, 1] + X[:, 2]
    est = SymbolicRegressor(max_length=12, population_size=100, generations=5, time_limit=None, random_state=0).fit(
        X, y
    )
    assert est.front_["length"].max() <= 12


class TestPruning:
    X = np.random.default_rng(6).uniform(1.0, 2.0, (50, 2))

    @pytest.mark.parametrize(
        ("text", "left"),
        [
            ("x0*x1 + 1e-17", "x0*x1"),
            ("x0 + 3e-18*x1", "x0"),
            ("x0 + 1e-5*x1", None),
            ("1e-9*exp(9.0*x0)", None),
            ("sin(x0 + 1e-16) - 2e-16", "sin(x0)"),
        ],
    )
    def test_only_what_does_not_matter(self, text, left):
        nodes = parse(text, n_features=2)
        result = prune(nodes, self.X, evaluate64)
        assert len(result) == (len(nodes) if left is None else len(parse(left, n_features=2)))
        assert evaluate64(result, self.X) == pytest.approx(evaluate64(nodes, self.X), rel=1e-12)


def test_leaves_are_features_or_constants():
    nodes = parse("2.0*x0 + 3.0", n_features=1)
    assert [nodes[k][0] for k in constant_places(nodes)] == [FEATURE, CONSTANT]


def test_a_short_formula_is_found_exactly():
    X = np.random.default_rng(7).uniform(1.0, 5.0, (300, 3))
    est = SymbolicRegressor(generations=40, time_limit=None, random_state=0).fit(X, X[:, 0] * X[:, 1] / X[:, 2])
    assert est.model_.metrics["r2"] > 1 - 1e-12
    assert est.model_.length <= 7
