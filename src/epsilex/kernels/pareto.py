"""Dominance: SPEA2's environmental selection, non-dominated fronts. Everything is minimised.

Legend: `f`, `g` the two objectives; `i`, `j` individuals.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit


@jit
def spea2_raw_fitness(f, g, raw):
    """Sum of the strengths of i's dominators; strength = number of individuals dominated. 0: non-dominated."""
    n = f.size
    strength = np.zeros(n, np.int64)
    for i in range(n):
        count = 0
        for j in range(n):
            count += 1 if (f[i] <= f[j]) & (g[i] <= g[j]) & ((f[i] < f[j]) | (g[i] < g[j])) else 0
        strength[i] = count
    for i in range(n):
        total = 0
        for j in range(n):
            total += strength[j] if (f[j] <= f[i]) & (g[j] <= g[i]) & ((f[j] < f[i]) | (g[j] < g[i])) else 0
        raw[i] = total


@jit
def kth_neighbour_distance(f, g, who, k, distance):
    """Distance of each of `who` to its k-th nearest neighbour among all individuals."""
    n = f.size
    d = np.empty(n)
    for q in range(who.size):
        i = who[q]
        for j in range(n):
            d[j] = (f[i] - f[j]) ** 2 + (g[i] - g[j]) ** 2
        d[i] = np.inf
        distance[q] = np.sqrt(np.partition(d, k - 1)[k - 1])


@inner
def _nearer(f, g, count, a, b, da, db):
    """Whether point a has the lexicographically smaller vector of distances to the others (count: copies of a
    point)."""
    n = f.size
    for j in range(n):
        da[j] = (f[a] - f[j]) ** 2 + (g[a] - g[j]) ** 2
        db[j] = (f[b] - f[j]) ** 2 + (g[b] - g[j]) ** 2
    ia, ib = np.argsort(da), np.argsort(db)
    pa = pb = 0
    left_a, left_b = count[ia[0]] - 1, count[ib[0]] - 1
    while True:
        while left_a == 0:
            pa += 1
            if pa == n:
                return False
            left_a = count[ia[pa]]
        while left_b == 0:
            pb += 1
            if pb == n:
                return False
            left_b = count[ib[pb]]
        if da[ia[pa]] != db[ib[pb]]:
            return da[ia[pa]] < db[ib[pb]]
        step = min(left_a, left_b)
        left_a -= step
        left_b -= step


@jit
def spea2_truncate(f, g, count, surplus):
    """Take `surplus` copies, one at a time, from the point that is nearest to its neighbours (SPEA2's truncation).

    Points are distinct, and `count` individuals share each; a copy at distance 0 is the nearest neighbour.
    """
    n = f.size
    da, db = np.empty(n), np.empty(n)
    for _ in range(surplus):
        most = count.max()
        worst = -1
        for i in range(n):
            # While copies exist, a point with more copies has more zero distances and goes first.
            if count[i] == most and (worst < 0 or _nearer(f, g, count, i, worst, da, db)):
                worst = i
        count[worst] -= 1


@jit
def front_ranks(f, g, order, rank):
    """Rank of each individual's non-dominated front, from 0; `order` sorts by (f, g).

    Individuals are visited by (f, g), and each front keeps the least g of its members so far. The first front whose
    least g is above g(i), or equal with the same f, takes i. Fronts are ordered, so binary search finds it.
    """
    n = f.size
    least_g = np.empty(n)
    last_f = np.empty(n)
    fronts = 0
    for q in range(n):
        i = order[q]
        low, high = 0, fronts
        while low < high:
            middle = (low + high) // 2
            # The front's last member dominates i unless it has a larger g, or is equal in both.
            if g[i] < least_g[middle] or (g[i] == least_g[middle] and f[i] == last_f[middle]):
                high = middle
            else:
                low = middle + 1
        if low == fronts:
            fronts += 1
        rank[i] = low
        least_g[low] = g[i]
        last_f[low] = f[i]
