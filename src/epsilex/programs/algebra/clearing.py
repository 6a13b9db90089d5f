"""Fractions within sums put together: `1/(1 + a/x)` is `x/(x + a)`.

The two are one function, but one of them is often shorter to describe. A search finds either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.algebra.terms import (
    ADD,
    DIV,
    MUL,
    SUB,
    Product,
    Term,
    constant,
    factors,
    make,
    terms,
    write_product,
    write_sum,
)
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import Operator

LONGER = 2.0  # times the length of the program; a longer form is of no use


def cleared(nodes: Sequence[Node], whole: bool = True) -> list[Node]:
    """The program with the terms of every sum over one denominator, but for a sum that is the whole program if not
    `whole`; unchanged if there is nothing to put together, or that is far longer."""
    root = fold(nodes, lambda *leaf: Term((leaf,)), _branch)
    if not whole and nodes[-1][0] in (ADD, SUB):
        parts = _split(nodes)
        root = make(nodes[-1][0], *(fold(part, lambda *leaf: Term((leaf,)), _branch) for part in parts))
    found = simplify(root.nodes)
    return found if len(found) <= LONGER * len(nodes) else list(nodes)


def _split(nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
    """The arguments of the last operator."""
    root = fold(nodes, lambda *leaf: Term((leaf,)), lambda row, *args: make(row.opcode, *args))
    return [argument.nodes for argument in root.args]


def _branch(row: Operator, *args: Term) -> Term:
    term = make(row.opcode, *args)
    if row.opcode in (MUL, DIV):
        product = factors(term)
        return term if product is None else write_product(product)
    if row.opcode not in (ADD, SUB):
        return term
    parts = terms(term)
    return term if parts is None or not any(part.under for part in parts) else _together(parts)


def _together(parts: Sequence[Product]) -> Term:
    """The sum of products as a quotient."""
    below: list[Term] = []
    for part in parts:
        rest = [factor.nodes for factor in below]
        for factor in part.under:
            if factor.nodes in rest:
                rest.remove(factor.nodes)
            else:
                below.append(factor)
    above = []
    for part in parts:
        new = replace(part, over=list(part.over), under=list(part.under))
        for factor in below:
            new.put(factor, below=False)
        above.append(new)
    bottom = Product(over=list(below))
    return make(DIV, write_sum(above) if above else constant(0.0), write_product(bottom))
