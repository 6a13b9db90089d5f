"""From a program to an expression in normal form."""

from __future__ import annotations

import math
from collections.abc import Iterable

from epsilex.programs.algebra import arithmetic as a
from epsilex.programs.algebra.arithmetic import Algebra, Refused
from epsilex.programs.algebra.expression import Call, Expression, Number, Variable
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, Operator


def read(nodes: Iterable[Node], algebra: Algebra) -> Expression:
    """The program's normal form; an operation that has none stays a call of its operator."""

    def leaf(code: int, feature: int, constant: float) -> Expression:
        if code == CONSTANT:
            return Number(constant)
        if constant == 0.0 or not math.isfinite(constant):
            return Call(a.MUL, Number(constant), Variable(feature)) if constant else Number(0.0)
        return a.times(constant, Variable(feature))

    def branch(row: Operator, *parts: Expression) -> Expression:
        try:
            return apply(row.opcode, algebra, *parts)
        except Refused:
            return Call(row.opcode, *parts)

    return fold(nodes, leaf, branch)


def apply(code: int, algebra: Algebra, x: Expression, y: Expression | None = None) -> Expression:
    """One operator on expressions."""
    if not all(math.isfinite(e.value) for e in (x, y) if isinstance(e, Number)):
        raise Refused
    if y is None:
        if code == a.NEG:
            return algebra.sum([(-1.0, x)])
        if code in _POWERS:
            return algebra.power(x, _POWERS[code])
        return algebra.call(code, x)
    if code in (a.ADD, a.SUB):
        return algebra.sum([(1.0, x), (1.0 if code == a.ADD else -1.0, y)])
    if code in (a.MUL, a.DIV):
        return algebra.product([(x, 1.0), (y, 1.0 if code == a.MUL else -1.0)])
    return algebra.call(code, x, y)


_POWERS = {a.INV: -1.0, a.SQUARE: 2.0, a.SQRT: 0.5}
