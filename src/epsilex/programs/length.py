"""The length of a formula: the number of nodes of its printed form.

Names, functions, powers, and the signs of sums, products and quotients count one each, and so does a number that is
added. A number that multiplies or divides, and the number in an exponent, count with what they stand at: `2*x^3` has
length 2, `3*sin(x) + 1` has length 4. No program is shorter than its length, so `max_length` limits it, too.

`tokens` counts every name, number and symbol instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, Operator


class Count(NamedTuple):
    length: int
    tokens: int
    number: bool = False


def length(nodes: Iterable[Node]) -> int:
    """The length of a program as it is printed."""
    return count(nodes).length


def count(nodes: Iterable[Node]) -> Count:
    return fold(nodes, _leaf, _branch)


def _leaf(code: int, feature: int, constant: float) -> Count:
    if code == CONSTANT:
        return Count(1, 1, True)
    return Count(1, 1 if constant == 1.0 else 2 if constant == -1.0 else 3)


def _branch(row: Operator, *parts: Count) -> Count:
    own, tokens = 1, 1 + sum(part.tokens for part in parts)
    if row.name == "neg":
        own = 0
    elif row.name in ("square", "inv"):
        tokens += 1
    elif len(parts) == 2:
        a, b = parts
        if row.name == "mul" and (a.number or b.number):
            return Count(a.length if b.number else b.length, tokens, a.number and b.number)
        if row.name == "div" and a.number != b.number:
            return Count(a.length if b.number else b.length + 1, tokens)
        if row.name == "pow" and b.number:
            return Count(a.length + 1, tokens, a.number)
    return Count(own + sum(part.length for part in parts), tokens, all(part.number for part in parts))
