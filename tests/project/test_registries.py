"""Registries: the contract that every member keeps, and a part of one's own by one registration."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.data.losses import LOSSES
from epsilex.data.noise import KINDS
from epsilex.data.rows import Rows
from epsilex.data.shadow import shadow_rows
from epsilex.evolution import Cases, Run, Settings, State, evolve
from epsilex.evolution.measuring import RecurrentCases
from epsilex.evolution.purposes import NEWCOMER, named_generator
from epsilex.evolution.survival import SURVIVALS
from epsilex.evolution.tuning import TUNERS, Tuner
from epsilex.evolution.variation import VARIATIONS
from epsilex.evolution.variation.start import start
from epsilex.models.choice.rule import Kept, Rule, picked
from epsilex.models.choice.rules import CHOICES
from epsilex.models.front import Scorer
from epsilex.planting import PLANTERS, Limits
from epsilex.programs import Programs
from epsilex.programs.operators import CONSTANT, FEATURE, opcodes
from epsilex.programs.parser import parse
from epsilex.registry import Registry
from estimators import make
from planted import by

REGISTRIES = {registry.noun: registry for registry in (SURVIVALS, TUNERS, VARIATIONS, PLANTERS, LOSSES, CHOICES)}
X = np.random.default_rng(0).uniform(0.5, 3.0, (90, 3))
Y = X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.1 * np.random.default_rng(1).normal(size=90)


def make_run(X=X, y=Y, loss="mae", **changes) -> Run:
    settings = Settings(**{"population_size": 41, "max_length": 20, "seed": 4, "loss": loss, **changes})
    return Run(Cases.from_arrays(X, y, None, loss, shadow_rows(X, 0), shadow_rows(X, 0, 500)), settings)


def after(run: Run, generations: int) -> State:
    return next(state for state in evolve(run) if state.generation == generations)


def individuals(*populations) -> list[tuple]:
    return [
        (tuple(p.programs.nodes(i)), p.fitness[i], p.errors[i].tobytes()) for p in populations for i in range(len(p))
    ]


def unchanged(state: State, before: State) -> bool:
    ours, theirs = state.population.arrays(), before.population.arrays()
    return all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)


class TestNames:
    @pytest.mark.parametrize("noun", REGISTRIES)
    def test_a_name_registered_twice_is_named(self, noun):
        registry = REGISTRIES[noun]
        before = dict(registry)
        name = next(iter(registry))
        with pytest.raises(ValueError, match=f"{noun}: expected a name that is not registered yet; got '{name}'"):
            registry.add(name, print)
        assert dict(registry) == before

    @pytest.mark.parametrize("noun", REGISTRIES)
    @pytest.mark.parametrize("name", ["nobody", "", None, 3, ["pareto"]])
    def test_an_unknown_name_is_told_the_known_ones(self, noun, name):
        registry = REGISTRIES[noun]
        named = f"{noun}: expected one of {', '.join(registry)}; got {name!r}"
        with pytest.raises(ValueError, match=re.escape(named)):
            registry.find(name)
        with pytest.raises(ValueError, match=re.escape(named)):
            registry.remove(name)

    def test_members_in_their_order(self):
        registry = Registry("letters", b=2)
        assert registry.add("a", 1) == 1
        assert dict(registry) == {"b": 2, "a": 1}
        assert list(registry) == ["b", "a"]
        registry.remove("b")
        assert dict(registry) == {"a": 1}
        registry.add("b", 3)
        assert registry["b"] == registry.find("b") == 3


@pytest.mark.parametrize("name", SURVIVALS)
@pytest.mark.parametrize("size", [2, 3, 41])
class TestSurvivals:
    def survived(self, name, size):
        run = make_run(survival=name, population_size=size, tuning="none")
        state = after(run, 3)
        before = copy.deepcopy(state)
        offspring = run.vary(state, run.select(state))
        children = run.measure(state, offspring)
        newcomer = run.measured(start(run.settings, 1, 3, state.generation, NEWCOMER))
        candidates, evaluated = individuals(state.population, children, newcomer), children.evaluated
        survivors = run.survive(state, children, offspring)
        assert unchanged(state, before)
        return run, candidates, evaluated, survivors

    def test_as_many_as_before_and_none_from_elsewhere(self, name, size):
        run, candidates, evaluated, survivors = self.survived(name, size)
        assert len(survivors) == size
        assert survivors.evaluated == evaluated
        survivors.programs.validate(3)
        assert set(individuals(survivors)) <= set(candidates)
        again = run.measured(survivors.programs)
        for column in ("errors", "fitness", "mae", "slope", "intercept", "outputs"):
            np.testing.assert_array_equal(getattr(survivors, column), getattr(again, column), err_msg=column)

    def test_the_same_again(self, name, size):
        one, two = (self.survived(name, size)[-1].arrays() for _ in range(2))
        assert all(one[column].tobytes() == two[column].tobytes() for column in one)


@pytest.mark.parametrize("name", TUNERS)
@pytest.mark.parametrize("part", ["children", "survivors"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scaling", [True, False])
def test_a_tuner_never_worsens_anyone(name, part, loss, scaling):
    run = make_run(tuning=name, loss=loss, scaling=scaling)
    population = after(run, 1).population
    population.age = np.arange(len(population))
    population.evaluated = 7
    before = copy.deepcopy(population)
    tune = getattr(TUNERS[name], part)
    if tune is not None:
        tune(population, run, 1)
    assert (population.fitness <= before.fitness).all()
    changed = (population.programs.constant != before.programs.constant).any(axis=1)
    assert (population.fitness[changed] < before.fitness[changed]).all()
    assert changed.any() == (tune is not None)
    assert (population.evaluated > 7) == (tune is not None)
    for array in ("opcode", "feature", "length"):
        np.testing.assert_array_equal(getattr(population.programs, array), getattr(before.programs, array))
    population.programs.validate(3)
    np.testing.assert_array_equal(population.age, before.age)
    again = run.measured(population.programs)
    np.testing.assert_array_equal(population.fitness, again.fitness)
    np.testing.assert_array_equal(population.errors, again.errors)


CASES = {
    "plain": {},
    "few rows": {"X": X[:3], "y": Y[:3]},
    "one feature": {"X": X[:, :1], "y": Y},
    "a constant target": {"y": np.ones(90)},
    "few operators": {"operators": ("add", "mul")},
    "one operator": {"operators": ("sin",)},
    "short": {"max_length": 4},
    "no coefficients": {"coefficients": False, "scaling": False},
}


def check_variation(name: str, share: float, run: Run) -> int:
    """How many children a variation has changed."""
    state = after(run, 2)
    before = copy.deepcopy(state)
    offspring = run.vary(state, run.select(state))
    bred = copy.deepcopy(offspring)
    VARIATIONS[name](offspring, share, state, run)
    assert unchanged(state, before)
    offspring.programs.validate(run.cases.n_features)
    assert (offspring.programs.length <= offspring.limits).all()
    for column in ("parents", "mate", "limits"):
        np.testing.assert_array_equal(getattr(offspring, column), getattr(bred, column))
    nodes = [offspring.programs.nodes(i) for i in range(len(offspring))]
    changed = np.array([nodes[i] != bred.programs.nodes(i) for i in range(len(nodes))])
    assert (offspring.origin[changed] == -1).all()
    for i in np.flatnonzero(offspring.origin >= 0):
        assert nodes[i] == state.population.programs.nodes(offspring.origin[i])
    used = np.arange(offspring.programs.width) < offspring.programs.length[:, None]
    assert set(offspring.programs.opcode[used]) <= {CONSTANT, FEATURE, *opcodes(run.settings.operators)}
    for array in ("opcode", "feature", "constant"):  # so that equal programs are equal arrays
        assert not getattr(offspring.programs, array)[~used].any()
    return int(changed.sum())


@pytest.mark.parametrize("name", VARIATIONS)
class TestVariations:
    @pytest.mark.parametrize("kind", CASES)
    @pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
    def test_children_are_programs_within_their_limits(self, name, kind, share):
        changed = check_variation(name, share, make_run(variations={}, planters=(), **CASES[kind]))
        assert share > 0 or changed == 0

    def test_it_does_something(self, name):
        half, all_of_them = (check_variation(name, share, make_run(variations={})) for share in (0.5, 1.0))
        assert 0 < half < all_of_them

    def test_series(self, name):
        cases = RecurrentCases.from_series(X, Y, np.ones(len(Y)), "mae", 2)
        check_variation(name, 1.0, Run(cases, Settings.paper(population_size=41, max_length=20, seed=4)))


ROWS = np.random.default_rng(2).uniform(0.5, 3.0, (300, 4))
LAW = ROWS[:, 0] * ROWS[:, 1] / ROWS[:, 2]
TARGETS = {
    "a law": (ROWS, LAW),
    "a positive power law": (ROWS, 3.0 * ROWS[:, 0] ** 1.7 * ROWS[:, 1] ** -0.6),
    "a polynomial": (ROWS, ROWS[:, 0] ** 2 - 3.0 * ROWS[:, 1]),
    "noise": (ROWS, np.random.default_rng(3).normal(size=300)),
    "two rows": (ROWS[:2], LAW[:2]),
    "five rows": (ROWS[:5], LAW[:5]),
    "twenty rows": (ROWS[:20], LAW[:20]),
    "a hundred rows": (ROWS[:100], LAW[:100]),
    "a constant target": (ROWS, np.full(300, 2.0)),
    "a target of zeros": (ROWS, np.zeros(300)),
    "one feature": (ROWS[:, :1], ROWS[:, 0] ** 3 - ROWS[:, 0]),
    "one feature, five rows": (ROWS[:5, :1], ROWS[:5, 0]),
    "a constant feature": (np.column_stack([np.ones(300), ROWS]), LAW),
    "constant features alone": (np.ones((300, 2)), LAW),
    "two equal features": (ROWS[:, [0, 0, 1, 2]], LAW),
    "negative features": (-ROWS, LAW),
}
LIMITS = {
    "default": Limits(Settings.operators, 50, 1000),
    "short": Limits(Settings.operators, 5, 1000),
    "a single node": Limits(Settings.operators, 1, 1000),
    "arithmetic": Limits(("add", "sub", "mul", "div"), 20, 1000),
    "no arithmetic": Limits(("sin", "exp"), 20, 1000),
    "a small population": Limits(Settings.operators, 50, 10),
}


def planted(name: str, target: str, limits: Limits) -> list:
    return list(by(PLANTERS[name])(*(a.copy() for a in TARGETS[target]), limits))


@pytest.mark.parametrize("name", PLANTERS)
@pytest.mark.parametrize("target", TARGETS)
def test_planters_find_programs_within_the_limits(name, target):
    for kind, limits in LIMITS.items():
        found = planted(name, target, limits)
        allowed = {CONSTANT, FEATURE, *opcodes(limits.operators)}
        for nodes in found:
            assert 1 <= len(nodes) <= limits.max_length, kind
            assert {code for code, _, _ in nodes} <= allowed, kind
            assert np.isfinite([value for _, _, value in nodes]).all(), kind
        if found:
            Programs.from_nodes(found).validate(TARGETS[target][0].shape[1])


@pytest.mark.parametrize("name", PLANTERS)
def test_every_planter_finds_something(name):
    assert any(planted(name, target, LIMITS["default"]) for target in TARGETS)


@pytest.mark.parametrize("name", LOSSES)
class TestLosses:
    def test_at_least_0_and_0_at_equality(self, name):
        rng = np.random.default_rng(0)
        y = np.concatenate([rng.normal(size=500) * 10.0 ** rng.integers(-6, 7, 500), [0.0, -0.0]])
        prediction = np.concatenate([y[:250] + rng.normal(size=250), rng.normal(size=252)])
        errors = LOSSES[name](y, prediction)
        assert errors.shape == y.shape
        assert (errors[y != prediction] > 0).all()
        assert (LOSSES[name](y, y) == 0).all()

    def test_more_is_worse(self, name):
        distance = np.linspace(0.0, 5.0, 50)
        for sign in (1.0, -1.0):
            assert (np.diff(LOSSES[name](np.zeros(50), sign * distance)) > 0).all()

    def test_the_kernel_computes_it(self, name):
        run = make_run(loss=name, scaling=False)
        features = Programs.from_nodes([[(FEATURE, j, 1.0)] for j in range(3)], np.float32)
        measured = run.measured(features)
        np.testing.assert_allclose(measured.errors, LOSSES[name](Y, X.T), rtol=1e-4, atol=1e-6)


NAMES = ["a", "b", "c"]
FORMULAS = ("a", "a*b", "2.5*c", "a*b + sin(c)", "a*b + 1.02*sin(c) + 0.01*a", "log(a - 10)")
SITUATIONS = {
    "plain": {},
    "few rows": {"n": 4},
    "one program": {"formulas": ("a*b",)},
    "a number": {"formulas": ("3",)},
    "a limit of length": {"max_length": 4},
    "a limit below all": {"formulas": ("a*b + sin(c)",), "max_length": 2},
    "relative noise": {"noise": "relative"},
    "outputs fed back": {"names": [*NAMES, "y[t-1]"]},
    "weights": {"weight": np.arange(1.0, 91.0)},
}


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("polished", [True, False])
class TestChoices:
    def scorer(self, name, n=90, noise="auto", names=NAMES, weight=None, **how) -> Scorer:
        rows = Rows(X, Y, np.ones(90) if weight is None else weight).take(np.arange(n))
        train, validation = rows.held_back() if CHOICES[name].holds_back else (rows, None)
        return Scorer(names, LOSSES["mse"], train, validation, noise=noise)

    def kept(self, polished, formulas=FORMULAS, max_length=20, **how) -> Kept:
        programs = [parse(formula, NAMES) for formula in formulas]
        return Kept(programs[:4], programs[4:], polished, max_length)

    @pytest.mark.parametrize("situation", SITUATIONS)
    def test_a_front_by_length_and_one_of_its_models(self, name, polished, situation):
        how = SITUATIONS[situation]
        score, kept = self.scorer(name, **how), self.kept(polished, **how)
        before = copy.deepcopy((score.train, kept))
        answer = CHOICES[name].answer(kept, score)
        assert all(map(np.array_equal, vars_of(before[0]), vars_of(score.train)))
        assert before[1] == kept
        lengths = [m.length for m in answer.models]
        assert lengths == sorted(set(lengths))
        assert len(lengths) == 1 or lengths[-1] <= kept.max_length
        assert 0 <= answer.chosen < len(lengths)
        for m in answer.models:
            assert np.isfinite(score.values(m.nodes, score.train.X)).all()
        assert answer.choice.text.endswith(".")
        assert answer.choice.noise in KINDS
        again = CHOICES[name].answer(kept, score)
        assert [m.nodes for m in again.models] == [m.nodes for m in answer.models]
        assert (again.chosen, again.choice.text) == (answer.chosen, answer.choice.text)

    def test_none_if_no_program_is_finite(self, name, polished):
        kept = self.kept(polished, ("log(a - 10)", "sqrt(-1*b)"))
        assert CHOICES[name].answer(kept, self.scorer(name)) is None


def vars_of(rows: Rows) -> list:
    return [rows.X, rows.y, rows.weight]


@pytest.fixture
def register():
    """`register(registry, name, member)` until the test is over."""
    added = []

    def add(registry, name, member):
        registry.add(name, member)
        added.append((registry, name))

    yield add
    for registry, name in added:
        registry.remove(name)


SMALL = {"population_size": 60, "max_length": 15, "generations": 4, "time_limit": None, "random_state": 0}


class TestOwnParts:
    """One registration each, and the name in the settings of the estimator."""

    def fitted(self, **changes) -> SymbolicRegressor:
        return make(**SMALL | changes).fit(X, Y)

    def test_a_survival_rule(self, register):
        def parents_only(children, offspring, state, run):
            survivors = state.population.take(np.arange(len(state.population)))
            survivors.evaluated = children.evaluated
            return survivors

        register(SURVIVALS, "parents_only", parents_only)
        begun = self.fitted(survival="parents_only", generations=0)
        est = self.fitted(survival="parents_only")
        assert est.settings_.survival == "parents_only"
        ours, first = (individuals(e.search_.state.population) for e in (est, begun))
        assert ours == first
        assert est.history_["evaluations"].is_monotonic_increasing
        assert ours != individuals(self.fitted().search_.state.population)

    def test_a_tuner(self, register):
        improved = []

        def shrink(population, run, generation):
            """Smaller constants, where that is no worse; random ones, to draw from a stream of its own."""
            factor = named_generator(run.settings.seed, generation, "shrink").uniform(0.5, 1.0)
            programs = population.programs.copy()
            programs.constant *= np.float32(factor)
            tried = run.attempt(programs)
            tried.age = population.age.copy()
            better = np.flatnonzero(tried.fitness < population.fitness)
            population.put(better, tried, better)
            population.evaluated += len(population)
            improved.append(len(better))

        register(TUNERS, "shrink", Tuner(children=shrink))
        est, none = self.fitted(tuning="shrink"), self.fitted(tuning="none")
        assert est.settings_.tuning == "shrink"
        assert len(improved) == 4
        assert sum(improved) > 0
        more = est.history_["evaluations"] - none.history_["evaluations"]
        assert more.iloc[1] == 60
        again = self.fitted(tuning="shrink")
        assert individuals(again.search_.state.population) == individuals(est.search_.state.population)

    def test_a_planter(self, register):
        def oracle(X, y, limits):
            return [parse("x0*x1 + sin(x2)", n_features=X.shape[1])]

        target = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
        register(PLANTERS, "oracle", oracle)
        how = SMALL | {"generations": 0}
        with_it, without = (make(planters=p, **how).fit(X, target) for p in (("oracle",), ()))
        assert with_it.settings_.planters == ("oracle",)
        assert with_it.score(X, target) > 1.0 - 1e-9 > without.score(X, target)

    def test_a_variation(self, register):
        def simplest(offspring, share, state, run):
            """A share of the children become the first feature."""
            rng = named_generator(run.settings.seed, state.generation, "simplest")
            who = np.flatnonzero(rng.random(len(offspring)) < share)
            programs = offspring.programs
            for array in (programs.opcode, programs.feature, programs.constant):
                array[who] = 0
            programs.opcode[who, 0], programs.constant[who, 0], programs.length[who] = FEATURE, 1.0, 1
            offspring.origin[who] = -1

        register(VARIATIONS, "simplest", simplest)
        how = {"survival": "generational", "elitism": False, "tuning": "none"}
        lengths = {
            share: self.fitted(variations={"simplest": share}, **how).search_.state.population.programs.length
            for share in (0.0, 0.5, 1.0)
        }
        assert (lengths[1.0] == 1).all()
        assert 0.25 < (lengths[0.5] == 1).mean() < 1.0
        assert (lengths[0.0] == 1).mean() < (lengths[0.5] == 1).mean()

    def test_two_variations_in_the_order_of_the_setting(self, register):
        called = []
        for name in ("first", "second"):
            register(VARIATIONS, name, lambda offspring, share, state, run, name=name: called.append((name, share)))
        self.fitted(variations={"second": 0.25, "first": 0.5}, generations=1)
        assert called == [("second", 0.25), ("first", 0.5)]

    def test_a_loss(self, register):
        def fourth(y, prediction):
            return np.square(np.square(y - prediction))

        register(LOSSES, "fourth", fourth)
        est = self.fitted(loss="fourth")
        by_hand = fourth(Y, est.predict(X)).mean()
        assert est.model_.metrics["loss"] == pytest.approx(by_hand)

    def test_a_rule_of_choice(self, register):
        register(CHOICES, "first", Rule(picked(lambda models: 0, "It is the first of the front.")))
        est = self.fitted(choose="first")
        assert est.model_.length == est.front_["length"].min() < est.front_["length"].max()
        assert est.choice_.text == "It is the first of the front."
        assert "validation_loss" not in est.front_

    def test_a_rule_of_choice_that_holds_rows_back(self, register):
        def least(models):
            return int(np.argmin([m.metrics["validation_mae"] for m in models]))

        register(CHOICES, "held_back", Rule(picked(least, "It errs least."), holds_back=True))
        est = self.fitted(choose="held_back")
        assert est.front_["validation_mae"][est.front_["chosen"]].item() == est.front_["validation_mae"].min()
        assert len(est.search_.state.population.errors[0]) == 67

    @pytest.mark.parametrize(
        ("parameter", "value"),
        [
            ("choose", "first"),
            ("survival", "parents_only"), ("tuning", "shrink"), ("planters", ("oracle",)),
            ("variations", {"simplest": 0.5}), ("loss", "fourth"),
        ],
    )  # fmt: skip
    def test_gone_again(self, parameter, value):
        name = value if isinstance(value, str) else next(iter(value))
        with pytest.raises(ValueError, match=f"{parameter}: expected one of .*; got '{name}'"):
            self.fitted(**{parameter: value})
