"""Power laws and exponentials: starting programs y = exp(a log x + b z + c / w + ...) = x^a exp(b z + c / w) ...

The logarithm of y is a sum of functions of single features, each of which may be needed. Additive noise is larger in
the logarithm where y is smaller, so rows are weighted by y. Over a narrow range log x, x and 1 / x look alike, and a
search that adds one at a time easily begins with the wrong one; so plain power laws are fitted, too, with and without
these weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from epsilex.planting.planter import Limits
from epsilex.planting.sums import by_description, path, possible
from epsilex.planting.terms import Term, apply, constant, correlated, distinct, evaluated, feature
from epsilex.planting.transforms import MIN_ROWS, Transform, least_squares, logarithms, with_ones
from epsilex.programs.fold import Node

FEATURES = 25  # at most, those most correlated with the logarithm
LAW = 8  # features of a power law, at most; there are three rows for each
KEPT = 10


def powers(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    if not possible(y, limits, MIN_ROWS):
        return []
    names, found = limits.operators, []
    for transform, rows in logarithms(y, names):
        features = correlated(X[rows], transform.values, FEATURES)
        terms = [t for j in features for t in _functions(j, X[:, j], names)]
        terms, values, _ = distinct(*evaluated(terms, X[rows]), len(terms))
        root = np.asarray(transform.root)
        unit, target = _weighted(values, root), _weighted(transform.values, root)
        unit /= np.maximum(np.sqrt((unit**2).sum(axis=1, keepdims=True)), 1e-300)
        paths = path(terms, unit, target, limits.max_length - 1, least=1)
        found += [transform.solve([terms[k] for k in picked], values[picked]) for picked in paths]
        if "log" in names:
            positive = [j for j in features if (X[:, j] > 0.0).all()][: min(LAW, len(rows) // 3)]
            for one in (transform, replace(transform, root=1.0)):
                found += power_laws(X[rows], positive, one)
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)[:KEPT]


def power_laws(X: np.ndarray, positive: Sequence[int], transform: Transform) -> Iterator[list[Node] | None]:
    """Programs of powers of the positive features of X (rows, features): of all, then without those that explain
    least, one by one."""
    left = list(positive)
    while left:
        yield transform.solve([apply("log", feature(j)) for j in left], np.log(X[:, left]).T)
        fewer = [[j for j in left if j != k] for k in left]
        left = min(fewer, key=lambda some: _residual(np.log(X[:, some]), transform))


def _residual(columns: np.ndarray, transform: Transform) -> float:
    """The weighted sum of squares that a sum of the columns and a constant leaves."""
    return least_squares((with_ones(columns).T * transform.root).T, transform.values * transform.root)[1]


def _functions(j: int, x: np.ndarray, names: Sequence[str]) -> list[Term]:
    """Functions of feature j, with values x, that may appear in the exponent."""
    found = [feature(j)]
    if "square" in names:
        found.append(apply("square", feature(j)))
    if "log" in names and (x > 0.0).all():
        found.append(apply("log", feature(j)))
    if (x > 0.0).all() or (x < 0.0).all():
        found.append(apply("div", constant(1.0), feature(j)))
    return found


def _weighted(values: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Values (..., rows) minus their weighted mean, times the roots of the weights."""
    mean = (values * root**2).sum(axis=-1, keepdims=True) / (root**2).sum()
    return (values - mean) * root
