"""From an expression to a program, in the order in which a scientist writes.

Numbers come first in a product, then features by their column, functions, and sums. A sum begins with a positive term;
a positive number comes last, and first under a fraction line or a root.
"""

from __future__ import annotations

from collections.abc import Sequence

from epsilex.programs.algebra import arithmetic as a
from epsilex.programs.algebra.expression import (
    Call,
    Expression,
    Number,
    Product,
    Sum,
    Variable,
    factors_of,
    place,
)
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE


def write(e: Expression, first: bool = False) -> list[Node]:
    """The program of an expression; with `first` a positive number begins its sum."""
    if isinstance(e, Number):
        return [(CONSTANT, 0, e.value)]
    if isinstance(e, Variable):
        return [(FEATURE, e.column, 1.0)]
    if isinstance(e, Sum):
        return _sum(e, first)
    if isinstance(e, Product):
        return _product(e.coefficient, e.factors)
    assert isinstance(e, Call)
    parts = [node for argument in e.arguments for node in write(argument, first=e.code == a.LOG)]
    return [*parts, _operator(e.code)]


def _operator(code: int) -> Node:
    return (code, 0, 0.0)


def _sum(e: Sum, first: bool) -> list[Node]:
    items = [(c, term) for c, term in sorted(e.terms, key=place)]
    if e.constant != 0.0:
        number = (e.constant, a.ONE)
        leads = e.constant > 0.0 and (first or not any(c > 0.0 for c, _ in items))
        items = [number, *items] if leads else [*items, number]
    start = next((k for k, (c, _) in enumerate(items) if c > 0.0), 0)
    items = [items[start], *items[:start], *items[start + 1 :]]
    nodes = _scaled(*items[0])
    for c, term in items[1:]:
        nodes += [*_scaled(abs(c), term), _operator(a.ADD if c > 0.0 else a.SUB)]
    return nodes


def _scaled(c: float, term: Expression) -> list[Node]:
    if term is a.ONE:
        return [(CONSTANT, 0, c)]
    k, rest = a.split(term)
    return write(rest) if c * k == 1.0 else _product(c * k, factors_of(rest))


Factors = Sequence[tuple[Expression, float]]


def _product(c: float, factors: Factors) -> list[Node]:
    ordered = sorted(factors, key=_rank)
    above = [pair for pair in ordered if pair[1] > 0.0]
    below = [(base, -exponent) for base, exponent in ordered if exponent < 0.0]
    if not above:
        return _quotient(c, below)
    minus = c == -1.0 and not _is_feature(above[0])
    nodes = _chain(above, 1.0 if minus else c)
    if below:
        nodes = [*nodes, *_chain(below, 1.0, under=True), _operator(a.DIV)]
    return [*nodes, _operator(a.NEG)] if minus else nodes


def _quotient(c: float, below: Factors) -> list[Node]:
    """A number over a product; one power alone is written as such."""
    (base, exponent), alone = below[0], len(below) == 1
    if c == 1.0 and alone and exponent not in (0.5, 1.0):
        return [*write(base, first=True), (CONSTANT, 0, -exponent), _operator(a.POW)]
    under = _chain(below, 1.0, under=True)
    if c == 1.0:
        return [*under, _operator(a.INV)]
    return [(CONSTANT, 0, c), *under, _operator(a.DIV)]


def _chain(factors: Factors, c: float, under: bool = False) -> list[Node]:
    """A product from left to right; its coefficient goes into a feature that comes first."""
    base, exponent = factors[0]
    if c != 1.0 and _is_feature(factors[0]):
        nodes: list[Node] = [(FEATURE, base.column, c)]  # type: ignore[attr-defined]
    else:
        nodes = _power(base, exponent, under)
        if c != 1.0:
            nodes = [(CONSTANT, 0, c), *nodes, _operator(a.MUL)]
    for base, exponent in factors[1:]:
        nodes += [*_power(base, exponent, under), _operator(a.MUL)]
    return nodes


def _power(base: Expression, exponent: float, under: bool) -> list[Node]:
    nodes = write(base, first=(under and exponent == 1.0) or exponent == 0.5)
    if exponent == 1.0:
        return nodes
    if exponent in (0.5, 2.0):
        return [*nodes, _operator(a.SQRT if exponent == 0.5 else a.SQUARE)]
    return [*nodes, (CONSTANT, 0, exponent), _operator(a.POW)]


def _is_feature(pair: tuple[Expression, float]) -> bool:
    return isinstance(pair[0], Variable) and pair[1] == 1.0


def _rank(pair: tuple[Expression, float]) -> tuple:
    base = pair[0]
    plain = isinstance(base, Variable) and pair[1].is_integer()
    kind = 0 if plain else 2 if isinstance(base, Sum) else 1
    return kind, base.lowest, base.key, -pair[1]
