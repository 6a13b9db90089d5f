"""Who leaves an island, and who settles on another. All draws are by the island's seed and the generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from epsilex.evolution.islands.island import Parcel
from epsilex.evolution.measuring.tameness import look_closer
from epsilex.evolution.population import Population
from epsilex.evolution.purposes import EMIGRATE, IMMIGRATE, generator
from epsilex.evolution.run import Run
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.programs import Programs
from epsilex.programs.operators import FIRST_OPERATOR, opcodes

ROOM = 0.1  # largest share of a population that immigrants take


def emigrants(state: State, settings: Settings, n: int) -> Parcel:
    """Copies of the non-dominated front of fitness and length, and of `n` individuals drawn from the others."""
    population = state.population
    front = on_front(population)
    others = np.flatnonzero(~front & np.isfinite(population.fitness))
    drawn = generator(settings.seed, state.generation, EMIGRATE).permutation(others)[:n]
    who = np.concatenate([np.flatnonzero(front), np.sort(drawn)])
    return Parcel(population.programs.take(who), population.age[who])


def settled(state: State, parcels: Sequence[Parcel], run: Run) -> State:
    """The state after immigrants took the places of individuals that are drawn among those not on the front.

    Programs that the island's settings do not allow, or whose outputs it has already, stay out.
    """
    settings, population = run.settings, state.population
    rng = generator(settings.seed, state.generation, IMMIGRATE)
    programs, age = _accepted(parcels, settings)
    few = np.sort(rng.permutation(len(programs))[: int(ROOM * len(population))])
    if not len(few):
        return state
    measured = run.refused(run.measured(programs.take(few)))
    measured.age = age[few]
    _, first = np.unique(measured.outputs, return_index=True)
    known = np.isin(measured.outputs[first], population.outputs)
    new = np.sort(first[~known & np.isfinite(measured.fitness[first])])
    free = rng.permutation(np.flatnonzero(~on_front(population)))
    new = new[: len(free)]
    changed = population.take(np.arange(len(population)))
    changed.put(np.sort(free[: len(new)]), measured, new, run.n_jobs)
    look_closer(changed, run.cases, run.n_jobs)
    return replace(state, population=changed, evaluations=state.evaluations + len(few))


def on_front(population: Population) -> np.ndarray:
    """(individuals,) bool: the first of each length that is fitter than all shorter ones."""
    length, standing = population.programs.length, population.standing
    order = np.lexsort((np.arange(len(population)), standing, length))
    least_before = np.minimum.accumulate(np.concatenate([[np.inf], standing[order]]))[:-1]
    front = np.zeros(len(population), bool)
    front[order[standing[order] < least_before]] = True
    return front


def _accepted(parcels: Sequence[Parcel], settings: Settings) -> tuple[Programs, np.ndarray]:
    """The programs of all parcels that the settings allow, and their ages."""
    width = settings.max_length
    allowed = np.zeros(256, bool)
    allowed[:FIRST_OPERATOR] = allowed[opcodes(settings.operators)] = True
    found, ages = [Programs.empty(0, width)], [np.zeros(0, np.int64)]
    for parcel in parcels:
        programs = parcel.programs
        used = np.arange(programs.width) < programs.length[:, None]
        fits = (programs.length <= width) & (allowed[programs.opcode] | ~used).all(axis=1)
        found.append(programs.take(np.flatnonzero(fits)).widened(width))
        ages.append(parcel.age[fits])
    return Programs.joined(found), np.concatenate(ages)
