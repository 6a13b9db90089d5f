"""Planted programs in the user's operators: `a - b` as `a + (-1)*b`, `a/b` as `a*inv(b)`, `square(a)` as `a*a`.

Planters rely on sums, products and quotients. A user who allows only some of these can often say the same with others.
"""

from __future__ import annotations

from collections.abc import Sequence

from epsilex.planting.terms import Term, apply, constant
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, Operator

ARITHMETIC = ("add", "sub", "mul", "div", "square")


def with_arithmetic(operators: Sequence[str]) -> tuple[str, ...]:
    """The operators, and those of arithmetic that may be expressed by them."""
    names = set(operators)
    if not (names & {"add", "sub"} and names & {"mul", "div"}):
        return tuple(operators)
    return *operators, *(name for name in ARITHMETIC if name not in names)


def expressed(nodes: Sequence[Node], operators: Sequence[str]) -> list[Node] | None:
    """The program by these operators alone; None if it cannot be expressed by them."""
    names = set(operators)

    def branch(row: Operator, *parts: Term | None) -> Term | None:
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return apply(row.name, *known) if row.name in names else _otherwise(row.name, known, names)

    whole = fold(nodes, lambda *leaf: (leaf,), branch)
    return None if whole is None else list(whole)


def _otherwise(name: str, parts: Sequence[Term], names: set[str]) -> Term | None:
    """An operator over its parts by other operators."""
    if name == "neg":
        return _negative(parts[0], names)
    if name in ("add", "sub"):
        other, minus = "sub" if name == "add" else "add", _negative(parts[1], names)
        return apply(other, parts[0], minus) if other in names and minus is not None else None
    if name == "square":
        return _product(parts[0], parts[0], names)
    if name == "mul":
        return _product(parts[0], parts[1], names)
    if name == "inv":
        return _inverse(parts[0], names)
    if name == "div":
        below = _inverse(parts[1], names)
        return below if below is None or parts[0] == constant(1.0) else _product(parts[0], below, names)
    return None


def _negative(part: Term, names: set[str]) -> Term | None:
    if len(part) == 1:
        ((code, column, value),) = part
        return ((code, column, -value),)
    return _product(constant(-1.0), part, names)


def _product(a: Term, b: Term, names: set[str]) -> Term | None:
    if "mul" in names:
        return apply("mul", a, b)
    below = _inverse(b, names) if "div" in names else None
    return None if below is None else apply("div", a, below)


def _inverse(part: Term, names: set[str]) -> Term | None:
    if len(part) == 1 and part[0][0] == CONSTANT and part[0][2] != 0.0:
        return constant(1.0 / part[0][2])
    if "inv" in names:
        return apply("inv", part)
    return apply("div", constant(1.0), part) if "div" in names else None
