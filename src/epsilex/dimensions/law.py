"""The rule as tables of integers, so that kernels can check and build programs by looking things up.

Each dimension that a part of a program may have gets a number, its id. The ids form a finite table: the dimensions of
the simplest products of features, and those next to the target's. A part whose dimension is not in the table is
refused, although it might be consistent; that only narrows the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm

import numpy as np

from epsilex.dimensions import exact
from epsilex.dimensions.classes import PRODUCT, QUOTIENT, SQUARE, classes
from epsilex.dimensions.monomials import enumerated, program, with_dimension
from epsilex.dimensions.rule import Rule
from epsilex.programs import Programs
from epsilex.programs.fold import Node
from epsilex.programs.operators import FEATURE, arities, opcode

IDS = 300  # at most
TERMINALS = 24  # products per dimension
TARGETED = 60  # of the target's dimension, and of none


@dataclass(frozen=True, eq=False)
class Law:
    """What kernels need to know about dimensions. The last id stands for any dimension.

    tables     what `kernels.typed` calls a law: class and arity by opcode, id by feature, of a constant, of sums and
               differences, doubles and halves of ids, id of the target (-1: any)
    terminals  the simplest programs by id, sorted by id and length
    first, count  (ids,) where the programs of an id begin, and their number
    targets, groups  programs of the target's dimension, and of none
    """

    tables: tuple
    terminals: Programs
    first: np.ndarray
    count: np.ndarray
    targets: tuple[tuple[Node, ...], ...]
    groups: tuple[tuple[Node, ...], ...]

    def consistent(self, programs: Programs) -> np.ndarray:
        """(programs,) bool."""
        from epsilex.kernels.typed import check

        result = np.empty(len(programs), bool)
        check(programs.opcode, programs.feature, programs.length, self.tables, result)
        return result

    def ids(self, programs: Programs) -> np.ndarray:
        """(programs,) ids of their dimensions, -1 if inconsistent."""
        from epsilex.kernels.typed import ids_of_roots

        result = np.empty(len(programs), np.int64)
        ids_of_roots(programs.opcode, programs.feature, programs.length, self.tables, result)
        return result


@lru_cache(maxsize=4)
def law_of(rule: Rule, operators: tuple[str, ...], max_length: int, own: int = 0) -> Law:
    """The tables of a rule, for programs of these operators; a ValueError if none can have the target's dimension.

    `own` further columns stand for constants of groups: pure numbers, or of any dimension if constants may carry units.
    """
    finest = 4 * lcm(*(x.denominator for d in (*rule.features, rule.target) for x in d), 1)

    def whole(dimension: exact.Dimension) -> np.ndarray:
        return np.array([int(x * finest) for x in dimension], np.int64)

    bases = np.array([whole(d) for d in rule.features]).reshape(len(rule.features), -1)
    target = whole(rule.target)
    exponents = enumerated(len(rule.features))
    known = _Known(exponents, exponents @ bases, operators, max_length)
    for matters in (np.zeros_like(target), target):
        known.add(matters, TARGETED)
        known.add_parts(matters, bases)
    for near in (*bases, *(target - bases), *(target + bases), 2 * target, *_halves(target)):
        known.add(near, TERMINALS)
    for row in known.dimensions:
        if len(known.ids) < IDS:
            known.add(row, TERMINALS)
    if rule.constants == "none" and target.tobytes() not in known.ids:
        raise ValueError(
            "target_unit: expected one that products of whole and half powers of the columns can have; found none. "
            "constant_units='overall' lets the factor of the formula carry a unit"
        )
    return _law(rule, known, bases, target, own)


def _halves(dimension: np.ndarray) -> list[np.ndarray]:
    return [dimension // 2] if not (dimension % 2).any() else []


class _Known:
    """The dimensions in the table, and the programs of each."""

    def __init__(self, exponents: np.ndarray, dimensions: np.ndarray, operators: Sequence[str], max_length: int):
        self.exponents, self.dimensions = exponents, dimensions
        self.operators, self.max_length = operators, max_length
        self.ids: dict[bytes, int] = {}
        self.vectors: list[np.ndarray] = []
        self.programs: list[list[list[Node]]] = []
        self.single: dict[bytes, list[int]] = {}
        for k, row in enumerate(dimensions):
            self.single.setdefault(row.tobytes(), []).append(k)

    def add(self, dimension: np.ndarray, most: int, always: bool = False) -> None:
        """A dimension, if some program has it, or `always`."""
        if dimension.tobytes() in self.ids:
            return
        programs = self._programs(dimension, most)
        if programs or always or not dimension.any():
            self.ids[dimension.tobytes()] = len(self.vectors)
            self.vectors.append(dimension)
            self.programs.append(programs)

    def add_parts(self, dimension: np.ndarray, bases: np.ndarray) -> None:
        """The dimensions of all parts of the programs of a dimension."""
        kinds = classes()
        for nodes in list(self.programs[self.ids[dimension.tobytes()]]) if dimension.tobytes() in self.ids else ():
            stack: list[np.ndarray] = []
            for code, feature, _ in nodes:
                if code <= FEATURE:
                    stack.append(bases[feature] if code == FEATURE else np.zeros_like(dimension))
                elif kinds[code] in (PRODUCT, QUOTIENT):
                    b, a = stack.pop(), stack.pop()
                    stack.append(a + b if kinds[code] == PRODUCT else a - b)
                else:
                    stack.append(stack.pop() * 2 if kinds[code] == SQUARE else stack.pop() // 2)
                self.add(stack[-1], TERMINALS, always=True)

    def _programs(self, dimension: np.ndarray, most: int) -> list[list[Node]]:
        rows = self._rows(dimension, most)
        found = [program(row, self.operators) for row in rows]
        if "sqrt" in self.operators:
            odd = [row for row in self._rows(2 * dimension, most) if (row % 2).any()]
            found += [[*program(row, self.operators), (opcode("sqrt"), 0, 0.0)] for row in odd]
        found = [nodes for nodes in found if len(nodes) <= self.max_length]
        return sorted(found, key=len)[:most]

    def _rows(self, dimension: np.ndarray, most: int) -> np.ndarray:
        if most > TERMINALS:
            rows = with_dimension(dimension, self.exponents, self.dimensions)
        else:
            rows = self.exponents[self.single.get(dimension.tobytes(), [])]
        return rows[np.abs(rows).any(axis=1)][: 2 * most]


def _law(rule: Rule, known: _Known, bases: np.ndarray, target: np.ndarray, own: int) -> Law:
    vectors = np.array(known.vectors).reshape(len(known.vectors), -1)
    n = len(vectors)
    free = n
    plus, minus = _closed(vectors, 1), _closed(vectors, -1)
    twice, half = np.full(n + 1, -1, np.int64), np.full(n + 1, -1, np.int64)
    twice[free] = half[free] = free
    for k, row in enumerate(vectors):
        twice[k] = known.ids.get((2 * row).tobytes(), -1)
        half[k] = -1 if (row % 2).any() else known.ids.get((row // 2).tobytes(), -1)
    beyond = 0 if rule.constants == "none" else free
    of_feature = np.array([*(known.ids[row.tobytes()] for row in bases), *[beyond] * own], np.int64)
    of_target = known.ids[target.tobytes()] if rule.constants == "none" else -1
    of_constant = free if rule.constants == "any" else 0
    tables = (classes(), arities(), of_feature, of_constant, plus, minus, twice, half, of_target)
    at = known.ids.get(target.tobytes())
    of_ids = [Programs.from_nodes(programs, np.float32) for programs in known.programs]
    empty = Law(tables, Programs.empty(0, 1), np.empty(0), np.empty(0), (), ())
    kept = [  # without programs that have a part outside the table
        [nodes for nodes, id_ in zip(programs, empty.ids(arrays), strict=True) if id_ == k]
        for k, (programs, arrays) in enumerate(zip(known.programs, of_ids, strict=True))
    ]
    stand_ins: list[list[Node]] = [[(FEATURE, len(bases) + k, 1.0)] for k in range(own)]
    for k in {0} if beyond == 0 else {0, *(known.ids[row.tobytes()] for row in bases), *([] if at is None else [at])}:
        kept[k] = [*stand_ins, *kept[k]]
    count = np.array([len(programs) for programs in kept] + [0], np.int64)
    terminals = Programs.from_nodes([nodes for programs in kept for nodes in programs] or [[(0, 0, 1.0)]], np.float32)
    targets = [] if at is None else kept[at]
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    return Law(tables, terminals, first, count, tuple(map(tuple, targets)), tuple(map(tuple, kept[0])))


def _closed(vectors: np.ndarray, sign: int) -> np.ndarray:
    """(ids + 1, ids + 1) int16: ids of sums or differences of dimensions, -1 where not in the table; the last id, any
    dimension, with another is any dimension."""
    n = len(vectors)
    radix = np.random.default_rng(0).integers(1, 2**62, vectors.shape[1])  # wraps around, and stays linear
    keys = vectors @ radix
    order = np.argsort(keys, kind="stable")
    wanted = keys[:, None] + sign * keys[None, :]
    found = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), n - 1)]
    same = (vectors[found] == vectors[:, None, :] + sign * vectors[None, :, :]).all(axis=2)
    result = np.full((n + 1, n + 1), n, np.int16)
    result[:n, :n] = np.where(same, found, -1)
    return result


def fractions_of(dimension: exact.Dimension, bases: Sequence[str]) -> str:
    """A dimension in words, such as `length^2 mass / time^2`."""
    parts = [(base.strip("[]"), power) for base, power in zip(bases, dimension, strict=True) if power]
    over = " ".join(_power(name, power) for name, power in parts if power > 0)
    under = " ".join(_power(name, -power) for name, power in parts if power < 0)
    if not parts:
        return "a pure number"
    return f"{over or '1'} / {under}" if under else over


def _power(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"
