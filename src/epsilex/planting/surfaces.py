"""Surfaces: smooth models of a target, polynomials of as many terms as the rows support, and their gradients.

A surface knows nothing of formulas. It tells how much of y any function of some columns can explain, and so whether y
depends on them only through fewer columns; and its gradient tells which columns may be merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

TERMS, ROWS_EACH = 100, 4  # at most, and least number of rows per term
DEGREE = 16  # at most
NOTHING = 1e-11  # residual share treated as zero
RIDGE = 1e-12  # on products of unit-norm terms


@dataclass(frozen=True)
class Surface:
    """A polynomial in the coordinates of the columns.

    score     rows * log(residual share) + terms * log(rows): the lower, the better
    share     residual share of the target's squares
    values    (rows,) of the polynomial
    gradient  (columns, rows) by the coordinates
    """

    score: float
    share: float
    values: np.ndarray
    gradient: np.ndarray


def fitted(coordinates: np.ndarray, target: np.ndarray, factor: np.ndarray, gradient: bool = False) -> Surface:
    """The surface for which factor * polynomial is closest to factor * target; its degree has the best score.

    coordinates (columns, rows), target and factor (rows,).
    """
    k, n = coordinates.shape
    powers, degrees = _powers(k, min(TERMS, n // ROWS_EACH))
    low, high = coordinates.min(axis=1, keepdims=True), coordinates.max(axis=1, keepdims=True)
    width = np.where(high > low, high - low, 1.0)
    tables = _legendre((2.0 * coordinates - low - high) / width, int(degrees[-1]))
    terms = _products(tables, powers)
    weighted = terms * factor
    size = np.sqrt((weighted**2).sum(axis=1))
    size[size == 0.0] = 1.0
    weighted /= size[:, None]
    y = target * factor
    whole = max(float((y**2).sum()), 1e-300)
    try:
        root = np.linalg.cholesky(weighted @ weighted.T + RIDGE * np.eye(len(terms)))
    except np.linalg.LinAlgError:  # columns that are nearly the same, or not finite
        return Surface(np.inf, 1.0, np.zeros(n), np.zeros((k, n)))
    along = np.linalg.solve(root, weighted @ y)
    ends = np.flatnonzero(np.append(degrees[1:] != degrees[:-1], True)) + 1  # number of terms by degree
    shares = np.maximum(1.0 - np.cumsum(along**2)[ends - 1] / whole, 0.0)
    scores = n * np.log(shares + NOTHING) + ends * np.log(n)
    best = int(np.argmin(scores))
    many = int(ends[best])
    c = np.linalg.solve(root[:many, :many].T, along[:many]) / size[:many]
    slopes = np.empty((0, n))
    if gradient:
        steep = _slopes(tables)
        slopes = np.array([c @ _products(tables, powers[:many], j, steep) for j in range(k)]) * (2.0 / width)
    return Surface(float(scores[best]), float(shares[best]), c @ terms[:many], slopes)


@cache
def _powers(k: int, n_terms: int) -> tuple[np.ndarray, np.ndarray]:
    """Exponents (terms, k) of all terms up to the highest degree of at most `n_terms` terms, and their degrees."""
    if k == 0:
        return np.zeros((1, 0), int), np.zeros(1, int)
    found = layer = [(0,) * k]
    for _ in range(DEGREE):
        layer = [(*p[:j], p[j] + 1, *p[j + 1 :]) for p in layer for j in range(_last(p), k)]
        if len(found) + len(layer) > n_terms:
            break
        found = [*found, *layer]
    powers = np.array(found)
    return powers, powers.sum(axis=1)


def _last(powers: Sequence[int]) -> int:
    """The last column in use, so that each term is made once."""
    return max((j for j, p in enumerate(powers) if p), default=0)


def _legendre(t: np.ndarray, degree: int) -> np.ndarray:
    """(degree + 1, columns, rows) Legendre polynomials of t (columns, rows)."""
    table = np.ones((degree + 1, *t.shape))
    for d in range(1, degree + 1):
        table[d] = t if d == 1 else ((2 * d - 1) * t * table[d - 1] - (d - 1) * table[d - 2]) / d
    return table


def _slopes(table: np.ndarray) -> np.ndarray:
    """Derivatives of the Legendre polynomials: P'_d = P'_(d-2) + (2 d - 1) P_(d-1)."""
    slopes = np.zeros_like(table)
    for d in range(1, len(table)):
        slopes[d] = (2 * d - 1) * table[d - 1] + (slopes[d - 2] if d > 1 else 0.0)
    return slopes


def _products(
    tables: np.ndarray, powers: np.ndarray, by: int | None = None, steep: np.ndarray | None = None
) -> np.ndarray:
    """(terms, rows) products of the columns' polynomials, with the derivative of column `by`."""
    result = np.ones((len(powers), tables.shape[2]))
    for j in range(tables.shape[1]):
        result *= (steep if j == by else tables)[powers[:, j], j]  # type: ignore[index]
    return result
