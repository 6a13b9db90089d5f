"""A person's own formula: text in which names that are not columns are constants to be tuned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.programs.algebra.terms import DIV, MUL, NEG, Term, constant, make
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, opcode
from epsilex.programs.parser import MAX_NODES, parse

POW, SQUARE, SQRT = opcode("pow"), opcode("square"), opcode("sqrt")
WHOLE = 4  # largest exponent that becomes squares and products


@dataclass(frozen=True, slots=True)
class Written:
    """A formula as it was written.

    nodes   the program; named constants are 1
    labels  names of the named constants by node
    """

    nodes: tuple[Node, ...]
    labels: dict[int, str]

    @property
    def parameters(self) -> list[str]:
        """The named constants, in order of appearance."""
        return list(dict.fromkeys(self.labels.values()))

    @property
    def ties(self) -> np.ndarray:
        """(labels, parameters) of zeros and ones: which constant belongs to which name."""
        rows = [[float(name == own) for name in self.parameters] for own in self.labels.values()]
        return np.array(rows).reshape(len(self.labels), -1 if rows else 0)


def written(text: str, names: Sequence[str]) -> Written:
    """The formula over columns of these names.

    Whole and half exponents become squares, products and roots, because those are defined for negative numbers, too,
    and stay what they are when constants are tuned.
    """
    unknown: list[str] = []
    nodes = fold(parse(text, names, unknown=unknown), _leaf(len(names)), _branch).nodes
    if len(nodes) > MAX_NODES:
        raise ValueError(f"text: expected at most {MAX_NODES} nodes with powers written out; got {len(nodes)}")
    labels = {k: unknown[node[1] - len(names)] for k, node in enumerate(nodes) if _is_name(node, len(names))}
    return Written(tuple((CONSTANT, 0, 1.0) if k in labels else node for k, node in enumerate(nodes)), labels)


def _is_name(node: Node, n_features: int) -> bool:
    return node[0] == FEATURE and node[1] >= n_features


def _leaf(n_features: int):
    def leaf(code: int, column: int, value: float) -> Term:
        bare = Term(((code, column, 1.0),))
        if value == 1.0 or not _is_name((code, column, value), n_features):
            return Term(((code, column, value),))
        return make(NEG, bare) if value == -1.0 else make(MUL, constant(value), bare)

    return leaf


def _branch(row: Operator, *args: Term) -> Term:
    if row.opcode != POW or args[1].code != CONSTANT:
        return make(row.opcode, *args)
    base, exponent = args[0], args[1].constant
    power = _power(base, abs(exponent))
    if power is None or len(power) > MAX_NODES:
        return make(POW, *args)
    return power if exponent > 0.0 else make(DIV, constant(1.0), power)


def _power(base: Term, exponent: float) -> Term | None:
    """A whole or half power in squares, products and a root; None if it is neither, or too high."""
    whole, half = int(exponent), exponent % 1.0
    if half not in (0.0, 0.5) or not 0.0 < exponent <= WHOLE:
        return None
    parts = [base] * (whole % 2)
    if whole >= 2:
        parts.append(make(SQUARE, make(SQUARE, base) if whole == WHOLE else base))
    if half:
        parts.append(make(SQRT, base))
    result = parts[0]
    for part in parts[1:]:
        result = make(MUL, result, part)
    return result
