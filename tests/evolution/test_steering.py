"""Changes between generations: what is unwanted is gone for good, a guess is in, and the search stays deterministic."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from epsilex.data.prior import NOTHING, Prior
from epsilex.data.probes import probes_of
from epsilex.data.scales import Scales
from epsilex.data.shadow import shadow_rows
from epsilex.evolution import Cases, Run, Search, Settings, Stop, search
from epsilex.evolution.observers.structures import shapes_of
from epsilex.evolution.steering import judged, shaped, uses, with_guess, without
from epsilex.programs.evaluation import evaluate
from epsilex.programs.parser import parse
from epsilex.shapes.knowledge import shapes_of as statements_of

X = np.random.default_rng(0).uniform(0.5, 3, size=(60, 2))
Y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * X[:, 1]
SETTINGS = Settings(population_size=80, max_length=20, seed=3)
NO_SIN = SETTINGS.changed(operators=tuple(name for name in SETTINGS.operators if name != "sin"))


@pytest.fixture(scope="module")
def cases() -> Cases:
    return Cases.from_arrays(X, Y, shadow=shadow_rows(X, 0), more_shadow=shadow_rows(X, 0, 500))


@pytest.fixture
def found(cases) -> Search:
    return search(cases, SETTINGS, Stop(4))


def bits(found: Search) -> dict:
    arrays = {**found.state.population.arrays(), **{f"a.{k}": v for k, v in found.archive.arrays().items()}}
    return {name: array.tobytes() for name, array in arrays.items()}


def in_archive(found: Search, unwanted) -> int:
    archive = found.archive
    kept = [archive.programs.take(archive.taken), *(s.programs.take(s.taken) for s in archive.shelves)]
    return int(sum(unwanted(programs).sum() for programs in kept))


def test_a_forbidden_operator_is_gone_and_stays_away(cases, found):
    unwanted = uses(["sin"])
    assert unwanted(found.state.population.programs).any()
    assert in_archive(found, unwanted)
    steered = without(found, unwanted, Run(cases, NO_SIN))
    for later in (steered, search(cases, NO_SIN, Stop(8), begin=steered)):
        assert not unwanted(later.state.population.programs).any()
        assert not in_archive(later, unwanted)
        assert len(later.state.population) == SETTINGS.population_size
    assert np.isfinite(steered.archive.standing).any()


def test_the_search_given_is_left_as_it_was_and_the_same_act_gives_the_same_bits(cases, found):
    before = bits(found)
    one, two = (without(found, uses(["sin"]), Run(cases, NO_SIN)) for _ in range(2))
    assert bits(found) == before
    assert bits(one) == bits(two)
    ends = [bits(search(cases, NO_SIN, Stop(7), begin=begin)) for begin in (one, two)]
    assert ends[0] == ends[1]


def test_an_act_that_changes_nothing_changes_no_bit(cases, found):
    steered = without(found, uses(["tanh"]), Run(cases, SETTINGS))
    assert bits(steered) == bits(found)
    straight = search(cases, SETTINGS, Stop(7))
    assert bits(search(cases, SETTINGS, Stop(7), begin=steered)) == bits(straight)


def test_a_shape_is_dropped_whatever_its_constants(cases, found):
    front = found.archive.programs.take(found.archive.front)
    hated = shapes_of(front)[-1:]
    steered = without(found, shaped(hated), Run(cases, SETTINGS))
    assert in_archive(found, shaped(hated))
    assert not in_archive(steered, shaped(hated))
    assert not shaped(hated)(steered.state.population.programs).any()


def test_a_guess_is_tuned_and_enters_population_and_archive(cases, found):
    guess = parse("sin(0.9*x0)*x1", n_features=2)
    steered = with_guess(found, guess, Run(cases, SETTINGS))
    population = steered.state.population
    changed = np.flatnonzero(population.outputs != found.state.population.outputs)
    assert changed.tolist() == [int(np.argmax(found.state.population.standing))]
    assert population.fitness[changed[0]] < 0.05 * np.abs(Y - Y.mean()).mean()  # the constant 0.9 became nearly 1
    assert steered.archive.standing[len(guess)] <= population.standing[changed[0]]
    again = with_guess(found, guess, Run(cases, SETTINGS, n_jobs=2))
    assert bits(again) == bits(steered)


BOUNDED = Prior(
    probes=probes_of(statements_of(["f <= 3"], None, ["x0", "x1"], X, Y), X, Scales(np.zeros(2), np.ones(2), 0.0, 1.0))
)


def above(found: Search) -> int:
    """Programs of the archive, shelves and all, that are above the bound at a probe."""
    archive, probes = found.archive, BOUNDED.probes
    count = 0
    for kept in (archive, *archive.shelves):
        who = kept.taken
        out = evaluate(kept.programs.take(who), probes.X)
        count += int(probes.violated(kept.slope[who, None] * out + kept.intercept[who, None]).sum())
    return count


@pytest.fixture
def bounded(cases) -> Iterator[Run]:
    """A run that has learned of a bound."""
    cases.prior = BOUNDED
    yield Run(cases, SETTINGS)
    cases.prior = NOTHING


def test_a_bound_holds_for_the_archive_and_every_later_one(cases, found, bounded):
    assert above(found)
    steered = judged(found, bounded)
    population = steered.state.population
    assert np.isinf(population.fitness).any()
    assert np.isfinite(population.fitness).any()
    np.testing.assert_array_equal(population.age, found.state.population.age)
    for later in (steered, search(cases, SETTINGS, Stop(8), begin=steered)):
        assert above(later) == 0
        assert np.isfinite(later.archive.standing).any()


def test_a_bound_leaves_the_search_given_as_it_was_and_gives_the_same_bits(cases, found, bounded):
    before = bits(found)
    one, two = judged(found, bounded), judged(found, Run(cases, SETTINGS, n_jobs=2))
    assert bits(found) == before
    assert bits(one) == bits(two)
    assert bits(search(cases, SETTINGS, Stop(7), begin=one)) == bits(search(cases, SETTINGS, Stop(7), begin=two))


def test_a_bound_that_is_lifted_gives_everyone_their_fitness_back(cases, found, bounded):
    steered = judged(found, bounded)
    cases.prior = NOTHING
    free = judged(steered, Run(cases, SETTINGS))
    np.testing.assert_array_equal(free.state.population.fitness, found.state.population.fitness)
    assert free.archive.standing.min() <= found.state.population.standing.min()


def test_a_guess_or_newcomer_that_violates_a_bound_stays_out_of_the_archive(cases, found, bounded):
    steered = judged(found, bounded)
    guess = parse("2 + sin(0.9*x0)*x1", n_features=2)
    assert above(with_guess(steered, guess, bounded)) == 0
    assert above(without(steered, uses(["sin"]), bounded)) == 0
