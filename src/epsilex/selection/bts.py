"""Batch tournament selection: each tournament is decided by the mean error on one batch of cases.

de Melo, Vargas, Banzhaf, "Batch tournament selection for genetic programming: the quality of lexicase, the speed of
tournament", GECCO (2019). Cases are ordered by the error of the fittest individual, hardest first, and cut into
batches; one tournament per batch, and again from the first until there are parents enough. With `shuffle=True` (BTSS)
the order is random and drawn again each round. Batches of 16 and tournaments of 8 are ours; the authors vary them.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection import sampling
from epsilex.selection.methods import Address, Measures, Method, Selected, at_least_one, complete, generator

ORDER = 9  # purpose


@sampling.sampled
def parents(
    measures: Measures, n: int, address: Address, n_jobs: int = 1, *, batch: int = 16, tournament_size: int = 8,
    shuffle: bool = False,
) -> Selected:  # fmt: skip
    batch, size = at_least_one("batch", batch), at_least_one("tournament_size", tournament_size)
    if not isinstance(shuffle, (bool, np.bool_)):
        raise ValueError(f"shuffle: expected True or False; got {shuffle!r}")
    living = np.flatnonzero(complete(measures))
    errors = np.ascontiguousarray(measures.errors[living].T)
    errors = np.where(np.isfinite(errors), errors, np.inf).astype(errors.dtype)
    n_cases = len(errors)
    starts = np.arange(0, n_cases, batch)
    rng, order = generator(address, ORDER), hardest_first(errors, measures.fitness[living])
    drawn = generator(address, 0).integers(len(living), size=(n, size))
    chosen = np.empty(n, np.int64)
    means = np.empty((0, len(living)))
    for first in range(0, n, len(starts)):
        if shuffle:
            order = rng.permutation(n_cases)
        if shuffle or first == 0:
            means = batch_means(errors, order, starts)
        events = np.arange(first, min(first + len(starts), n))
        judged = means[(events - first)[:, None], drawn[events]]
        chosen[events] = drawn[events, np.argmin(judged, axis=1)]
    used = np.diff(np.append(starts, n_cases))[np.arange(n) % len(starts)] / n_cases
    return Selected(living[chosen], used)


def hardest_first(errors: np.ndarray, fitness: np.ndarray) -> np.ndarray:
    """The cases by the error of the fittest individual, descending; errors (cases, individuals)."""
    return np.argsort(-errors[:, np.argmin(np.where(np.isfinite(fitness), fitness, np.inf))], kind="stable")


def batch_means(errors: np.ndarray, order: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(batches, individuals): mean errors on batches that begin at these places of the order."""
    count = np.diff(np.append(starts, len(order))).astype(errors.dtype)
    with np.errstate(over="ignore"):
        return np.add.reduceat(errors[order], starts, axis=0) / count[:, None]


METHOD = Method("bts", "BTS", parents, options=("batch", "tournament_size", "shuffle", *sampling.OPTIONS))
