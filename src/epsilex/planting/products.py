"""Products: starting programs that are products or quotients of powers of a few inputs, `k*x`, `n*T/V`, `a^1.5`.

All products of up to three features with whole and half exponents are tried. Those closest to y after linear scaling
are kept, and those closest in the logarithm, which matters when the noise is relative.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from epsilex.planting.planter import Limits
from epsilex.planting.sums import possible
from epsilex.planting.terms import Term, apply, constant, correlated, feature, multiplied
from epsilex.planting.transforms import MIN_ROWS
from epsilex.programs.fold import Node

FEATURES, SIZE = 5, 3  # features considered, those most correlated with the target; and features per product
EXPONENTS = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
SIMPLE = (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0)  # of products of three
KEPT = 8  # per measure


def products(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    names = limits.operators
    if not possible(y, limits, MIN_ROWS):
        return []
    positive = [j for j in correlated(X, y, FEATURES) if (X[:, j] > 0.0).all()]
    powers = [e for e in EXPONENTS if e.is_integer() or "sqrt" in names]
    tried = [
        (who, exponents)
        for size in range(1, min(SIZE, len(positive)) + 1)
        for who in combinations(positive, size)
        for exponents in product(powers if size < SIZE else [e for e in powers if e in SIMPLE], repeat=size)
    ]
    if not tried:
        return []
    matrix = np.zeros((len(tried), X.shape[1]))
    for i, (who, exponents) in enumerate(tried):
        matrix[i, list(who)] = exponents
    used = [j for j in range(X.shape[1]) if matrix[:, j].any()]
    logs = matrix[:, used] @ np.log(X[:, used]).T
    cost = np.array([len(_program(who, e, "square" in names)) for who, e in tried]) * np.log(len(y))
    best = np.argsort(len(y) * np.log(_left(np.exp(np.clip(logs, -80, 80)), y)) + cost, kind="stable")[:KEPT].tolist()
    if (y > 0.0).all() or (y < 0.0).all():
        gap = np.log(np.abs(y)) - logs
        spread = gap.var(axis=1) / max(np.log(np.abs(y)).var(), 1e-300)
        best += np.argsort(len(y) * np.log(spread + 1e-12) + cost, kind="stable")[:KEPT].tolist()
    found = [list(_program(tried[i][0], tried[i][1], "square" in names)) for i in dict.fromkeys(best)]
    return [nodes for nodes in found if len(nodes) <= limits.max_length]


def _left(values: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(programs,) share of the target's squares left as residual after linear scaling."""
    a = values - values.mean(axis=1, keepdims=True)
    t = y - y.mean()
    size = (a**2).sum(axis=1)
    r2 = (a @ t) ** 2 / np.where(size > 0.0, size, np.inf) / (t**2).sum()
    return 1.0 - np.minimum(r2, 1.0) + 1e-12


def _program(who: tuple[int, ...], exponents: tuple[float, ...], square: bool) -> Term:
    over = [_power(j, e, square) for j, e in zip(who, exponents, strict=True) if e > 0.0]
    under = [_power(j, -e, square) for j, e in zip(who, exponents, strict=True) if e < 0.0]
    top = multiplied(over) if over else constant(1.0)
    return apply("div", top, multiplied(under)) if under else top


def _power(j: int, exponent: float, square: bool) -> Term:
    """A whole or half power of a feature, in as few nodes as possible."""
    whole, half = int(exponent), exponent != int(exponent)
    parts: list[Term] = []
    if square and whole >= 2:
        parts.append(apply("square", apply("square", feature(j)) if whole == 4 else feature(j)))
        whole -= 4 if whole == 4 else 2
    parts += [feature(j)] * whole
    if half:
        parts.append(apply("sqrt", feature(j)))
    return multiplied(parts)
