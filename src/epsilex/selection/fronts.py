"""Non-dominated fronts of any number of objectives, all minimised, and how crowded they are.

Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE Transactions on
Evolutionary Computation 6 (2002).
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, generator


def ranks(objectives: np.ndarray) -> np.ndarray:
    """(individuals,) int64: the front of each, from 0; objectives (individuals, any), what is not finite is worst."""
    from epsilex.kernels.dominance import front_ranks

    points = comparable(objectives)
    rank = np.empty(len(points), np.int64)
    front_ranks(points, np.lexsort(points.T[::-1]), rank)
    return rank


def comparable(objectives: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.where(np.isfinite(objectives), objectives, np.finfo(np.float64).max))


def crowding(objectives: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """(individuals,): the sum over the objectives of the distance between the neighbours on the same front, relative to
    the range of the front; infinite at its ends, for all who are there."""
    distance = np.zeros(len(rank))
    for objective in comparable(objectives).T:
        order = np.lexsort((np.arange(len(rank)), objective, rank))
        value, front = objective[order], rank[order]
        first = np.append(True, front[1:] != front[:-1])
        last = np.append(first[1:], True)
        starts = np.flatnonzero(first)
        size = np.diff(np.append(starts, len(rank)))
        least, greatest = np.repeat(value[first], size), np.repeat(value[last], size)
        ends = (value == least) | (value == greatest)
        inner = np.flatnonzero(~ends)
        distance[order[inner]] += (value[inner + 1] - value[inner - 1]) / (greatest - least)[inner]
        distance[order[ends]] = np.inf
    return distance


def by_fronts(objectives: np.ndarray, n: int, address: Address) -> np.ndarray:
    """Indices of `n` winners of tournaments of two: the better front, then the less crowded, then chance."""
    rank = ranks(objectives)
    crowd = crowding(objectives, rank)
    order = np.lexsort((-crowd, rank))
    better = np.empty(len(rank), np.int64)
    better[order] = dense(rank[order], crowd[order])
    drawn = generator(address, 0).integers(len(rank), size=(n, 2))
    return drawn[np.arange(n), np.argmin(better[drawn], axis=1)]


def dense(rank: np.ndarray, crowd: np.ndarray) -> np.ndarray:
    """Places from 0 of sorted individuals, equal for equal ones."""
    if not len(rank):
        return np.empty(0, np.int64)
    return np.cumsum(np.append(False, (rank[1:] != rank[:-1]) | (crowd[1:] != crowd[:-1])))
