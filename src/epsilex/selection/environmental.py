"""SPEA2's environmental selection: who lives on by dominance, and by distance to neighbours where that decides.

Zitzler, Laumanns, Thiele, "SPEA2: improving the strength Pareto evolutionary algorithm", TIK report 103, ETH Zurich
(2001). All non-dominated individuals survive. If they are too few, the best by raw fitness and density join them. If
they are too many, those nearest to their neighbours leave one at a time. Density only decides among equal raw fitness.
"""

from __future__ import annotations

import numpy as np


def survivors(objectives: np.ndarray, points: np.ndarray, n: int) -> np.ndarray:
    """Indices of `n` survivors by objectives (individuals, objectives), all minimised, with distances between `points`
    (individuals, objectives)."""
    raw = raw_fitness(objectives)
    cut = np.sort(raw, kind="stable")[n - 1]
    kept, last = np.flatnonzero(raw < cut), np.flatnonzero(raw == cut)
    wanted = n - len(kept)
    if wanted < len(last):
        last = truncated(points, last, wanted) if cut == 0 else sparsest(points, last, wanted)
    return np.concatenate([kept, last])


def raw_fitness(objectives: np.ndarray) -> np.ndarray:
    """Sum of the strengths of those that dominate an individual; strength is the number dominated."""
    from epsilex.kernels.dominance import strengths

    raw = np.empty(len(objectives), np.int64)
    strengths(np.ascontiguousarray(objectives.T), raw)
    return raw


def sparsest(points: np.ndarray, who: np.ndarray, wanted: int) -> np.ndarray:
    """The `wanted` individuals of lowest density."""
    return who[np.argsort(-neighbour_distance(points, who), kind="stable")[:wanted]]


def neighbour_distance(points: np.ndarray, who: np.ndarray) -> np.ndarray:
    """Distance of each of `who` to its k-th nearest neighbour among all, k = sqrt(individuals)."""
    k = min(max(1, int(np.sqrt(len(points)))), len(points) - 1)
    if k == 0:
        return np.zeros(len(who))
    square = distances(points[who], points)
    square[np.arange(len(who)), who] = np.inf
    return np.sqrt(np.partition(square, k - 1, axis=1)[:, k - 1])


def distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squared distances (rows of a, rows of b)."""
    found = np.zeros((len(a), len(b)))
    for x, y in zip(a.T, b.T, strict=True):
        found += (x[:, None] - y[None, :]) ** 2
    return found


def truncated(points: np.ndarray, who: np.ndarray, wanted: int) -> np.ndarray:
    """`wanted` of `who`, after those closest to their neighbours have left; of equal individuals the first stay."""
    from epsilex.kernels.dominance import truncate

    distinct, inverse, count = np.unique(points[who], axis=0, return_inverse=True, return_counts=True)
    inverse, left = inverse.reshape(-1), count.astype(np.int64)
    square = distances(distinct, distinct)
    truncate(square, np.argsort(square, axis=1, kind="stable"), left, len(who) - wanted)
    order = np.argsort(inverse, kind="stable")
    place = np.arange(len(who)) - np.repeat(np.cumsum(count) - count, count)
    return who[order[place < left[inverse[order]]]]
