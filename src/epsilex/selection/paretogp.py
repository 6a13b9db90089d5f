"""ParetoGP: every pair has one parent from the archive, which is the front of fitness and length; cascades begin anew.

Smits, Kotanchek, "Pareto-front exploitation in symbolic regression", Genetic Programming Theory and Practice II (2004),
from memory. The archive, at most half of the population, lives on; the fittest children fill the other places. At the
end of a cascade newcomers fill them instead. The other parent wins a tournament on fitness. Lengths of cascades and
the limit of the archive are ours.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.fronts import crowding, ranks
from epsilex.selection.methods import Address, Measures, Method, Selected, alive, at_least_one, generator
from epsilex.selection.scores import by_tournament

ARCHIVE = 9  # purpose


def parents(
    measures: Measures, n: int, address: Address, n_jobs: int = 1, *, tournament_size: int = 2, cascade: int = 50
) -> Selected:
    at_least_one("cascade", cascade)
    living = np.flatnonzero(alive(measures.fitness))
    kept = living[archive(measures.take(living), len(living))]
    chosen = by_tournament(measures.fitness, n, address, tournament_size)
    chosen[::2] = generator(address, ARCHIVE).choice(kept, size=len(chosen[::2]))
    return Selected(chosen, np.zeros(n))


def archive(measures: Measures, most: int) -> np.ndarray:
    """Indices of the front of fitness and length, the least crowded `most` of it."""
    values = np.column_stack([measures.fitness, measures.length]).astype(np.float64)
    rank = ranks(values)
    front = np.flatnonzero(rank == 0)
    return front[np.argsort(-crowding(values[front], rank[front]), kind="stable")[:most]]


def survive(measures: Measures, n: int, address: Address, *, tournament_size: int = 2, cascade: int = 50) -> np.ndarray:
    kept = archive(measures, max(1, n // 2))
    began = 2 * n if newcomers(address.generation, n, cascade=cascade) else n  # where newcomers, or children, begin
    others = np.setdiff1d(np.arange(began, len(measures)), kept)
    rest = np.setdiff1d(np.arange(min(began, len(measures))), kept)
    filling = np.concatenate([who[np.argsort(measures.fitness[who], kind="stable")] for who in (others, rest)])
    return np.concatenate([kept, filling[: n - len(kept)]])


def newcomers(generation: int, n: int, *, tournament_size: int = 2, cascade: int = 50) -> int:
    return n if generation % cascade == cascade - 1 else 0


METHOD = Method(
    "paretogp", "ParetoGP", parents, survive, ("tournament_size", "cascade"), survival="by_method", newcomers=newcomers
)
