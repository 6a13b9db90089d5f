"""The start of a search, and children from pairs of parents."""

from __future__ import annotations

import numpy as np

from epsilex.evolution.population import Population
from epsilex.evolution.schools import School
from epsilex.evolution.settings import MUTATIONS, Settings
from epsilex.programs import Programs
from epsilex.programs.operators import arities
from epsilex.programs.start import by_arity, grown
from epsilex.selection import Selected

# Purposes: which of the streams at (seed, generation) a step draws from. Selection has 0 to 15.
START, NEWCOMER, VARY, CLIMB, TUNE, STOCK, SCION, GRAFT = range(16, 24)


def start(settings: Settings, n: int, n_features: int, generation: int = 0, purpose: int = START) -> Programs:
    """`n` random programs, lengths uniform between the limits."""
    from epsilex.kernels.streams import uniform_integers

    slots = np.arange(n)
    lengths = np.empty(n, np.int64)
    uniform_integers(
        np.uint64(settings.seed), generation, purpose + 100, settings.min_length, settings.max_length, lengths
    )
    return grown(
        settings.seed, generation, purpose, slots, lengths, settings.max_length, n_features,
        by_arity(settings.operators), settings.constant_share, settings.constant_range, settings.coefficients,
    )  # fmt: skip


def vary(
    programs: Programs, fitness: np.ndarray, parents: np.ndarray, settings: Settings, n_features: int, generation: int,
    n_jobs: int, limit: int | None = None, purpose: int = VARY,
) -> tuple[Programs, np.ndarray, np.ndarray]:  # fmt: skip
    """One child for each of `parents`, which are paired in order, of `limit` nodes at most (None: the settings'); the
    parent each is equal to, -1 where it is new; and the other parent of each, its only parent where there is one."""
    from epsilex.kernels import slices
    from epsilex.kernels import variation as kernel

    children = Programs.empty(len(parents), settings.max_length)
    origin, mate = np.empty(len(parents), np.int64), np.empty(len(parents), np.int64)
    unary, binary = by_arity(settings.operators)
    weights = np.array([settings.mutation_weights.get(name, 0.0) for name in MUTATIONS])
    kinds = np.cumsum(weights) / weights.sum()
    arity = arities()

    def part(first: int, last: int) -> None:
        kernel.vary(
            np.uint64(settings.seed), generation, purpose, parents, fitness,
            programs.opcode, programs.feature, programs.constant, programs.length,
            children.opcode, children.feature, children.constant, children.length, origin, mate,
            settings.min_child_length, limit or settings.max_length, settings.crossover, kinds, settings.point_rate,
            settings.redraw, settings.retries, arity,
            unary, binary, n_features, settings.constant_share, *settings.constant_range, settings.coefficients,
            settings.subtree_size, first, last,
        )  # fmt: skip

    slices.run(part, (len(parents) + 1) // 2, n_jobs)
    return children, origin, mate


def vary_schools(
    population: Population, chosen: list[Selected], groups: list[School], settings: Settings, n_features: int,
    generation: int, n_jobs: int,
) -> tuple[Programs, np.ndarray, np.ndarray]:  # fmt: skip
    """The children of all schools, with what `vary` tells of their parents."""
    parts = [
        vary(
            population.programs, population.fitness, found.parents, settings, n_features, generation, n_jobs,
            school.max_length, VARY + 32 * k,
        )
        for k, (found, school) in enumerate(zip(chosen, groups, strict=True))
    ]  # fmt: skip
    if len(parts) == 1:
        return parts[0]
    programs, origins, mates = zip(*parts, strict=True)
    return Programs.joined(list(programs)), np.concatenate(origins), np.concatenate(mates)


def age_of_children(age: np.ndarray, parents: np.ndarray, mate: np.ndarray) -> np.ndarray:
    """The age of the older parent of each child, of its own parent where it has one alone."""
    return np.maximum(age[parents], age[mate])
