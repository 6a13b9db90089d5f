"""A generation is a pure function of the state: the same state gives the same next one, and stays as it was."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from epsilex import selection
from epsilex.data.shadow import shadow_rows
from epsilex.evolution import Cases, Run, Settings, State, evolve, step
from epsilex.evolution.measuring import RecurrentCases
from epsilex.evolution.survival import SURVIVALS
from epsilex.evolution.tuning import TUNERS

X = np.random.default_rng(0).normal(size=(70, 3))
Y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
SMALL = {"population_size": 41, "max_length": 20, "seed": 4}
KINDS = {
    **{f"{survival} {tuning}": {"survival": survival, "tuning": tuning} for survival in SURVIVALS for tuning in TUNERS},
    "no elitism": {"survival": "generational", "elitism": False},
    "no variations": {"variations": {}, "short_share": 0.0},
    "all grafts": {"variations": {"grafts": 1.0}},
}


def cases() -> Cases:
    return Cases.from_arrays(X, Y, shadow=shadow_rows(X, 0), more_shadow=shadow_rows(X, 0, 1000))


def bits(state: State) -> dict:
    numbers = {"generation": state.generation, "evaluations": state.evaluations, "own": state.population.evaluated}
    arrays = {**state.population.arrays(), "cases_used": state.cases_used, **state.memory}
    return numbers | {name: array.tobytes() for name, array in arrays.items()}


def after(run: Run, generations: int) -> State:
    return next(state for state in evolve(run) if state.generation == generations)


def check_pure(run: Run, another: Run) -> None:
    state = after(run, 2)
    before = bits(copy.deepcopy(state))
    one = step(state, run)
    first = bits(one)
    for n_again, other in enumerate((run, run, another)):
        assert bits(step(state, other)) == first, n_again
    assert bits(state) == before
    assert bits(one) == first
    assert one.generation == state.generation + 1
    assert one.evaluations == state.evaluations + one.population.evaluated
    assert first["opcode"] != before["opcode"]


@pytest.mark.parametrize("kind", KINDS)
def test_modern(kind):
    settings = Settings(**SMALL, **KINDS[kind])
    check_pure(Run(cases(), settings), Run(cases(), settings, n_jobs=2))


@pytest.mark.parametrize("selection", ["lex_e_mad", "lex_dynamic", "afp", "tournament"])
def test_paper(selection):
    settings = Settings.paper(selection=selection, **SMALL)
    check_pure(Run(cases(), settings), Run(cases(), settings, n_jobs=2))


def test_series():
    def series() -> Cases:
        return RecurrentCases.from_series(X, Y, np.ones(len(Y)), "mae", 2)

    settings = Settings.paper(**SMALL)
    check_pure(Run(series(), settings), Run(series(), settings, n_jobs=2))


def test_no_part_of_a_state_is_shared_with_the_next():
    """So that an observer may keep one of them."""
    run = Run(cases(), Settings(**SMALL))
    state = after(run, 2)
    following = step(state, run)
    for name, array in state.population.arrays().items():
        assert not np.shares_memory(array, following.population.arrays()[name]), name


@pytest.mark.parametrize("id", selection.METHODS)
def test_every_selection_method(id):
    method = selection.method(id)
    own = {"survival": method.survival} if method.survive is not None else {}
    for settings in (Settings.paper(**SMALL, selection=id), Settings(**SMALL, selection=id, **own)):
        check_pure(Run(cases(), settings), Run(cases(), settings, n_jobs=2))
