"""Clusters of cases instead of cases: a few derived cases, each the mean error over a cluster.

Krawiec, Liskowski, "Automatic derivation of search objectives for test-based genetic programming", EuroGP (2015), DOC;
as cases of lexicase selection in Liskowski, Krawiec, Helmuth, Spector, "Comparison of semantic-aware selection methods
in genetic programming", GECCO Companion (2015). There the number of clusters is found by x-means; here it is given.
"""

from __future__ import annotations

import warnings

import numpy as np

SKETCH = 32  # random projections that replace the population in a case's profile
ROUNDS = 5  # of k-means


def labels(passes: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """The cluster of each case, by who passes it: `passes` (cases, individuals) bool -> (cases,) from 0, none empty.

    k-means on random projections of the profiles, which preserve distances.
    """
    from scipy.cluster.vq import kmeans2

    if k >= len(passes):
        return np.arange(len(passes))
    signs = rng.choice(np.array([-1.0, 1.0], np.float32), size=(passes.shape[1], SKETCH))
    sketch = passes.astype(np.float32) @ signs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of an empty cluster, which is dropped below
        _, found = kmeans2(sketch.astype(np.float64), k, iter=ROUNDS, minit="points", rng=rng)
    return np.unique(found, return_inverse=True)[1]


def derived_errors(errors: np.ndarray, of_case: np.ndarray) -> np.ndarray:
    """Mean error over each cluster, (individuals, clusters), in the type of `errors` (individuals, cases)."""
    order = np.argsort(of_case, kind="stable")
    count = np.bincount(of_case)
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.reduceat(errors[:, order].astype(np.float64), np.cumsum(count) - count, axis=1)
        return (total / count).astype(errors.dtype)
