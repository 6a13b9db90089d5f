"""Random programs: the first population, and newcomers."""

from __future__ import annotations

import numpy as np

from epsilex.dimensions.law import Law
from epsilex.evolution.purposes import LENGTHS, START
from epsilex.evolution.settings import Settings
from epsilex.evolution.variation.typed import typed_start
from epsilex.programs import Programs
from epsilex.programs.start import by_arity, grown
from epsilex.programs.structure import Structure

REDRAWN = 8  # programs drawn for each one that must keep structural limits


def start(
    settings: Settings, n: int, n_features: int, generation: int = 0, purpose: int = START, law: Law | None = None
) -> Programs:
    """`n` random programs, lengths uniform between the limits; with a `law`, of consistent dimensions."""
    from epsilex.kernels.streams import uniform_integers

    if law is not None:
        return typed_start(law, settings, n, generation, purpose)
    slots = np.arange(n)
    lengths = np.empty(n, np.int64)
    uniform_integers(
        np.uint64(settings.seed), generation, purpose + LENGTHS, settings.min_length, settings.max_length, lengths
    )
    return grown(
        settings.seed, generation, purpose, slots, lengths, settings.max_length, n_features,
        by_arity(settings.operators), settings.constant_share, settings.constant_range, settings.coefficients,
    )  # fmt: skip


def within_limits(structure: Structure, drawn: Programs, n: int, settings: Settings) -> Programs:
    """`n` of many programs drawn: for each slot the first of its own that keeps the limits, or one of another slot."""
    structure.repair(drawn)
    good = np.flatnonzero(~structure.violated(drawn))
    if not len(good):
        found = Programs.empty(n, settings.max_length)
        found.put(0, [structure.simplest(settings.operators)] * n)
        return found
    slots, first = np.unique(good % n, return_index=True)
    chosen = np.resize(good, n)
    chosen[slots] = good[first]
    return drawn.take(chosen)
