"""Ratios: quotients M (A + B) / (C + D) of sums of simple terms, as numbers of their terms.

A to D are two of 1, x, x z and x^2 each, without a common factor, and M is a product or quotient of up to two features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

TRIED = 20000  # ratios of a kind, the shortest first
NODE = float(np.log(14.0))  # description length of a node


@dataclass(frozen=True)
class Terms:
    """Products of powers of features; the simple ones come first, and the first is 1.

    exponents  (terms, features)
    products   (monomials, simple) numbers of the products of all M with all simple terms; the first M is 1
    """

    exponents: np.ndarray
    products: np.ndarray

    @classmethod
    def of(cls, one_sided: np.ndarray) -> Terms:
        """All terms; only features (features,) that keep their sign may be divisors."""
        small = [e for e in product(range(-2, 3), repeat=len(one_sided)) if sum(map(abs, e)) <= 2]
        small.sort(key=lambda e: sum(map(abs, e)))
        simple = [e for e in small if min(e) >= 0]
        number = {e: k for k, e in enumerate(simple)}
        products = [
            [number.setdefault(tuple(i + j for i, j in zip(m, e, strict=True)), len(number)) for e in simple]
            for m in small
            if all(k >= 0 or one for k, one in zip(m, one_sided.tolist(), strict=True))
        ]
        return cls(np.array(list(number)), np.array(products))

    @property
    def simple(self) -> int:
        return self.products.shape[1]

    @property
    def lengths(self) -> np.ndarray:
        """(simple,) nodes."""
        return np.maximum(2 * self.exponents[: self.simple].sum(axis=1) - 1, 1)

    def values(self, u: np.ndarray) -> np.ndarray:
        """(terms, rows) for features u (rows, features)."""
        values = np.ones((len(self.exponents), len(u)))
        for j, x in enumerate(u.T):
            exponents, who = np.unique(self.exponents[:, j], return_inverse=True)
            values *= np.stack([x ** float(k) for k in exponents])[who]
        return values

    def ratios(self) -> Iterator[Ratios]:
        """One term over two or three, one over two with an offset, and two over two; the shortest of each kind."""
        factors = self.exponents[self.products[:, 0]]
        length = 2 * np.abs(factors).sum(axis=1)
        alone = length + np.where((factors > 0).any(axis=1), 0, 2)
        for n, offset in ((2, False), (2, True), (3, False)):
            below, nodes = self._sums(n)
            i, k, nodes = _shortest(alone[:, None] + nodes + 2 * offset)
            yield Ratios(i, self.products[i, :1], below[k], nodes, offset)
        pairs, nodes = self._sums(2)
        i, j, k, nodes = _shortest((length + 1)[:, None, None] + nodes[:, None] + nodes)
        yield Ratios(i, self.products[i[:, None], pairs[j]], pairs[k], nodes, False)

    def _sums(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """(sums, n) simple terms without a common factor, and (sums,) the nodes of their sums."""
        sums = np.array(list(combinations(range(self.simple), n)))
        sums = sums[(self.exponents[sums].min(axis=1) == 0).all(axis=1)]
        return sums, self.lengths[sums].sum(axis=1) + n - 1


@dataclass(frozen=True)
class Ratios:
    """Ratios with as many terms each.

    factor      (ratios,) numbers of M
    top, below  (ratios, any) numbers of the terms, those of `top` times M
    length      (ratios,) nodes, not counting factors that linear scaling supplies
    offset      whether there is an offset, which linear scaling supplies too
    """

    factor: np.ndarray
    top: np.ndarray
    below: np.ndarray
    length: np.ndarray
    offset: bool

    def take(self, who: np.ndarray) -> Ratios:
        return Ratios(self.factor[who], self.top[who], self.below[who], self.length[who], self.offset)

    def price(self, rows: int) -> np.ndarray:
        """(ratios,) description length of the nodes and of the constants."""
        return NODE * self.length + 0.5 * np.log(rows) * (self.top.shape[1] + self.below.shape[1] - 1 + self.offset)

    def longer(self, terms: Terms) -> Iterator[Ratios]:
        """A single ratio with one more term, above or below."""
        if self.top.shape[1] == 1 and not self.offset:
            return  # these have all been tried
        for side, every in (("top", terms.products[self.factor[0]]), ("below", terms.products[0])):
            old = getattr(self, side)[0]
            new = np.flatnonzero(~np.isin(every, old))
            added = np.column_stack([np.tile(old, (len(new), 1)), every[new]])
            length = self.length + terms.lengths[new] + 1
            yield replace(self.take(np.zeros(len(new), np.int64)), **{side: added, "length": length})


def _shortest(length: np.ndarray) -> tuple[np.ndarray, ...]:
    """Indices of the shortest, and their lengths."""
    who = np.unravel_index(np.argsort(length, axis=None, kind="stable")[:TRIED], length.shape)
    return *who, length[who]
