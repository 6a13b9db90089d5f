"""Dimensions as exact rational exponents, and linear algebra over them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Dimension = tuple[Fraction, ...]


def vectors(named: Sequence[dict[str, Fraction]]) -> tuple[list[str], list[Dimension]]:
    """The base dimensions that occur, and each dimension as a tuple of exponents in their order."""
    bases = sorted({base for one in named for base in one})
    return bases, [tuple(one.get(base, Fraction(0)) for base in bases) for one in named]


def plus(a: Dimension, b: Dimension) -> Dimension:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def minus(a: Dimension, b: Dimension) -> Dimension:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def times(a: Dimension, factor: Fraction) -> Dimension:
    return tuple(x * factor for x in a)


def is_number(a: Dimension) -> bool:
    """Whether it is the dimension of a pure number."""
    return not any(a)


def reachable(target: Dimension, features: Sequence[Dimension]) -> bool:
    """Whether some product of powers of the features has the target's dimension."""
    return _rank(features) == _rank([*features, target])


def useless(features: Sequence[Dimension], target: Dimension) -> list[int]:
    """Features that no formula of consistent units can contain: without the feature, nothing has its dimension."""
    others = [[f for k, f in enumerate(features) if k != j] + [target] for j in range(len(features))]
    return [j for j, rest in enumerate(others) if not reachable(features[j], rest)]


def _rank(rows: Sequence[Dimension]) -> int:
    """The number of independent rows, by elimination without rounding."""
    left = [list(row) for row in rows]
    rank = 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left[rank:] if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left.insert(rank, pivot)
        for k in range(rank + 1, len(left)):
            factor = left[k][column] / pivot[column]
            left[k] = [x - factor * y for x, y in zip(left[k], pivot, strict=True)]
        rank += 1
    return rank
