"""Dominance by any number of objectives, all minimised. Legend: `points` one row per individual; `i`, `j` individuals.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit


@inner
def dominates(points, j, i):
    """Whether j is nowhere worse than i and somewhere better."""
    better = False
    for c in range(points.shape[1]):
        if points[j, c] > points[i, c]:
            return False
        better |= points[j, c] < points[i, c]
    return better


@jit
def front_ranks(points, order, rank):
    """Rank of each individual's front, from 0: one more than the greatest rank of those that dominate it, all of which
    come before it in lexicographic `order`."""
    for q in range(order.size):
        i = order[q]
        found = -1
        for p in range(q):
            j = order[p]
            if rank[j] > found and dominates(points, j, i):
                found = rank[j]
        rank[i] = found + 1


@jit
def strengths(columns, raw):
    """raw (individuals,): SPEA2's raw fitness, the sum over those that dominate i of how many they dominate.

    `columns` has one row per objective, so that the inner loops run over adjacent numbers without a branch.
    """
    n = columns.shape[1]
    raw[:] = 0
    sides = np.empty(n, np.uint8)  # bit 0: i is nowhere worse than j; bit 1: nowhere better
    for i in range(n):
        sides[:] = 3
        for c in range(columns.shape[0]):
            own = columns[c, i]
            for j in range(n):
                sides[j] &= np.uint8(own <= columns[c, j]) | (np.uint8(own >= columns[c, j]) << np.uint8(1))
        strength = 0
        for j in range(n):
            strength += sides[j] == 1
        for j in range(n):
            raw[j] += strength if sides[j] == 1 else 0


@inner
def nearer(distance, order, count, a, b):
    """Whether point a has the lexicographically smaller vector of distances to the others; both have equally many
    copies, which are at distance 0."""
    n = count.size
    pa, pb, left_a, left_b = -1, -1, 0, 0
    while True:
        while left_a == 0:
            pa += 1
            if pa == n:
                return False
            left_a = 0 if order[a, pa] == a else count[order[a, pa]]
        while left_b == 0:
            pb += 1
            if pb == n:
                return False
            left_b = 0 if order[b, pb] == b else count[order[b, pb]]
        da, db = distance[a, order[a, pa]], distance[b, order[b, pb]]
        if da != db:
            return da < db
        step = min(left_a, left_b)
        left_a -= step
        left_b -= step


@jit
def truncate(distance, order, count, surplus):
    """Take `surplus` copies, one at a time, from the point nearest to its neighbours (SPEA2's truncation).

    Points are distinct, and `count` individuals share each. `order` sorts each row of `distance`. A point with more
    copies has more distances of 0 and goes first.
    """
    for _ in range(surplus):
        most = count.max()
        worst = -1
        for i in range(count.size):
            if count[i] == most and (worst < 0 or nearer(distance, order, count, i, worst)):
                worst = i
        count[worst] -= 1
