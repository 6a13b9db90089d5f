"""Sums: starting formulas found without evolution, y, log y, y / (x z), ... = a A + b B + ... of simple terms.

Thousands of terms, from `x` to `x * square(cos(z * w))`, are evaluated on a few hundred rows. One matrix product gives
the correlations of all pairs, and from these follows the R2 of every sum of two. The best few, with third and fourth
terms added one at a time, become starting programs. Many laws of physics are such sums once a root, logarithm, inverse
or factor is moved to the side of y.

Other targets may still be close to a longer sum, so terms are added one at a time up to the length limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from epsilex.planting.planter import Limits
from epsilex.planting.terms import (
    Monomial,
    Term,
    all_monomials,
    correlated,
    distinct,
    evaluated,
    library,
    outputs,
    unit_length,
)
from epsilex.planting.transforms import (
    MIN_ROWS,
    factored,
    inverses,
    least_squares,
    logarithms,
    transforms,
    whole_transforms,
)
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, lookup, opcode

TERMS, TERMS_EACH = 2500, 2.5  # at most, the simplest first; and number per individual of the population
FEATURES = 8  # used in terms, those most correlated with the target
PATH_FEATURES, LONG_SUMS = 25, 20  # for long sums, whose terms have one or two features
PAIRS = 8  # kept per transform
FEW_ROWS = 256  # on which all pairs of terms are compared
LONGER = 2  # of these get a third and a fourth term
COLLINEAR = 1e-4  # 1 - r^2 below which two terms count as the same
EXACT = 1e-8  # share of the squares left by a sum that needs no further term


def sums(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    X, y, names = X[:FEW_ROWS], y[:FEW_ROWS], list(limits.operators)
    if not possible(y, limits, MIN_ROWS):
        return []
    features = correlated(X, y, FEATURES)
    monomials = all_monomials(features)
    terms, values, unit = _terms(X, features, monomials, limits)
    if len(terms) < 2:
        return []
    lengths = np.array([len(t) for t in terms])
    whole = Correlations(unit)
    found = [
        transform.solve([terms[k] for k in picked], values[picked])
        for transform in (*transforms(y, names), *factored(X, y, features, monomials, unit, "sqrt" in names))
        for picked in picks(whole, transform.values, lengths)
    ]
    for log, rows in (*logarithms(y, names), *inverses(y)):
        part = whole if len(rows) == len(y) else Correlations(unit_length(values[:, rows]))
        found += [
            log.solve([terms[k] for k in picked], values[picked][:, rows])
            for picked in picks(part, log.values, lengths)
        ]
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)


def possible(y: np.ndarray, limits: Limits, rows: int) -> bool:
    """Whether the operators allow sums, and the target varies and has at least `rows` rows."""
    return {"add", "sub", "mul", "div"} <= set(limits.operators) and len(y) >= rows and np.ptp(y) > 0.0


def long_sums(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs of sums that grow one term at a time: from squares and products, from terms of one feature, and from
    all terms."""
    names = limits.operators
    if not possible(y, limits, MIN_ROWS):
        return []
    features = correlated(X, y, PATH_FEATURES)
    terms, values, unit = _terms(X, features, all_monomials(features, 2), limits)
    products = {CONSTANT, FEATURE, opcode("mul"), opcode("square")}
    kinds = (
        [len(t) <= 3 and all(code in products for code, _, _ in t) for t in terms],  # of degree two
        [len({column for code, column, _ in t if code == FEATURE}) == 1 for t in terms],
        [True] * len(terms),
    )
    found = []
    for transform in whole_transforms(y, names):
        centred = transform.values - transform.values.mean()
        for who in map(np.flatnonzero, kinds):
            paths = path([terms[k] for k in who], unit[who], centred, limits.max_length)
            found += [transform.solve([terms[k] for k in who[picked]], values[who[picked]]) for picked in paths]
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)[:LONG_SUMS]


def path(terms: list[Term], unit: np.ndarray, left: np.ndarray, max_length: int, least: int = 2) -> Iterator[list[int]]:
    """The terms, `least` or more, of longer and longer sums: each new term explains most of the residual `left`, minus
    the cost of its length.

    Only the part of a term orthogonal to the picked terms matters. Its norm and its product with the target are
    updated from the products of the terms, without another pass over the rows.
    """
    lengths = np.array([len(t) for t in terms])
    picked: list[int] = []
    shadows = np.empty((0, len(terms)))  # projections of all terms on the directions picked so far
    n = len(left)
    whole = rest = float((left**2).sum())
    product, square = np.einsum("ij,j->i", unit, left), np.ones(len(terms))
    while len(picked) < max_length // 2:
        room = max_length - int((lengths[picked] + 2).sum())
        gain = np.where(square > COLLINEAR, product**2 / np.maximum(square, COLLINEAR), 0.0)
        score = n * np.log(np.maximum(rest - gain, 1e-9 * whole)) + lengths * np.log(n)
        score[(gain <= 0.0) | (lengths >= room)] = np.inf
        if not len(score) or not np.isfinite(score).any():
            return
        k = int(np.argmin(score))
        picked = [*picked, k]
        size = np.sqrt(square[k])
        shadow = (np.einsum("ij,j->i", unit, unit[k]) - np.einsum("ji,j->i", shadows, shadows[:, k])) / size
        step = product[k] / size
        product, square, rest = product - step * shadow, square - shadow**2, rest - step**2
        shadows = np.vstack([shadows, shadow])
        if len(picked) >= least:
            yield picked
        if rest < EXACT * whole:
            return


def _terms(
    X: np.ndarray, features: Sequence[int], monomials: Sequence[Monomial], limits: Limits
) -> tuple[list, np.ndarray, np.ndarray]:
    """The library's usable terms of these features: programs, values, and unit-norm values."""
    unary = [name for name in limits.operators if lookup(opcode(name)).arity == 1 and name != "neg"]
    n = min(TERMS, round(TERMS_EACH * limits.population_size))
    return distinct(*evaluated(library(features, monomials, unary, 2 * n), X), n)


class Correlations:
    """Correlations of all terms with each other. unit (terms, rows): their values, centred and of unit norm."""

    def __init__(self, unit: np.ndarray):
        self.unit, self.single = unit, unit.astype(np.float32)
        self.gram = (unit @ unit.T).astype(np.float32)

    def best_partners(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The greatest R2 of each term together with another, and that partner; `r`: correlations with the target."""
        from epsilex.kernels import pairs

        best, partner = np.empty(len(r), np.float32), np.empty(len(r), np.int64)
        pairs.best_partners(np.round(r, 6).astype(np.float32), self.gram, np.float32(COLLINEAR), best, partner)
        return best, partner


def picks(terms: Correlations, target: np.ndarray, lengths: np.ndarray) -> Iterator[list[int]]:
    """The terms of the best single terms, pairs, and pairs with more terms added."""
    centred = target - target.mean()
    size = np.sqrt((centred**2).sum())
    if not (np.isfinite(size) and size > 0.0):
        return
    t = centred / size
    n = len(t)
    cost = lengths * np.log(n)
    unit = terms.unit
    r = np.einsum("ij,j->i", unit, t)  # not BLAS: its threads cost more than such a small product
    for k in np.argsort(n * np.log(1.0 - np.minimum(r * r, 1.0) + 1e-9) + cost, kind="stable")[:2]:
        yield [int(k)]
    best, partner = terms.best_partners(r)
    score = n * np.log(1.0 - np.minimum(best, 1.0) + 1e-9) + cost + cost[partner]
    pairs = []
    for i in np.argsort(score, kind="stable"):
        pair = sorted((int(i), int(partner[i])))
        if pair not in pairs:
            pairs.append(pair)
        if len(pairs) == PAIRS:
            break
    yield from pairs
    for picked in pairs[:LONGER]:
        for _ in range(2):
            columns = np.column_stack([unit[picked].T, np.ones(n)])
            c, rest = least_squares(columns, t)
            if rest < 1e-8:
                break
            left = t - columns @ c
            gain = np.abs(np.einsum("ij,j->i", terms.single, left.astype(np.float32)))
            gain[picked] = 0.0
            picked = [*picked, int(np.argmax(gain))]
            yield picked


def by_description(found: list[list[Node]], X: np.ndarray, y: np.ndarray) -> list[list[Node]]:
    """Programs by n log(squared error after linear scaling) + length log n; undefined programs are left out."""
    if not found:
        return []
    n = len(y)
    values = outputs(found, X)
    score = np.full(len(found), np.inf)
    for i in np.flatnonzero(np.isfinite(values).all(axis=1)):
        _, rest = least_squares(np.column_stack([values[i], np.ones(n)]), y)
        share = rest / ((y - y.mean()) ** 2).sum()
        score[i] = n * np.log(share + 1e-12) + len(found[i]) * np.log(n)
    return [found[i] for i in np.argsort(score, kind="stable") if np.isfinite(score[i])]
