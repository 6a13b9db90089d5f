"""Power laws and exponentials: starting programs y = exp(a log x + b z + c / w + ...) = x^a exp(b z + c / w) ...

The logarithm of y is a sum of functions of single features, each of which may be needed. Additive noise is larger in
the logarithm where y is smaller, so rows are weighted by y.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.planting.planter import Limits
from epsilex.planting.sums import by_description, path, possible
from epsilex.planting.terms import Term, apply, constant, correlated, distinct, evaluated, feature
from epsilex.planting.transforms import MIN_ROWS, logarithms
from epsilex.programs.fold import Node

FEATURES = 25  # at most, those most correlated with the logarithm
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
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)[:KEPT]


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
