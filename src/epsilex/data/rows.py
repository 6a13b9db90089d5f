"""Rows of data: two equal rows become one of twice the weight, and the order of the rows does not matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of data in float64, to score models on.

    sigma  (rows,) standard errors of y, if known
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    sigma: np.ndarray | None = None

    def take(self, index: np.ndarray) -> Rows:
        """The rows at `index`."""
        sigma = None if self.sigma is None else self.sigma[index]
        return Rows(self.X[index], self.y[index], self.weight[index], sigma)


def distinct_rows(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X (rows, features), y and weight (rows,) without rows of weight 0; equal rows merge and their weights add up.

    Rows are ordered by a hash of X, then by a hash of y. So the result depends neither on how rows are shuffled or
    repeated, nor on the target's unit.
    """
    kept = np.flatnonzero(weight > 0)
    X, y = X[kept] + 0.0, y[kept] + 0.0  # -0.0 and 0.0 are equal but differ in bits
    order = np.lexsort((y, _hashes(X)))
    X, y, weight = X[order], y[order], weight[kept[order]]
    new = np.ones(len(y), bool)
    new[1:] = (y[1:] != y[:-1]) | (X[1:] != X[:-1]).any(axis=1)
    first = np.flatnonzero(new)
    if len(first) == len(y):
        return X, y, weight
    return X[first], y[first], np.add.reduceat(weight, first)


def _hashes(X: np.ndarray) -> np.ndarray:
    """A uint64 for each row that depends on all bits of its numbers."""
    hashes = np.zeros(len(X), np.uint64)
    for column in X.T:
        hashes ^= np.ascontiguousarray(column).view(np.uint64)
        hashes ^= hashes >> np.uint64(32)
        hashes *= np.uint64(0xD6E8FEB86659FD93)
        hashes ^= hashes >> np.uint64(29)
    return hashes
