"""Steering: changes to a search between two generations, asked for by a person.

Each function takes a search that has stopped and returns another, which `search(..., begin=...)` continues. Newcomers
come from the stream at (seed, generation, STEER), so the same changes at the same generations give the same search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from epsilex.evolution.measuring.tameness import look_closer
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.renewing import judge, watch
from epsilex.evolution.observers.structures import shapes_of
from epsilex.evolution.population import Population
from epsilex.evolution.purposes import STEER
from epsilex.evolution.run import Run
from epsilex.evolution.search import Search
from epsilex.evolution.tuning.levenberg_marquardt import tune_constants
from epsilex.programs import Programs
from epsilex.programs.fold import Node
from epsilex.programs.operators import opcodes

TUNING_STEPS = 30  # for a guess, whose constants may be far off

Unwanted = Callable[[Programs], np.ndarray]  # programs to (programs,) bool


def uses(operators: Sequence[str]) -> Unwanted:
    """Which programs contain one of the operators."""
    codes = opcodes(operators)

    def found(programs: Programs) -> np.ndarray:
        used = np.arange(programs.width) < programs.length[:, None]
        return np.any(used & np.isin(programs.opcode, codes), axis=1)

    return found


def shaped(like: Sequence[int]) -> Unwanted:
    """Which programs have one of these shapes, whatever their constants; see `observers.structures`."""
    return lambda programs: np.isin(shapes_of(programs), np.array(list(like), np.uint64))


def without(found: Search, unwanted: Unwanted, run: Run) -> Search:
    """The search with newcomers instead of unwanted individuals, and no unwanted program in its archive."""
    state = found.state
    run.at(state.generation)
    population = _copy(state.population)
    who = np.flatnonzero(unwanted(population.programs))
    if len(who):
        drawn = run.random(run.settings.population_size, state.generation, STEER)
        population.put(who, run.refused(run.measured(drawn.take(who))), np.arange(len(who)), run.n_jobs)
    archive = found.archive.copy()
    archive.drop(unwanted)
    return _with(found, population, archive, len(who), run)


def with_guess(found: Search, nodes: Sequence[Node], run: Run) -> Search:
    """The search with a program, its constants tuned, in the place of the least fit individual."""
    population, settings = _copy(found.state.population), run.at(found.state.generation).settings
    plain = Programs.empty(1, settings.max_length)
    for k, node in enumerate(nodes):
        plain.opcode[0, k], plain.feature[0, k], plain.constant[0, k] = node
    plain.length[0] = len(nodes)
    tuned = plain.copy()
    more = replace(settings, tuning_steps=TUNING_STEPS)
    tune_constants(tuned, run.cases.drawn(len(run.cases), np.random.default_rng(0)), more, run.n_jobs)
    measured = run.refused(run.measured(Programs.joined([tuned, plain])))
    worst = np.array([int(np.argmax(population.standing))])
    population.put(worst, measured, np.array([int(np.argmin(measured.standing))]), run.n_jobs)
    return _with(found, population, found.archive.copy(), 2, run)


def judged(found: Search, run: Run) -> Search:
    """The search by what the run knows of the law, which is not what it knew: an individual that violates it has an
    infinite fitness, and no such program is in the archive."""
    population = run.at(found.state.generation).judged(found.state.population)
    archive = found.archive.copy()
    judge(archive, run)
    return _with(found, population, archive, len(population), run)


def _with(found: Search, population: Population, archive: Archive, evaluated: int, run: Run) -> Search:
    look_closer(population, run.cases, run.n_jobs)
    watch(archive, run)
    archive.update(population)
    state = replace(found.state, population=population, evaluations=found.state.evaluations + evaluated)
    return Search(state, archive, list(found.rows), found.reason)


def _copy(population: Population) -> Population:
    return population.take(np.arange(len(population)))
