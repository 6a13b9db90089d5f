"""Start and children of consistent dimensions, where the units of the columns are known."""

from __future__ import annotations

import numpy as np

from epsilex.dimensions.law import Law
from epsilex.evolution.purposes import LENGTHS, START, VARY
from epsilex.evolution.settings import MUTATIONS, Settings
from epsilex.evolution.variation.offspring import Offspring
from epsilex.programs import Programs
from epsilex.programs.start import by_arity

RETRIES = 4  # times the setting: most changes break dimensions


def typed_start(law: Law, settings: Settings, n: int, generation: int = 0, purpose: int = START) -> Programs:
    """`n` random programs of the target's dimension, or of any if that is free."""
    from epsilex.kernels.streams import uniform_integers

    lengths, drawn = np.empty(n, np.int64), np.empty(n, np.int64)
    seed = np.uint64(settings.seed)
    uniform_integers(seed, generation, purpose + LENGTHS, settings.min_length, settings.max_length, lengths)
    target = law.tables[-1]
    if target < 0:
        some = np.flatnonzero(law.count)
        uniform_integers(seed, generation, purpose + LENGTHS + 1, 0, len(some) - 1, drawn)
    wanted = some[drawn] if target < 0 else np.full(n, target)
    return typed_programs(law, settings, lengths, wanted, generation, purpose)


def typed_programs(
    law: Law, settings: Settings, lengths: np.ndarray, wanted: np.ndarray, generation: int, purpose: int
) -> Programs:
    """Random programs of these dimensions, given by their ids, and about these lengths."""
    from epsilex.kernels import typed

    n = len(lengths)
    programs, terminals = Programs.empty(n, settings.max_length), law.terminals
    typed.start(
        np.uint64(settings.seed), generation, purpose, np.arange(n), lengths, wanted,
        programs.opcode, programs.feature, programs.constant, programs.length, law.tables,
        *by_arity(settings.operators), terminals.opcode, terminals.feature, terminals.length, law.first, law.count,
        settings.constant_share, *settings.constant_range, settings.coefficients, 0, n,
    )  # fmt: skip
    return programs


def typed_children(
    law: Law, programs: Programs, fitness: np.ndarray, parents: np.ndarray, settings: Settings, n_features: int,
    generation: int, n_jobs: int = 1, limit: int | None = None, purpose: int = VARY,
) -> Offspring:  # fmt: skip
    """As `pairs.children_of`, of consistent dimensions."""
    from epsilex.kernels import slices, typed_variation

    limit = limit or settings.max_length
    n, terminals = len(parents), law.terminals
    children = Programs.empty(n, settings.max_length)
    origin, mate = np.empty(n, np.int64), np.empty(n, np.int64)
    unary, binary = by_arity(settings.operators)
    weights = np.array([settings.mutations.get(name, 0.0) for name in MUTATIONS])
    kinds = np.cumsum(weights) / weights.sum()

    def part(first: int, last: int) -> None:
        typed_variation.vary(
            np.uint64(settings.seed), generation, purpose, parents, fitness,
            programs.opcode, programs.feature, programs.constant, programs.length,
            children.opcode, children.feature, children.constant, children.length, origin, mate,
            settings.min_child_length, limit, settings.crossover, kinds, settings.point_rate,
            settings.redraw, RETRIES * (1 + settings.retries), law.tables, unary, binary, n_features,
            terminals.opcode, terminals.feature, terminals.length, law.first, law.count,
            settings.constant_share, *settings.constant_range, settings.coefficients, settings.subtree_size,
            first, last,
        )  # fmt: skip

    slices.run(part, (n + 1) // 2, n_jobs)
    return Offspring(children, parents, mate, origin, np.full(n, limit))
