"""Programs with own constants.

Any part of a program that depends on nothing but stand-ins and numbers is constant within a group. So it is one
constant per group, whatever the search made it of: `exp(-t*(0.3 + 0.1*shift))` is `exp(-t*b)` with a `b` for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.programs.fold import Node, fold
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, opcode

ADD, SUB, MUL, DIV, NEG = map(opcode, ("add", "sub", "mul", "div", "neg"))
JOINING = (ADD, SUB, MUL, DIV)
Nodes = tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A program with own constants.

    nodes       over the features, and then the own constants
    table       (own constants, groups) their values
    n_features  number of features
    """

    nodes: tuple[Node, ...]
    table: np.ndarray
    n_features: int

    @property
    def leaves(self) -> list[tuple[int, int]]:
        """The nodes that are own constants, and which of them."""
        return [
            (k, feature - self.n_features)
            for k, (code, feature, _) in enumerate(self.nodes)
            if code == FEATURE and feature >= self.n_features
        ]

    def of_group(self, group: int) -> list[Node]:
        """The program of one group: its own constants are numbers."""
        found = list(self.nodes)
        for k, own in self.leaves:
            found[k] = (CONSTANT, 0, self.nodes[k][2] * float(self.table[own, group]))
        return found

    def columns(self, X: np.ndarray, code: np.ndarray) -> np.ndarray:
        """X (rows, features) with the own constants of each row's group, by its `code`."""
        return np.column_stack([X, self.table[:, code].T])


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a program.

    own, data    whether it holds an own constant, or a feature
    plus, times  the part as a sum, or a product, of nodes with features and of nodes without; None if it is none
    """

    nodes: Nodes
    own: bool = False
    data: bool = False
    plus: tuple[Nodes, Nodes] | None = None
    times: tuple[Nodes, Nodes] | None = None


class _Collapsing:
    """The own constants of a program as they are met."""

    def __init__(self, table: np.ndarray, n_features: int):
        self.table, self.n_features = table, n_features
        self.values: list[np.ndarray] = []
        self.known: dict[Nodes, int] = {}

    def leaf(self, code: int, feature: int, value: float) -> _Part:
        data = code == FEATURE and feature < self.n_features
        return _Part(((code, feature, value),), code == FEATURE and not data, data)

    def branch(self, row: Operator, *parts: _Part) -> _Part:
        node = (row.opcode, 0, 0.0)
        own, data = any(part.own for part in parts), any(part.data for part in parts)
        if not (own and data):
            nodes = (*(n for part in parts for n in part.nodes), node)
            apart = self.joined(row.opcode, *parts) if data and row.opcode in JOINING else {}
            return _Part(nodes, own, data, **apart)
        if row.opcode in JOINING:
            return self.written(self.joined(row.opcode, *parts))
        if row.opcode == NEG:
            return self.written(self.joined(SUB, _Part(((CONSTANT, 0, 0.0),)), parts[0]))
        if len(parts) == 1 and (moved := self.outside(row, parts[0])) is not None:
            return moved
        return _Part((*(n for part in parts for n in self.settled(part)), node), True, True)

    def joined(self, code: int, a: _Part, b: _Part) -> dict[str, tuple[Nodes, Nodes]]:
        """A sum or product of two parts, as nodes with features and without."""
        name, neutral = ("plus", 0.0) if code in (ADD, SUB) else ("times", 1.0)
        inverse = code in (SUB, DIV)
        (left, mine), (right, other) = (_apart(part, name, neutral) for part in (a, b))
        node = (code, 0, 0.0)
        data = (*left, *right, node) if left and right else left
        if not left:  # the features are in the second alone
            data = _inverted(code, right) if inverse else right
        return {name: (data, (*mine, *other, node))}

    def written(self, apart: dict[str, tuple[Nodes, Nodes]]) -> _Part:
        """A sum or product in which all that has no features is one own constant."""
        return _Part(self.settled(_Part((), True, True, **apart)), True, True, **apart)

    def outside(self, row: Operator, part: _Part) -> _Part | None:
        """A function of a sum or product with an own constant as a product or sum: `exp(a + x)` is `exp(a)*exp(x)`."""
        node = (row.opcode, 0, 0.0)
        if row.name == "exp" and part.plus is not None:
            pair = part.plus
        elif row.name in ("square", "sqrt", "log") and part.times is not None:
            pair = part.times
            if row.name != "square" and not (self.of(pair[1]) > 0.0).all():
                return None
        else:
            return None
        apart = (*pair[0], node), (*pair[1], node)
        return self.written({"plus" if row.name == "log" else "times": apart})

    def settled(self, part: _Part) -> Nodes:
        """The nodes of a part, with what has no features as one own constant."""
        pair, neutral, code = (part.times, 1.0, MUL) if part.plus is None else (part.plus, 0.0, ADD)
        if pair is None or not part.own:
            return self.constant(part.nodes) if part.own and not part.data else part.nodes
        found = self.constant(pair[1])
        return pair[0] if found == ((CONSTANT, 0, neutral),) else (*found, *pair[0], (code, 0, 0.0))

    def of(self, nodes: Nodes) -> np.ndarray:
        """(groups,) values of nodes without features."""
        return evaluate64(nodes, np.column_stack([np.zeros((self.table.shape[1], self.n_features)), self.table.T]))

    def constant(self, nodes: Nodes) -> Nodes:
        """Nodes without features as one own constant, or as a number."""
        if not any(code == FEATURE for code, _, _ in nodes):
            return ((CONSTANT, 0, float(self.of(nodes)[0])),)
        if nodes not in self.known:
            self.known[nodes] = len(self.values)
            self.values.append(self.of(nodes))
        return ((FEATURE, self.n_features + self.known[nodes], 1.0),)


def _inverted(code: int, nodes: Nodes) -> Nodes:
    """Minus the nodes of a difference, or 1 over those of a quotient."""
    if code == DIV:
        return ((CONSTANT, 0, 1.0), *nodes, (DIV, 0, 0.0))
    if len(nodes) == 1:
        return ((nodes[0][0], nodes[0][1], -nodes[0][2]),)
    return (*nodes, (NEG, 0, 0.0))


def _apart(part: _Part, name: str, neutral: float) -> tuple[Nodes, Nodes]:
    """A part as nodes with features, and without, of a sum or product; the first may be empty."""
    if not part.data:
        return (), part.nodes
    pair = getattr(part, name)
    return pair if pair is not None else (part.nodes, ((CONSTANT, 0, neutral),))


def collapsed(nodes: Sequence[Node], table: np.ndarray, n_features: int) -> Grouped | None:
    """The program with its parts that are constant within groups as own constants; None if one is not finite.

    An own constant that a later one took in is no longer in the program, and leaves the table.
    """
    at = _Collapsing(table, n_features)
    found = at.settled(fold(nodes, at.leaf, at.branch))
    used = sorted({j - n_features for code, j, _ in found if code == FEATURE and j >= n_features})
    place = {n_features + old: n_features + new for new, old in enumerate(used)}
    whole = tuple((code, place.get(j, j) if code == FEATURE else j, value) for code, j, value in found)
    values = np.array([at.values[k] for k in used]).reshape(len(used), table.shape[1])
    return Grouped(whole, values, n_features) if np.isfinite(values).all() else None


def freed(program: Grouped, place: int) -> tuple[list[Node], np.ndarray]:
    """The nodes and table with one more own constant, which the constant at this node becomes."""
    code, feature, value = program.nodes[place]
    own: list[Node] = [(FEATURE, program.n_features + len(program.table), 1.0)]
    if code == FEATURE:
        own = [(FEATURE, feature, 1.0), *own, (MUL, 0, 0.0)]
    nodes = [*program.nodes[:place], *own, *program.nodes[place + 1 :]]
    return nodes, np.vstack([program.table, np.full(program.table.shape[1], value)])


def shared(program: Grouped, own: int) -> tuple[list[Node], np.ndarray]:
    """The nodes and table with one own constant replaced by its median, the same for all groups."""
    value = float(np.median(program.table[own]))
    column = program.n_features + own
    nodes = [(CONSTANT, 0, value) if code == FEATURE and j == column else (code, j, c) for code, j, c in program.nodes]
    return nodes, program.table


def ordered(program: Grouped) -> Grouped:
    """The program with its own constants numbered as they are met."""
    d = program.n_features
    met = list(dict.fromkeys(which for _, which in program.leaves))
    place = {d + old: d + new for new, old in enumerate(met)}
    nodes = tuple((code, place.get(j, j) if code == FEATURE else j, value) for code, j, value in program.nodes)
    return Grouped(nodes, program.table[met], d)


def positive(program: Grouped) -> Grouped:
    """The program with a minus sign before own constants of negative values only."""
    minus = np.asarray((program.table < 0.0).all(axis=1))
    nodes = tuple(
        (code, j, -value if code == FEATURE and j >= program.n_features and minus[j - program.n_features] else value)
        for code, j, value in program.nodes
    )
    return Grouped(nodes, np.where(minus[:, None], -program.table, program.table), program.n_features)


def shifted(program: Grouped) -> tuple[list[Node], list[int], dict[int, int]]:
    """The nodes with 0 added to every own constant; where these zeros are, and the new places of all nodes.

    The derivative with respect to such a zero is that with respect to the own constant, but for its coefficient.
    """
    own = {k for k, _ in program.leaves}
    nodes: list[Node] = []
    zeros: list[int] = []
    moved: dict[int, int] = {}
    for k, node in enumerate(program.nodes):
        moved[k] = len(nodes)
        nodes.append(node)
        if k in own:
            zeros.append(len(nodes))
            nodes += [(CONSTANT, 0, 0.0), (ADD, 0, 0.0)]
    return nodes, zeros, moved
