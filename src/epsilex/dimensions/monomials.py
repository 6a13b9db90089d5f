"""Products of powers of features, by their dimension. Those without dimension are the groups of Buckingham's theorem.

E. Buckingham, On physically similar systems, Physical Review 4, 1914.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from math import comb

import numpy as np

from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

MOST = 6000  # products enumerated, those of fewest factors first
HIGHEST = 4  # exponent of a feature
FACTORS = 6  # at most, of an enumerated product; two of these are joined for the dimensions that matter
JOINED = 2_000_000  # pairs looked at


def enumerated(n_features: int) -> np.ndarray:
    """(products, features) whole exponents, those of fewest factors first."""
    found = [np.zeros((1, n_features), np.int64)]
    for factors in range(1, FACTORS + 1):
        if sum(map(len, found)) + comb(n_features + factors - 1, factors) > MOST:
            break
        rows = []
        for who in combinations_with_replacement(range(n_features), factors):
            counts = np.bincount(who, minlength=n_features)
            used = np.flatnonzero(counts)
            if counts.max() <= HIGHEST:
                for signs in product((1, -1), repeat=len(used)):
                    row = counts.copy()
                    row[used] *= signs
                    rows.append(row)
        found.append(np.array(rows, np.int64).reshape(len(rows), n_features))
    return np.concatenate(found)[:MOST]


def with_dimension(wanted: np.ndarray, exponents: np.ndarray, dimensions: np.ndarray) -> np.ndarray:
    """Exponents of products of dimension `wanted`, fewest factors first: of two enumerated products each.

    exponents   (products, features), whole
    dimensions  (products, bases) their dimensions, as whole numbers
    """
    place: dict[bytes, list[int]] = {}
    for k, row in enumerate(dimensions):
        place.setdefault(row.tobytes(), []).append(k)
    seen: dict[bytes, np.ndarray] = {}
    left = JOINED
    for k, row in enumerate(dimensions):
        for other in place.get((wanted - row).tobytes(), ()):
            if other >= k:
                both = exponents[k] + exponents[other]
                seen.setdefault(both.tobytes(), both)
            left -= 1
        if left < 0:
            break
    rows = [row for row in seen.values() if np.abs(row).max(initial=0) <= HIGHEST]
    rows.sort(key=lambda row: (int(np.abs(row).sum()), int((row < 0).sum()), row.tolist()))
    return np.array(rows, np.int64).reshape(len(rows), exponents.shape[1])


def program(exponents: Sequence[int], operators: Sequence[str]) -> list[Node]:
    """A product of whole powers, in few nodes."""
    over = [(j, int(e)) for j, e in enumerate(exponents) if e > 0]
    under = [(j, -int(e)) for j, e in enumerate(exponents) if e < 0]
    top = _product(over, operators) or [(CONSTANT, 0, 1.0)]
    return top if not under else [*top, *_product(under, operators), (opcode("div"), 0, 0.0)]


def _product(powers: list[tuple[int, int]], operators: Sequence[str]) -> list[Node]:
    result: list[Node] = []
    for j, exponent in powers:
        for part in _factors(j, exponent, "square" in operators):
            result = [*result, *part, (opcode("mul"), 0, 0.0)] if result else part
    return result


def _factors(j: int, exponent: int, square: bool) -> list[list[Node]]:
    x: list[Node] = [(FEATURE, j, 1.0)]
    if not square or exponent < 2:
        return [x] * exponent
    root = [*x, (opcode("square"), 0, 0.0)]
    power = [*root, (opcode("square"), 0, 0.0)] if exponent == HIGHEST else root
    return [power] + [x] * (exponent - (HIGHEST if exponent == HIGHEST else 2))
