"""Mates that are good on the cases on which a parent is not. See `complementary`."""

from __future__ import annotations

import numpy as np

from epsilex.selection.duplicates import any_copy
from epsilex.selection.methods import Address, Measures, alive, generator
from epsilex.selection.rules import case_major

COPIES = 8  # purpose


def complemented(parents: np.ndarray, measures: Measures, address: Address, n_jobs: int) -> np.ndarray:
    """The parents, every second of them replaced by the individual that complements the one before it best: the least
    mean over the cases of the smaller of both errors.

    Only individuals with a finite mean error are mates; a parent without one keeps its mate.
    """
    from epsilex.kernels import complements, slices

    errors, fitness = measures.errors, measures.fitness
    living = np.flatnonzero(alive(fitness))
    place = np.full(len(fitness), -1)
    place[living] = np.arange(len(living))
    pairs = np.arange(0, len(parents) - 1, 2)
    pairs = pairs[np.isfinite(fitness[parents[pairs]])]
    if not len(pairs):
        return parents
    e = case_major(errors, living, np.arange(errors.shape[1]))
    mothers, inverse = np.unique(place[parents[pairs]], return_inverse=True)
    fathers = np.empty(len(mothers), np.int64)
    slices.run(lambda a, b: complements.complements(e, mothers, fathers, a, b), len(mothers), n_jobs)
    parents = parents.copy()
    parents[pairs + 1] = any_copy(living[fathers[inverse]], errors, generator(address, COPIES))
    return parents
