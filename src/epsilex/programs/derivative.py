"""The derivative of a program with respect to a feature, as a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.algebra.terms import ADD, DIV, MUL, NEG, SUB, Term, constant, make
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, opcode

SQUARE, SQRT, EXP, SIN, COS, TANH, POW = (opcode(n) for n in ("square", "sqrt", "exp", "sin", "cos", "tanh", "pow"))
LONGEST = 2000  # nodes of a derivative

# By name, the derivative of an operator with respect to its argument a.
_OUTER: dict[str, Callable[[Term], Term]] = {
    "neg": lambda a: constant(-1.0),
    "inv": lambda a: make(DIV, constant(-1.0), make(SQUARE, a)),
    "square": lambda a: make(MUL, constant(2.0), a),
    "sqrt": lambda a: make(DIV, constant(0.5), make(SQRT, a)),
    "exp": lambda a: make(EXP, a),
    "log": lambda a: make(DIV, constant(1.0), a),
    "sin": lambda a: make(COS, a),
    "cos": lambda a: make(NEG, make(SIN, a)),
    "tanh": lambda a: make(SUB, constant(1.0), make(SQUARE, make(TANH, a))),
}


class _Unknown(Exception):
    """An operator without a derivative that is a program."""


def derivative(nodes: Sequence[Node], feature: int) -> list[Node] | None:
    """The simplified derivative; None where an operator has none, or it gets too long."""

    def leaf(code: int, column: int, value: float) -> tuple[Term, Term | None]:
        """A term and its derivative, None for 0."""
        moves = code == FEATURE and column == feature
        return Term(((code, column, value),)), constant(value) if moves else None

    try:
        found = fold(nodes, leaf, _branch)[1]
    except _Unknown:
        return None
    return [(CONSTANT, 0, 0.0)] if found is None else simplify(found.nodes)


def _branch(row: Operator, *parts: tuple[Term, Term | None]) -> tuple[Term, Term | None]:
    args, slopes = [part[0] for part in parts], [part[1] for part in parts]
    whole = make(row.opcode, *args)
    if all(slope is None for slope in slopes):
        return whole, None
    found = _slope(row.name, args, slopes)
    if found is not None and len(found) > LONGEST:
        raise _Unknown
    return whole, found


def _slope(name: str, args: list[Term], slopes: list[Term | None]) -> Term | None:
    if name in _OUTER:
        return _times(_OUTER[name](args[0]), slopes[0])
    if name == "add":
        return _plus(*slopes)
    if name == "sub":
        return _plus(slopes[0], _times(constant(-1.0), slopes[1]))
    if name == "mul":
        return _plus(_times(args[1], slopes[0]), _times(args[0], slopes[1]))
    if name == "div":
        over = None if slopes[0] is None else make(DIV, slopes[0], args[1])
        under = _times(make(DIV, args[0], make(SQUARE, args[1])), slopes[1])
        return _plus(over, _times(constant(-1.0), under))
    if name == "pow" and args[1].code == CONSTANT:
        power = make(POW, args[0], constant(args[1].constant - 1.0))
        return _times(make(MUL, constant(args[1].constant), power), slopes[0])
    raise _Unknown


def _plus(a: Term | None, b: Term | None) -> Term | None:
    return b if a is None else a if b is None else make(ADD, a, b)


def _times(a: Term, b: Term | None) -> Term | None:
    return None if b is None else make(MUL, a, b)
