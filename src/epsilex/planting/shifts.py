"""Shifted power laws and exponentials: starting programs y = z^q (u + c)^p and y = z^q exp(b / (u + c)), u = x or x^2.

Vapour pressures (Antoine), viscosities (Vogel, Fulcher, Tammann), what happens near a critical temperature, growth from
an origin that is not 0, and fields at a distance, such as 1 / (r^2 + x^2)^1.5 on the axis of a loop. The logarithm of y
is linear in everything but c, so c is looked for on a grid, for each feature, and refined. The other features may
appear as powers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from epsilex.planting.golden import highest
from epsilex.planting.planter import Limits
from epsilex.planting.sums import by_description, possible
from epsilex.planting.terms import Term, apply, constant, correlated, feature
from epsilex.planting.transforms import Transform, logarithms, with_ones
from epsilex.programs.fold import Node

FEATURES = 5  # considered, those most correlated with the logarithm
ROWS = 128
LEAST_ROWS = 8  # three constants and a shape are no finding on fewer
GRID = np.geomspace(0.01, 30.0, 40)  # distances of u = -c from the data, in ranges of u
STEPS = 24  # of the refinement
KEPT = 6


@dataclass(frozen=True, slots=True)
class _Shape:
    """A function of v = |u + c|, which has no zero among the rows."""

    values: Callable[[np.ndarray], np.ndarray]
    program: Callable[[Term], Term]


INVERSE = _Shape(lambda v: 1.0 / v, lambda v: apply("div", constant(1.0), v))
POWER = _Shape(np.log, lambda v: apply("log", v))


def shifts(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    X, y = X[:ROWS], y[:ROWS]
    if not possible(y, limits, LEAST_ROWS):
        return []
    shapes = [INVERSE, POWER] if "log" in limits.operators else [INVERSE]
    found: list[list[Node] | None] = []
    for transform, rows in logarithms(y, limits.operators):
        if len(rows) < LEAST_ROWS:
            continue
        features = correlated(X[rows], transform.values, FEATURES)
        for j in features:
            factors = [i for i in features if i != j and (X[:, i] > 0.0).all()] if "log" in limits.operators else []
            for others in [[], factors] if factors else [[]]:
                for weighted in (transform, replace(transform, root=1.0)):
                    for squared in (False, True) if "square" in limits.operators else (False,):
                        found += _shifted(X[rows], j, squared, others, weighted, shapes)
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)[:KEPT]


def _shifted(
    X: np.ndarray, j: int, squared: bool, others: Sequence[int], transform: Transform, shapes: Sequence[_Shape]
) -> Iterator[list[Node] | None]:
    """Programs of shifted feature j, or of its square, and powers of the others, one per shape and side of the data."""
    u, logs = X[:, j] ** 2 if squared else X[:, j], np.log(X[:, list(others)])
    width = np.ptp(u)
    if not width > 0.0:
        return
    closeness = _closeness(logs, transform)
    for shape in shapes:
        for sign in (1.0, -1.0):  # u = -c lies below the data, or above it
            start = (sign * u).min()

            def at(distance: np.ndarray, shape: _Shape = shape, sign: float = sign, start: float = start) -> np.ndarray:
                return closeness(shape.values(sign * u - start + distance[:, None] * width))

            k = int(np.argmax(at(GRID)))
            if 0 < k < len(GRID) - 1:
                distance = _refined(at, GRID[k - 1], GRID[k + 1]) * width
                terms = [shape.program(_sum(j, squared, sign, distance - start))]
                terms += [apply("log", feature(i)) for i in others]
                yield transform.solve(terms, np.vstack([shape.values(sign * u - start + distance), logs.T]))


def _sum(j: int, squared: bool, sign: float, c: float) -> Term:
    """c + x or c - x, c + x^2 or c - x^2, for feature j."""
    if not squared:
        return apply("add", feature(j, sign), constant(c))
    return apply("add" if sign > 0.0 else "sub", constant(c), apply("square", feature(j)))


def _closeness(logs: np.ndarray, transform: Transform) -> Callable[[np.ndarray], np.ndarray]:
    """From columns (any, rows) to the share of the target's squares that each explains beside the logarithms and a
    constant, under the weights of the transform."""
    root = np.broadcast_to(transform.root, transform.values.shape)
    basis, _ = np.linalg.qr(with_ones(logs) * root[:, None])

    def rest(values: np.ndarray) -> np.ndarray:
        return values * root - (values * root) @ basis @ basis.T

    target = rest(transform.values)

    def share(columns: np.ndarray) -> np.ndarray:
        left = rest(columns)
        explained = (left @ target) ** 2 / np.maximum((left**2).sum(axis=1), 1e-300)
        return np.where(np.isfinite(explained), explained, 0.0)

    return share


def _refined(at: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> float:
    """The distance between `low` and `high` with the greatest value."""
    found = highest(lambda x: float(at(np.exp(np.array([x])))[0]), np.log(low), np.log(high), STEPS)
    return float(np.exp(found))
