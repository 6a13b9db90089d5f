"""Polynomials: starting programs that are sums of powers and products of features, or quotients of such sums.

The fit begins with all terms, and the least useful are removed one at a time (backward elimination). Powers of a
feature are highly correlated, so adding terms one at a time would begin with the wrong ones.

y = P / Q is linear in the coefficients of both when written as y t = P - y (Q - t), with t any term of Q: y t is a sum
of the terms of P and of y times the other terms of Q. The best t is the one that the others explain best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from epsilex.planting.planter import Limits
from epsilex.planting.sums import EXACT, by_description, possible
from epsilex.planting.terms import (
    Term,
    apply,
    constant,
    correlated,
    distinct,
    evaluated,
    feature,
    multiplied,
    unit_length,
)
from epsilex.planting.transforms import MIN_ROWS, combined, whole_transforms, with_constant_if_missed
from epsilex.programs.fold import Node

FEATURES, DEGREE = 6, 6  # at most; the features are those most correlated with the target
TERMS, ROWS_EACH = 130, 3  # at most, and least number of rows per term
CLOSE = 0.99  # least R2 of a useful polynomial
PIVOTS = 3  # number of terms t tried
KEPT = 10  # polynomials, and as many quotients
NOTHING = 1e-10  # residual share treated as zero
ROOT = apply("sqrt")
RIDGE = 1e-11  # on products of unit-norm terms, which have float32 precision


def polynomials(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    if not possible(y, limits, MIN_ROWS):
        return []
    features, names = correlated(X, y, FEATURES), limits.operators
    degree = _degree(len(features), min(TERMS, len(y) // ROWS_EACH))
    terms, values, unit = _monomials(X, features, degree, names)
    lengths = np.array([len(t) for t in terms])
    found = [
        transform.solve([terms[k] for k in picked], values[picked])
        for transform in whole_transforms(y, names)
        for picked in thinned(unit, transform.values, lengths, limits.max_length)
    ]
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)[:KEPT]


def rationals(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """As `polynomials`, for quotients of two polynomials and roots of quotients, of the lowest degree that is exact.

    It finds none if y is noisy: y is part of the terms, and least squares takes those as exact.
    """
    if not possible(y, limits, MIN_ROWS):
        return []
    features, names = correlated(X, y, FEATURES), limits.operators
    rooted = "sqrt" in names and (y > 1e-6 * np.abs(y).max()).all()
    for degree in range(1, 1 + _degree(len(features), min(TERMS, len(y) // ROWS_EACH) // 2)):
        terms, values, _ = _monomials(X, features, degree, names)
        found = list(Quotient.of(terms, values, y).programs(limits.max_length))
        if rooted:
            found += [[*p, *ROOT] for p in Quotient.of(terms, values, y**2).programs(limits.max_length - 1)]
        if found:
            return by_description(found, X, y)[:KEPT]
    return []


@dataclass(frozen=True)
class Quotient:
    """The terms of P and Q in y = P / Q.

    above, below  terms of P, without its constant, and of Q
    values, unit  (above and below, rows): values and unit-norm values of the terms of P, and of y times those of Q
    left          (below,) residual share of y times each term of Q after regression on all others
    """

    above: list[Term]
    below: list[Term]
    values: np.ndarray
    unit: np.ndarray
    left: np.ndarray

    @classmethod
    def of(cls, terms: list[Term], values: np.ndarray, y: np.ndarray) -> Quotient:
        times_y = y / np.abs(y).max() * np.vstack([np.ones(len(y)), values])
        below, values_below, _ = distinct([constant(1.0), *terms], times_y, 1 + len(terms))
        both = np.vstack([values, values_below])
        unit = unit_length(both)
        return cls(terms, below, both, unit, 1.0 / np.diag(_inverse(unit))[len(terms) :])

    def programs(self, max_length: int) -> Iterator[list[Node]]:
        """Exact quotients with fewer and fewer terms, for each of the best-explained terms of Q."""
        if not (self.left < EXACT).any():
            return
        lengths = np.array([len(t) for t in (*self.above, *self.below)])
        for pivot in len(self.above) + np.argsort(self.left, kind="stable")[:PIVOTS]:
            others = np.delete(np.arange(len(self.unit)), pivot)
            room = max_length - int(lengths[pivot])
            for picked in thinned(self.unit[others], self.unit[pivot], lengths[others], room):
                program = self._solved(int(pivot), others[picked])
                if program is not None and len(program) <= max_length:
                    yield program

    def _solved(self, pivot: int, who: np.ndarray) -> list[Node] | None:
        """The quotient in which the term `pivot` of Q has coefficient 1, with the other terms `who`."""
        n, columns, target = len(self.above), self.values[who].T, self.values[pivot]
        c, offset = with_constant_if_missed(columns, target, 1e-12)
        over = [(self.above[k], a) for k, a in zip(who, c, strict=True) if k < n]
        under = [(self.below[k - n], -b) for k, b in zip(who, c, strict=True) if k >= n]
        P = combined([*over, (constant(1.0), offset)])
        Q = combined([(self.below[pivot - n], 1.0), *under])
        return None if P is None or Q is None else list(apply("div", P, Q))


def _degree(n_features: int, n_terms: int) -> int:
    """The highest degree of a polynomial with at most `n_terms` terms."""
    return max(d for d in range(DEGREE + 1) if comb(n_features + d, d) - 1 <= n_terms)


def _monomials(
    X: np.ndarray, features: Sequence[int], degree: int, names: Sequence[str]
) -> tuple[list, np.ndarray, np.ndarray]:
    """All products of features up to a degree: programs, values, and unit-norm values."""
    terms = [
        multiplied(
            [_power(j, e, "square" in names) for j, e in sorted(Counter(who).items(), key=lambda power: power[1])]
        )
        for size in range(1, degree + 1)
        for who in combinations_with_replacement(features, size)
    ]
    return distinct(*evaluated(terms, X), len(terms))


def _power(j: int, exponent: int, square: bool) -> Term:
    if not square:
        return multiplied([feature(j)] * exponent)
    if exponent == 1:
        return feature(j)
    half = apply("square", _power(j, exponent // 2, square))
    return half if exponent % 2 == 0 else apply("mul", feature(j), half)


def _inverse(unit: np.ndarray) -> np.ndarray:
    """Inverse of the Gram matrix of all terms."""
    return np.linalg.inv(unit @ unit.T + RIDGE * np.eye(len(unit)))


def thinned(unit: np.ndarray, target: np.ndarray, lengths: np.ndarray, max_length: int) -> Iterator[list[int]]:
    """The terms of shorter and shorter sums: each step removes the least useful term for its length.

    Least squares is solved once. Without term k, the coefficients c become c - G_k c_k / G_kk, the inverse Gram matrix
    G becomes G - G_k G_k / G_kk, and the residual sum of squares grows by c_k^2 / G_kk.
    """
    left, n = target - target.mean(), len(target)
    whole = float((left**2).sum())
    G, product = _inverse(unit), unit @ left
    c = G @ product
    rest = max(whole - float(product @ c), 0.0)
    if rest > (1.0 - CLOSE) * whole:
        return
    picked = np.arange(len(unit))
    while True:
        if int((lengths[picked] + 2).sum()) <= max_length:
            yield picked.tolist()
        if len(picked) == 1:
            return
        missed = c**2 / np.maximum(np.diag(G), 1e-300)
        score = n * np.log(np.maximum(rest + missed, NOTHING * whole)) - lengths[picked] * np.log(n)
        k = int(np.argmin(np.round(score, 3)))  # the last digits depend on BLAS threads
        rest += missed[k]
        column = G[:, k] / G[k, k]
        c, G = c - column * c[k], G - np.outer(column, G[k])
        keep = np.delete(np.arange(len(picked)), k)
        picked, c, G = picked[keep], c[keep], G[np.ix_(keep, keep)]
