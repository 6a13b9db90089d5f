"""Tournament selection: the fittest of `tournament_size` individuals, drawn with replacement (Tourn; 2 in the
paper)."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, alive, generator


def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, tournament_size: int = 2) -> Selected:
    if not isinstance(tournament_size, Integral) or tournament_size < 1:
        raise ValueError(f"tournament_size: expected an integer of at least 1; got {tournament_size!r}")
    fitness = measures.fitness
    drawn = generator(address, 0).choice(np.flatnonzero(alive(fitness)), size=(n, tournament_size))
    winner = np.argmin(np.where(np.isfinite(fitness), fitness, np.inf)[drawn], axis=1)
    return Selected(drawn[np.arange(n), winner], np.zeros(n))


METHOD = Method("tournament", "Tourn", parents, options=("tournament_size",))
