"""Symmetries: changes of the columns that leave a target as it is, or only multiply it; the fewer columns they leave.

A target r of columns c may be a power of one column times a function of the others, or depend on two columns only
through their product, their difference or the sum of their squares. In terms of the gradient:

    scale    r = c_m^p f(c_j c_m^e_j, ...)   where   d log r / d log c_m = p + sum of e_j d log r / d log c_j
    sum      r = f(c_i^a + e c_j^a, ...)     where   c_j^(a - 1) dr / dc_i = e c_i^(a - 1) dr / dc_j, e = 1 or -1
    mirror   r = f(c_j^2, ...)               where   c_j has both signs

A smooth surface through the data has gradients good enough to propose such symmetries. A proposal is taken if a surface
over the fewer columns explains y no worse for its number of terms. Scale symmetries are those of dimensional analysis,
found without units. Udrescu, Tegmark, AI Feynman, Science Advances 6(16), 2020, look for some of these symmetries with
a neural network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product

import numpy as np

from epsilex.planting.monomials import Group
from epsilex.planting.surfaces import Surface, fitted
from epsilex.planting.terms import Term, apply

TRIED = 16  # proposals of a kind that get a surface of their own
FEW = 4  # columns up to which the simplest symmetries are tried in any case
STEADY = 0.35  # largest spread of a logarithmic slope that may be constant
LIKELY = 0.25  # largest share of the slopes' squares that their combination may leave
EXPONENTS = (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0)  # e_j of one column; with two columns only 1 and -1
MOST = 6.0  # largest exponent p
LARGE = 0.02  # of the largest |y|: the logarithm of smaller values is mostly noise
LEVEL = 0.3  # logarithm of the residual share by which symmetries count as equally good


@dataclass(frozen=True)
class Problem:
    """A target that is a function of some columns; y = factor * target.

    columns, values        groups, and their values (columns, rows)
    factor, factor_values  a group, and its values (rows,)
    y                      (rows,)
    roots, square          whether programs may have half powers, and the operator `square`
    """

    columns: tuple[Group, ...]
    values: np.ndarray
    factor: Group
    factor_values: np.ndarray
    y: np.ndarray
    roots: bool = True
    square: bool = True

    @property
    def length(self) -> int:
        """Number of nodes of the columns and the factor."""
        return sum(len(self.program(group)) for group in (*self.columns, self.factor))

    def program(self, group: Group, *inner: Term) -> Term:
        """The program of a group, and of others it is multiplied by."""
        return group.program(*inner, square=self.square)

    @property
    def target(self) -> np.ndarray:
        return self.y / self.factor_values

    def coordinates(self, log: bool) -> np.ndarray:
        """The columns; with `log` the logarithms of positive ones."""
        if not log:
            return self.values
        positive = (self.values > 0.0).all(axis=1, keepdims=True)
        return np.where(positive, np.log(np.where(positive, self.values, 1.0)), self.values)

    def surface(self, log: bool) -> Surface:
        return fitted(self.coordinates(log), self.target, self.factor_values)

    def score(self) -> tuple[float, bool]:
        """The score of the better one of the surfaces over the columns and over their logarithms; whether it is the
        latter."""
        return min((self.surface(log).score, log) for log in (False, True))

    def replaced(
        self, without: set[int], new: Sequence[tuple[Group, np.ndarray]], factor: Group, size: np.ndarray
    ) -> Problem:
        """The problem with some columns replaced by `new` ones, and the factor times another of values `size`."""
        kept = [j for j in range(len(self.columns)) if j not in without]
        columns = (*(self.columns[j] for j in kept), *(group for group, _ in new))
        values = np.vstack([self.values[kept], *(value for _, value in new)])
        factor, size = self.factor.times(factor), self.factor_values * size
        return replace(self, columns=columns, values=values, factor=factor, factor_values=size)

    def inverted(self) -> Problem:
        """The problem with the inverses of its columns."""
        columns = tuple(Group().times(c, -1.0) for c in self.columns)
        return replace(self, columns=columns, values=1.0 / self.values)

    def unmirrored(self) -> Problem | None:
        """The problem with the roots of columns that are squares; None if there is none."""
        even = [bool(c.powers) and all(e % 2.0 == 0.0 for _, e in c.powers) for c in self.columns]
        columns = tuple(Group().times(c, 0.5) if e else c for c, e in zip(self.columns, even, strict=True))
        values = np.where(np.array(even)[:, None], np.sqrt(np.abs(self.values)), self.values)
        return replace(self, columns=columns, values=values) if any(even) else None

    @property
    def usable(self) -> bool:
        return bool(np.isfinite(self.values).all() and np.isfinite(self.target).all())


def reduced(problem: Problem) -> Iterator[Problem]:
    """Problems with fewer and fewer columns, each from the one before by the simplest of the symmetries that explain y
    about as well as the best one, and no worse than without it."""
    while len(problem.columns):
        score, log = problem.score()
        found = _holding(_proposals(problem), score, log) or _holding(_mirrors(problem), score, log)
        if not found:
            return
        limit = min(s for s, _ in found) + LEVEL * len(problem.y)
        score, problem = min((pair for pair in found if pair[0] <= limit), key=lambda pair: (pair[1].length, pair[0]))
        yield problem


def _holding(proposals: Iterator[Problem], score: float, log: bool) -> list[tuple[float, Problem]]:
    """The proposals that explain y no worse than `score`, with their scores."""
    scored = [(p.surface(log).score, p) for p in proposals if p.usable]
    return [pair for pair in scored if pair[0] <= score]


def _proposals(problem: Problem) -> Iterator[Problem]:
    """The smaller problems that the gradients of surfaces suggest, a few of each kind."""
    values, target, y = problem.values, problem.target, problem.y
    rows = np.abs(y) > LARGE * np.abs(y).max()
    raw = fitted(values, target, problem.factor_values, gradient=True)
    log = fitted(problem.coordinates(True)[:, rows], np.log(np.abs(target[rows])), np.abs(y[rows]), gradient=True)
    positive = (values > 0.0).all(axis=1, keepdims=True)
    slopes = (
        np.where(positive, 1.0, values[:, rows]) * log.gradient,
        values[:, rows] * raw.gradient[:, rows] / target[rows],
    )
    scalings = [scaling for slope in slopes for scaling in _scalings(slope, y[rows] ** 2, problem.roots)]
    sums = _sums(values, raw.gradient * problem.factor_values)
    if len(values) <= FEW:  # a rough surface may hide them
        pairs = list(permutations(range(len(values)), 2))
        scalings += [(m, (), p) for m in range(len(values)) for p in (1.0, -1.0)]
        scalings += [(m, ((j, e),), 0.0) for m, j in pairs for e in (1.0, -1.0)]
        sums += [(i, j, 1.0, e) for i, j in pairs if i < j for e in (1.0, -1.0)]
    for scaling in dict.fromkeys(scalings):
        yield from _scaled(problem, *scaling)
    for who in dict.fromkeys(sums):
        yield _added(problem, *who)


def _mirrors(problem: Problem) -> Iterator[Problem]:
    """The problem with the square of a column of both signs in its place."""
    values = problem.values
    for j in np.flatnonzero((values.min(axis=1) < 0.0) & (values.max(axis=1) > 0.0)).tolist():
        square = (Group().times(problem.columns[j], 2.0), values[j] ** 2)
        yield problem.replaced({j}, [square], Group(), np.ones(len(problem.y)))


Partners = tuple[tuple[int, float], ...]  # columns j with their e_j
Scaling = tuple[int, Partners, float]  # column m, its partners, and the power p


def _scalings(slope: np.ndarray, weight: np.ndarray, roots: bool) -> list[Scaling]:
    """Scale symmetries by the share that their combination of logarithmic slopes (columns, rows) leaves, the best
    first."""
    slope, weight = np.where(np.isfinite(slope), slope, 0.0), weight / weight.sum()
    mean = slope @ weight
    centred = slope - mean[:, None]
    covariance = (centred * weight) @ centred.T
    found: list[tuple[float, int, Partners]] = []
    found += [(float(c), m, ()) for m, c in enumerate(np.diag(covariance)) if c < STEADY**2]
    found = sorted([*found, *_likely(covariance)])[:TRIED]
    step = 2.0 if roots else 1.0
    best = [(m, who, mean[m] - sum(e * mean[j] for j, e in who)) for _, m, who in found]
    rounded = [(m, who, round(p * step) / step) for m, who, p in best]
    return [(m, who, p) for m, who, p in rounded if abs(p) <= MOST and (roots or all(e.is_integer() for _, e in who))]


def _likely(covariance: np.ndarray) -> list[tuple[float, int, Partners]]:
    """Combinations g_m - sum of e_j g_j of one or two partners that vary little for what is in them; the share that is
    left, m, and its partners."""
    k, own = len(covariance), np.diag(covariance)
    found: list[tuple[float, int, Partners]] = []
    for e in EXPONENTS:
        whole = own[:, None] + e * e * own
        share = (whole - 2.0 * e * covariance) / np.maximum(whole, 1e-300)
        for m, j in np.argwhere((share < LIKELY) & ~np.eye(k, dtype=bool)).tolist():
            found.append((float(share[m, j]), m, ((j, e),)))
    whole = own[:, None, None] + own[:, None] + own
    apart = np.arange(k)[:, None] < np.arange(k)
    apart = apart & ~np.eye(k, dtype=bool)[:, :, None] & ~np.eye(k, dtype=bool)[:, None, :]
    for e, f in product((-1.0, 1.0), repeat=2):
        rest = whole - 2.0 * e * covariance[:, :, None] - 2.0 * f * covariance[:, None, :] + 2.0 * e * f * covariance
        share = rest / np.maximum(whole, 1e-300)
        for m, i, j in np.argwhere((share < LIKELY) & apart).tolist():
            found.append((float(share[m, i, j]), m, ((i, e), (j, f))))
    return found


def _scaled(problem: Problem, m: int, partners: Sequence[tuple[int, float]], p: float) -> Iterator[Problem]:
    """The problem without column m; none if that has both signs and an exponent is not whole and positive."""
    column, value = problem.columns[m], problem.values[m]
    whole = all(e.is_integer() and e >= 0.0 for e in (p, *(e for _, e in partners)))
    if whole or (value > 0.0).all():
        new = [(problem.columns[j].times(column, e), problem.values[j] * value**e) for j, e in partners]
        yield problem.replaced({m, *(j for j, _ in partners)}, new, Group().times(column, p), value**p)


def _sums(values: np.ndarray, slope: np.ndarray) -> list[tuple[int, int, float, float]]:
    """(i, j, a, e) of sums c_i^a + e c_j^a, by the share that the combination of slopes leaves, the best first."""
    found = []
    for i, j in combinations(range(len(values)), 2):
        for a in (1.0, 2.0, -1.0):
            u, v = slope[i] * values[j] ** (a - 1.0), slope[j] * values[i] ** (a - 1.0)
            whole, both = float(u @ u + v @ v), float(u @ v)
            if whole - 2.0 * abs(both) < LIKELY * whole:
                found.append((1.0 - 2.0 * abs(both) / whole, (i, j, a, float(np.sign(both)))))
    return [who for _, who in sorted(found)[:TRIED]]


def _added(problem: Problem, i: int, j: int, a: float, e: float) -> Problem:
    """The problem with c_i^a + e c_j^a in place of both columns; what they share stays a factor of the sum."""
    value = problem.values[i] ** a + e * problem.values[j] ** a
    if e < 0.0 and (value < 0.0).all():
        i, j, value = j, i, -value
    shared = problem.columns[i].shared(problem.columns[j])
    one, two = (problem.program(Group().times(problem.columns[k].times(shared, -1.0), a)) for k in (i, j))
    group = Group.of(apply("add" if e > 0.0 else "sub", one, two)).times(shared, a)
    return problem.replaced({i, j}, [(group, value)], Group(), np.ones(len(problem.y)))
