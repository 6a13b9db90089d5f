"""Children of pairs of parents: sub-tree crossover and mutation (Section 4 of the paper)."""

from __future__ import annotations

from functools import partial

import numpy as np

from epsilex.dimensions.law import Law
from epsilex.evolution.population import Population
from epsilex.evolution.purposes import NICHE, VARY
from epsilex.evolution.settings import MUTATIONS, Settings
from epsilex.evolution.variation.offspring import Brood, Offspring
from epsilex.evolution.variation.typed import typed_children
from epsilex.programs import Programs
from epsilex.programs.operators import arities
from epsilex.programs.start import by_arity


def vary(
    population: Population, broods: list[Brood], settings: Settings, n_features: int, generation: int, n_jobs: int,
    law: Law | None = None,
) -> Offspring:  # fmt: skip
    """The children of all broods, in their order; with a `law`, of consistent dimensions."""
    make = children_of if law is None else partial(typed_children, law)
    parts = [
        make(
            population.programs, population.fitness, brood.parents, settings, n_features, generation, n_jobs,
            brood.niche.max_length, VARY + NICHE * k,
        )
        for k, brood in enumerate(broods)
    ]  # fmt: skip
    return joined(parts)


def joined(parts: list[Offspring]) -> Offspring:
    """The children of several broods as one."""
    if len(parts) == 1:
        return parts[0]
    return Offspring(
        Programs.joined([part.programs for part in parts]),
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("parents", "mate", "origin", "limits")),
    )


def children_of(
    programs: Programs, fitness: np.ndarray, parents: np.ndarray, settings: Settings, n_features: int, generation: int,
    n_jobs: int = 1, limit: int | None = None, purpose: int = VARY,
) -> Offspring:  # fmt: skip
    """One child for each of `parents`, which are paired in order, of `limit` nodes at most (None: the settings')."""
    from epsilex.kernels import slices
    from epsilex.kernels import variation as kernel

    limit = limit or settings.max_length
    n = len(parents)
    children = Programs.empty(n, settings.max_length)
    origin, mate = np.empty(n, np.int64), np.empty(n, np.int64)
    unary, binary = by_arity(settings.operators)
    weights = np.array([settings.mutations.get(name, 0.0) for name in MUTATIONS])
    kinds = np.cumsum(weights) / weights.sum()
    arity = arities()

    def part(first: int, last: int) -> None:
        kernel.vary(
            np.uint64(settings.seed), generation, purpose, parents, fitness,
            programs.opcode, programs.feature, programs.constant, programs.length,
            children.opcode, children.feature, children.constant, children.length, origin, mate,
            settings.min_child_length, limit, settings.crossover, kinds, settings.point_rate,
            settings.redraw, settings.retries, arity,
            unary, binary, n_features, settings.constant_share, *settings.constant_range, settings.coefficients,
            settings.subtree_size, first, last,
        )  # fmt: skip

    slices.run(part, (n + 1) // 2, n_jobs)
    return Offspring(children, parents, mate, origin, np.full(n, limit))
