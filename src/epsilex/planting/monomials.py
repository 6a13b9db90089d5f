"""Monomials: products of powers of terms, such as `h * w / (k * T)`, in which equal terms cancel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from epsilex.planting.terms import Term, apply, constant, feature, multiplied


@dataclass(frozen=True)
class Group:
    """A product of powers; the exponents are whole or half."""

    powers: tuple[tuple[Term, float], ...] = ()

    @classmethod
    def of(cls, term: Term) -> Group:
        return cls(((term, 1.0),))

    def times(self, other: Group, exponent: float = 1.0) -> Group:
        """The product with a power of another group."""
        powers = dict(self.powers)
        for term, e in other.powers:
            powers[term] = powers.get(term, 0.0) + exponent * e
        return Group(tuple((term, e) for term, e in powers.items() if e != 0.0))

    def shared(self, other: Group) -> Group:
        """The powers that both groups contain."""
        theirs = dict(other.powers)
        return Group(tuple((term, e) for term, e in self.powers if theirs.get(term) == e))

    @property
    def nodes(self) -> int:
        """About how many nodes it has as a factor."""
        return sum(2 if abs(e) == 1.0 else 3 for _, e in self.powers)

    def values(self, X: np.ndarray) -> np.ndarray:
        """(rows,) of X (rows, features), if its terms are features."""
        result = np.ones(len(X))
        for ((_, column, _),), exponent in self.powers:
            result = result * X[:, column] ** exponent
        return result

    def program(self, *inner: Term, square: bool = True) -> Term:
        """The product of the powers, and of other programs."""
        over = [power(term, e, square) for term, e in self.powers if e > 0.0]
        under = [power(term, -e, square) for term, e in self.powers if e < 0.0]
        top = multiplied([*over, *inner])
        return apply("div", top, multiplied(under)) if under else top


def power(base: Term, exponent: float, square: bool = True) -> Term:
    """A positive whole or half power of a program, in few nodes."""
    whole, half = int(exponent), exponent != int(exponent)
    parts: Sequence[Term] = [apply("sqrt", base)] if half else []
    return multiplied([*_whole(base, whole, square), *parts])


def _whole(base: Term, exponent: int, square: bool) -> list[Term]:
    if exponent < 2 or not square:
        return [base] * exponent
    half = multiplied(_whole(base, exponent // 2, square))
    return [apply("square", half), *[base] * (exponent % 2)]


ONE = constant(1.0)


def monomials(X: np.ndarray, features: Sequence[int], single: Sequence[float], roots: bool) -> Iterator[Group]:
    """Powers of one feature, products and quotients of two, and of a square and another."""
    ok = {j: [e for e in single if _defined(X[:, j], e) and (roots or e % 1.0 == 0.0)] for j in features}
    for j in features:
        yield from (Group(((feature(j), e),)) for e in ok[j])
    for i, j in combinations(features, 2):
        for p, q in product((1.0, -1.0), repeat=2):
            if p in ok[i] and q in ok[j]:
                yield Group(((feature(i), p), (feature(j), q)))


def longer_monomials(X: np.ndarray, features: Sequence[int], roots: bool) -> Iterator[Group]:
    """Longer monomials, with a square or a root of the second feature, and of three features."""
    steep = (2.0, -2.0, 0.5, -0.5) if roots else (2.0, -2.0)
    for i, j in product(features, repeat=2):
        if i != j:
            for p, q in product((1.0, -1.0), steep):
                if _defined(X[:, i], p) and _defined(X[:, j], q):
                    yield Group(((feature(i), p), (feature(j), q)))
    for who in combinations(features, 3):
        for signs in product((1.0, -1.0), repeat=3):
            if all(_defined(X[:, j], s) for j, s in zip(who, signs, strict=True)):
                yield Group(tuple((feature(j), s) for j, s in zip(who, signs, strict=True)))


def _defined(x: np.ndarray, exponent: float) -> bool:
    low, high = x.min(), x.max()
    if exponent % 1.0:
        return bool(low > 0.0)
    return exponent > 0.0 or low > 1e-6 * high or high < 1e-6 * low
