"""Rows of data: two equal rows become one of twice the weight, and the order of the rows does not matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HELD_BACK = 0.25  # share of the rows held back for validation
LEAST = 8  # rows; of fewer none are held back
MOST = 1_000_000  # rows that a fit keeps; more say nothing new, and would take memory and time
CHUNK = 1 << 16  # rows hashed at a time


def drawn_rows(n: int, most: int, rng: int | np.random.Generator) -> np.ndarray:
    """Indices of `most` of `n` rows, ascending, drawn at random by a seed or a generator."""
    return np.sort(np.random.default_rng(rng).choice(n, size=most, replace=False, shuffle=False))


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of data in float64, to score models on.

    sigma  (rows,) standard errors of y, if known
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    sigma: np.ndarray | None = None

    @classmethod
    def distinct(cls, X: np.ndarray, y: np.ndarray, weight: np.ndarray, sigma: np.ndarray | None = None) -> Rows:
        """The distinct rows; rows that differ in their standard error alone are two. Of more than MOST rows, about MOST
        are drawn by a hash, so equal rows stay together and the order of rows does not matter."""
        if len(y) > MOST:
            few = drawn_by_hash(X, y, MOST)
            X, y, weight, sigma = X[few], y[few], weight[few], None if sigma is None else sigma[few]
        if sigma is None:
            return cls(*distinct_rows(X, y, weight))
        X, y, weight = distinct_rows(np.column_stack([X, sigma]), y, weight)
        return cls(X[:, :-1], y, weight, X[:, -1])

    def take(self, index: np.ndarray | slice) -> Rows:
        """The rows at `index`."""
        sigma = None if self.sigma is None else self.sigma[index]
        return Rows(self.X[index], self.y[index], self.weight[index], sigma)

    def some(self, most: int) -> Rows:
        """These rows, or `most` of them if there are more, evenly spread over their order, which is that of a hash."""
        return self if len(self.y) <= most else self.take(evenly(len(self.y), most))

    def held_back(self) -> tuple[Rows, Rows | None]:
        """The rows to search with, and a quarter of them held back for validation; None if there are too few."""
        if len(self.y) < LEAST:
            return self, None
        from sklearn.model_selection import train_test_split  # takes a tenth of a second to import

        first, second = train_test_split(np.arange(len(self.y)), test_size=HELD_BACK, random_state=0)
        return self.take(np.sort(first)), self.take(np.sort(second))


def evenly(n: int, most: int) -> slice | np.ndarray:
    """All of `n` rows, or the indices of `most` of them, evenly spread, if there are more."""
    return slice(None) if n <= most else np.linspace(0, n - 1, most).astype(int)


def drawn_by_hash(X: np.ndarray, y: np.ndarray, most: int) -> np.ndarray:
    """Indices of about `most` rows, those with the least hashes of X and y."""
    hashes = np.empty(len(y), np.uint64)
    for first in range(0, len(y), CHUNK):
        rows = slice(first, first + CHUNK)
        hashes[rows] = _hashes(np.column_stack([X[rows], y[rows]]) + 0.0)
    return np.flatnonzero(hashes <= np.partition(hashes, most - 1)[most - 1])


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
