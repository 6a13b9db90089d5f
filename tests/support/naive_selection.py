"""The oracle of the further selection methods: plain Python, as their papers say it; see also `naive`."""

from __future__ import annotations

import math
from itertools import combinations, permutations, product

import numpy as np

import naive


def split(values):
    """The greatest of the better group where the sum of squares within both groups is least."""
    values = sorted(values)
    exact = np.array(values, np.float64)

    def within(group):
        return len(group) * group.var()

    cuts = [i for i in range(len(values) - 1) if values[i] < values[i + 1]]
    if not cuts:
        return values[0]
    return values[min(cuts, key=lambda i: (within(exact[: i + 1]) + within(exact[i + 1 :]), i))]


def split_survivors(id, errors_t, population, pool):
    """Who stays in the pool after a case under `mvt`, `mvt_semi` or `mvt_dynamic`."""

    def finite(members):
        return [errors_t[i] for i in members if math.isfinite(errors_t[i])]

    if not finite(population if id == "mvt" else pool):
        return pool
    if id == "mvt":
        limit = split(finite(population))
    elif id == "mvt_semi":
        limit = min(finite(pool)) + (split(finite(population)) - min(finite(population)))
    else:
        limit = split(finite(pool))
    return [i for i in pool if errors_t[i] <= limit] or pool


def rule_survivors(id):
    if id.startswith("mvt"):
        return lambda *args: split_survivors(id, *args)
    return lambda *args: naive.survivors(naive.RULES[id], *args)


def select(id, errors, n, seed, generation=0, most=None, batch=1, length=None, first=False):
    """`n` parents and the cases each event used, with the kernels' own draws.

    most (events,) limits the cases of an event; `batch` cases are judged by their mean; of the last survivors the one
    of least `length` wins; with `first` the last case comes first in every event.
    """
    population, n_cases = naive.living(errors), errors.shape[1]
    left_after = rule_survivors(id)
    parents, used = [], []
    for event in range(n):
        stream = naive.Stream(seed, generation, 1, event)
        choice = stream.draw() >> 32
        pool, cases, j = list(population), list(range(n_cases)), 0
        limit = n_cases if most is None else most[event]
        while len(pool) > 1 and j < limit:
            begin = j
            while j < min(begin + batch, limit):
                r = n_cases - 1 if first and j == 0 else j + stream.below(n_cases - j)
                cases[j], cases[r] = cases[r], cases[j]
                j += 1
            some = errors[:, cases[begin:j]]
            judged = (sum(some[:, k].astype(np.float64) for k in range(j - begin)) / (j - begin)).astype(errors.dtype)
            pool = left_after(judged, population, pool)
        used.append(j)
        if length is not None:
            pool = [i for i in pool if length[i] == min(length[k] for k in pool)]
        parents.append(pool[(choice * len(pool)) >> 32])
    return np.array(parents), np.array(used)


def probabilities(id, errors, after=None):
    """The probability of each individual by every order of the cases, with the events ending after `after` of them."""
    population, result = naive.living(errors), np.zeros(len(errors))
    left_after = rule_survivors(id)
    orders = list(permutations(range(errors.shape[1])))
    for order in orders:
        pool = list(population)
        for t in order[:after]:
            pool = left_after(errors[:, t], population, pool)
        result[pool] += 1.0 / len(pool)
    return result / len(orders)


def passes(errors):
    """Who passes which case by Eq. 5, (individuals, cases) bool."""
    population = naive.living(errors)
    limits = [naive.threshold(naive.RULES["lex_e_mad"], errors[:, t], population, population) for t in columns(errors)]
    return np.array([
        [i in population and limits[t] is not None and errors[i, t] <= limits[t] for t in columns(errors)]
        for i in range(len(errors))
    ])  # fmt: skip


def columns(errors):
    return range(errors.shape[1])


def tournament(score, size):
    """The probability of each individual to win a tournament of `size`, drawn with replacement; equal scores share."""
    n, result = len(score), np.zeros(len(score))
    for drawn in product(range(n), repeat=size):
        best = min(score[i] for i in drawn)
        winners = [i for i in drawn if score[i] == best]
        for i in winners:
            result[i] += 1.0 / len(winners)
    return result / n**size


def shared_fitness(errors):
    """Implicit fitness sharing with rewards 1 - error / median, at least 0."""
    result = np.zeros(len(errors))
    for t in columns(errors):
        middle = naive.median([float(e) for e in errors[:, t]])
        reward = [max(0.0, 1 - float(e) / middle) if middle > 0 else float(e == 0) for e in errors[:, t]]
        result += np.array(reward) / (sum(reward) or 1.0)
    return result


def pair_fitness(solves):
    """Co-solvability."""
    result = np.zeros(len(solves))
    for t, u in combinations(columns(solves), 2):
        both = [i for i in range(len(solves)) if solves[i, t] and solves[i, u]]
        for i in both:
            result[i] += 1.0 / len(both)
    return result


def plexicase(elite, alpha):
    """Probabilities from who passes which case."""
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in elite]
    left = [i for i, own in enumerate(sets) if own and not any(own < other for other in sets)]
    p = np.zeros(len(sets))
    for t in columns(elite):
        voters = [i for i in left if t in sets[i]]
        for i in voters:
            p[i] += len(sets[i]) / sum(len(sets[j]) for j in voters)
    p = np.array([value**alpha if value > 0 else 0.0 for value in p / p.sum()])
    return p / p.sum()


def fronts(objectives):
    """Rank of each point's front, by peeling."""
    points = [tuple(map(float, row)) for row in objectives]

    def dominates(a, b):
        return all(x <= y for x, y in zip(a, b, strict=True)) and a != b

    rank, left, front = [-1] * len(points), set(range(len(points))), 0
    while left:
        best = {i for i in left if not any(dominates(points[j], points[i]) for j in left)}
        for i in best:
            rank[i] = front
        left -= best
        front += 1
    return rank


def crowding(objectives, rank):
    """NSGA-II's crowding distance; all who share the end of a front are at its end."""
    distance = np.zeros(len(rank))
    for front in set(rank):
        members = [i for i in range(len(rank)) if rank[i] == front]
        for values in np.asarray(objectives, float).T:
            low, high = min(values[members]), max(values[members])
            order = sorted(members, key=lambda i: (values[i], i))
            for place, i in enumerate(order):
                if values[i] in (low, high):
                    distance[i] = np.inf
                else:
                    distance[i] += (values[order[place + 1]] - values[order[place - 1]]) / (high - low)
    return distance


def farthest_first(profiles, chosen_first, wanted):
    """All sets of cases that a farthest-first traversal from this case can choose."""
    found = {(chosen_first,)}
    for _ in range(wanted - 1):
        longer = set()
        for chosen in found:
            nearest = {
                t: min(int((profiles[t] != profiles[u]).sum()) for u in chosen)
                for t in range(len(profiles))
                if t not in chosen
            }
            longer |= {(*chosen, t) for t in nearest if nearest[t] == max(nearest.values())}
        found = longer
    return {tuple(sorted(chosen)) for chosen in found}


def complement(errors, mother):
    """Who may be the mate of a mother: the least sum of the smaller of both errors."""
    totals = {
        i: sum(min(float(a), float(b)) for a, b in zip(errors[mother], errors[i], strict=True))
        for i in range(len(errors))
        if i != mother
    }
    return {i for i, total in totals.items() if math.isclose(total, min(totals.values()), rel_tol=1e-6)}


def novelty(bits, archive, k):
    """Mean share of different bits to the k nearest others."""
    everyone, n = [*map(list, bits), *map(list, archive)], len(bits)
    found = []
    for i in range(n):
        apart = sorted(
            sum(a != b for a, b in zip(everyone[i], other, strict=True)) for j, other in enumerate(everyone) if j != i
        )
        found.append(sum(apart[:k]) / min(k, len(apart)) / len(everyone[i]))
    return found


def spea2(points, n):
    """SPEA2's environmental selection by points scaled to their ranges: the coordinates of the survivors, sorted."""
    points = [tuple(map(float, p)) for p in points]
    everyone = range(len(points))

    def dominates(a, b):
        return all(x <= y for x, y in zip(a, b, strict=True)) and a != b

    def apart(a, b):
        return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))

    strength = [sum(dominates(points[i], points[j]) for j in everyone) for i in everyone]
    raw = [sum(strength[j] for j in everyone if dominates(points[j], points[i])) for i in everyone]
    front = [i for i in everyone if raw[i] == 0]
    while len(front) > n:
        vectors = {i: sorted(apart(points[i], points[j]) for j in front if j != i) for i in front}
        front.remove(min(front, key=lambda i: (vectors[i], points[i], -i)))
    k = max(1, int(math.sqrt(len(points))))
    sigma = [sorted(apart(points[i], points[j]) for j in everyone if j != i)[k - 1] for i in everyone]
    rest = sorted((i for i in everyone if raw[i] > 0), key=lambda i: (raw[i], -sigma[i], i))
    return sorted(front + rest[: n - len(front)])
