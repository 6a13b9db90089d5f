"""The oracle: evaluation, thresholds and selection in plain Python, as the paper says it and as slowly as it likes."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np

from epsilex.programs.operators import CONSTANT, FEATURE, lookup

MASK = 2**64 - 1


def evaluate(nodes, X):
    """Outputs of one program on each row, float64, by the table's NumPy functions on single numbers."""
    outputs = []
    with np.errstate(all="ignore"):
        for x in np.asarray(X, np.float64):
            stack = []
            for code, feature, constant in nodes:
                if code == CONSTANT:
                    stack.append(np.float64(constant))
                elif code == FEATURE:
                    stack.append(constant * x[feature])
                else:
                    row = lookup(code)
                    arguments = stack[-row.arity :]
                    del stack[-row.arity :]
                    stack.append(row.value(*arguments))
            (value,) = stack
            outputs.append(float(value))
    return np.array(outputs)


class Stream:
    """The counter-based stream of `epsilex.kernels.streams`, on Python's integers."""

    STEP = 0x9E3779B97F4A7C15
    M1 = 0xBF58476D1CE4E5B9
    M2 = 0x94D049BB133111EB

    def __init__(self, seed, generation, purpose, slot):
        z = self.mix(seed + self.STEP)
        z = self.mix(z ^ ((generation * self.M1 + self.STEP) & MASK))
        z = self.mix(z ^ ((purpose * self.M2 + self.STEP) & MASK))
        self.state = self.mix(z ^ ((slot * self.STEP + self.M1) & MASK))

    def mix(self, z):
        z &= MASK
        z = ((z ^ (z >> 30)) * self.M1) & MASK
        z = ((z ^ (z >> 27)) * self.M2) & MASK
        return z ^ (z >> 31)

    def draw(self):
        self.state = (self.state + self.STEP) & MASK
        return self.mix(self.state)

    def below(self, n):
        return ((self.draw() >> 32) * n) >> 32


def median(values):
    """The middle value, or the mean of the two middle ones, in the values' own precision."""
    values = sorted(values)
    n = len(values)
    if n % 2:
        return values[n // 2]
    kind = type(values[0])
    return kind(0.5) * values[n // 2 - 1] + kind(0.5) * values[n // 2]


def mad(values):
    """Eq. 4."""
    centre = median(values)
    return median([abs(v - centre) for v in values])


# id: (scale, scope of the best error, width, epsilon), as in the table of rules
RULES = {
    "lex": (1.0, "pool", "fixed", 0.0),
    "lex_e": (6.0, "population", "fixed", 0.0),
    "lex_y": (0.0, None, "fixed", 0.10),
    "lex_e_mad": (1.0, "population", "population", 0.0),
    "lex_y_mad": (0.0, None, "population", 0.0),
    "lex_semi": (1.0, "pool", "population", 0.0),
    "lex_dynamic": (1.0, "pool", "pool", 0.0),
}


def threshold(rule, errors_t, population, pool):
    """The pass threshold of one case; None where no error in its scope is finite, so that nobody passes."""
    scale, best, width, epsilon = rule
    kind = errors_t.dtype.type

    def finite(members):
        return [errors_t[i] for i in members if math.isfinite(errors_t[i])]

    scope = pool if "pool" in (best, width) else population
    if not finite(scope):
        return None
    limit = kind(epsilon) if width == "fixed" else mad(finite(pool if width == "pool" else population))
    if best is not None:
        limit = kind(scale) * min(finite(pool if best == "pool" else population)) + limit
    return limit


def survivors(rule, errors_t, population, pool):
    """Step 3: who stays in the pool after a case; everyone where nobody passes."""
    limit = threshold(rule, errors_t, population, pool)
    passing = [] if limit is None else [i for i in pool if errors_t[i] <= limit]
    return passing or pool


def living(errors):
    alive = [i for i in range(len(errors)) if np.isfinite(errors[i]).any()]
    return alive or list(range(len(errors)))


def select(id, errors, n, seed, generation=0):
    """`n` parents and the cases each event used, by steps 1 to 4 of Section 2, with the kernels' own draws."""
    rule = RULES[id]
    population = living(errors)
    n_cases = errors.shape[1]
    parents, used = [], []
    for event in range(n):
        stream = Stream(seed, generation, 1, event)
        choice = stream.draw() >> 32
        pool = list(population)  # step 1
        cases = list(range(n_cases))  # step 2, shuffled as far as it is needed
        j = 0
        while len(pool) > 1 and j < n_cases:  # step 4
            r = j + stream.below(n_cases - j)
            cases[j], cases[r] = cases[r], cases[j]
            pool = survivors(rule, errors[:, cases[j]], population, pool)  # step 3
            j += 1
        used.append(j)
        parents.append(pool[(choice * len(pool)) >> 32])
    return np.array(parents), np.array(used)


def probabilities(id, errors):
    """The probability of each individual to be selected, by going through every order of the cases."""
    rule = RULES[id]
    population = living(errors)
    result = np.zeros(len(errors))
    orders = list(permutations(range(errors.shape[1])))
    for order in orders:
        pool = list(population)
        for t in order:
            if len(pool) == 1:
                break
            pool = survivors(rule, errors[:, t], population, pool)
        result[pool] += 1.0 / len(pool)
    return result / len(orders)


def dominates(a, b):
    return a[0] <= b[0] and a[1] <= b[1] and a != b


def squared_distance(a, b):
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def spea2(fitness, age, n):
    """SPEA2's environmental selection on (fitness, age): indices of the `n` survivors, ascending.

    Distances are between objectives divided by their greatest values. Where the algorithm leaves a choice: of equally
    crowded points the one of least (fitness, age) goes first, of equal individuals the last one.
    """
    points = list(zip(map(float, fitness), map(float, age), strict=True))
    everyone = range(len(points))
    strength = [sum(dominates(points[i], points[j]) for j in everyone) for i in everyone]
    raw = [sum(strength[j] for j in everyone if dominates(points[j], points[i])) for i in everyone]
    greatest = [max(axis) or 1.0 for axis in zip(*points, strict=True)]
    points = [(f / greatest[0], g / greatest[1]) for f, g in points]
    front = [i for i in everyone if raw[i] == 0]
    while len(front) > n:
        distances = {i: sorted(squared_distance(points[i], points[j]) for j in front if j != i) for i in front}
        front.remove(min(front, key=lambda i: (distances[i], points[i], -i)))
    if len(front) == n:
        return front
    k = max(1, int(math.sqrt(len(points))))
    sigma = [
        math.sqrt(sorted(squared_distance(points[i], points[j]) for j in everyone if j != i)[k - 1]) for i in everyone
    ]
    dominated = sorted((i for i in everyone if raw[i] > 0), key=lambda i: (raw[i], -sigma[i], i))
    return sorted(front + dominated[: n - len(front)])


def front_ranks(f, g):
    """Rank of the non-dominated front each point is on, from 0: peel off one front after another."""
    points = list(zip(map(float, f), map(float, g), strict=True))
    rank, left = [-1] * len(points), set(range(len(points)))
    front = 0
    while left:
        best = {i for i in left if not any(dominates(points[j], points[i]) for j in left)}
        for i in best:
            rank[i] = front
        left -= best
        front += 1
    return rank


def scion(y, w, out, g, values, base, scaling, through_zero=False):
    """The factor c of a scion with these values for which `base + c g values`, on top of what linear scaling of `out`
    does, leaves least of y; and what is left, the sum of weighted squares."""
    root = np.sqrt(w)
    free = ([out] if through_zero else [np.ones(len(y)), out]) if scaling else []
    columns = np.column_stack([*free, g * values]) * root[:, None]
    c, *_ = np.linalg.lstsq(columns, root * (y - base), rcond=None)
    return c[-1], ((root * (y - base) - columns @ c) ** 2).sum()
