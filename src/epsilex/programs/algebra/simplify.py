"""Algebraic simplification of programs.

The promise: a simplified program is never longer, and wherever the original and all its parts are finite, it has the
same values up to rounding. So `x/x` becomes 1, which fills the hole at 0, and `sqrt(square(x))` never becomes x. Only
arithmetic operators are ever introduced.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from epsilex.programs.algebra.terms import (
    ADD,
    DIV,
    INV,
    MUL,
    NEG,
    SUB,
    Term,
    constant,
    factors,
    feature,
    make,
    terms,
    write_product,
    write_sum,
)
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, opcode

MAX_PASSES = 20
REMEMBERED = 5000  # parts of programs whose simple forms are remembered; programs tried in turn have most in common

ABS, POW, PDIV, SQRT = (opcode(name) for name in ("abs", "pow", "pdiv", "sqrt"))
EVEN = {opcode(name) for name in ("abs", "square", "cos", "plog")}  # f(-a) == f(a)
NOT_NEGATIVE = {opcode(name) for name in ("abs", "square", "sqrt", "exp")}  # abs(f(a)) == f(a)
IDEMPOTENT = {opcode(name) for name in ("min", "max")}  # f(a, a) == a
UNDONE = {(opcode(f), opcode(g)) for f, g in (("exp", "log"), ("log", "exp"), ("square", "sqrt"))}  # f(g(a)) == a


def simplify(nodes: Iterable[Node]) -> list[Node]:
    """A program with the same values, never longer; see the module's promise."""
    nodes = list(nodes)
    for _ in range(MAX_PASSES):
        before, nodes = nodes, list(fold(nodes, _leaf, _branch).nodes)
        if nodes == before:
            break
    return nodes


def _leaf(code: int, column: int, value: float) -> Term:
    if value == 0.0:
        return constant(0.0)  # without a sign: equal programs have equal simple forms
    return Term(((code, column, value),))


_KNOWN: dict[tuple[Node, ...], Term] = {}


def _branch(row: Operator, *args: Term) -> Term:
    plain = make(row.opcode, *args)
    known = _KNOWN.get(plain.nodes)
    if known is None:
        rewritten = _rewritten(row, plain)
        known = plain if rewritten is None or len(rewritten) > len(plain) else rewritten
        if len(_KNOWN) >= REMEMBERED:
            _KNOWN.clear()
        _KNOWN[plain.nodes] = known
    return known


def _rewritten(row: Operator, plain: Term) -> Term | None:
    if all(arg.code == CONSTANT for arg in plain.args):
        return _folded(row, plain.args)
    if row.identity is not None and _is(plain.args[1], row.identity):
        return plain.args[0]
    if row.opcode in (ADD, SUB, NEG):
        products = terms(plain)
        return None if products is None else write_sum(products)
    if row.opcode in (MUL, DIV, INV):
        product = factors(plain)
        return None if product is None else write_product(product)
    return _function(row.opcode, *plain.args)


def _folded(row: Operator, args: tuple[Term, ...]) -> Term | None:
    with np.errstate(all="ignore"):
        value = float(row.value(*(np.float64(arg.constant) for arg in args)))
    return constant(value) if math.isfinite(value) else None


def _function(code: int, a: Term, b: Term | None = None) -> Term | None:
    """Identities of single operators."""
    if b is None:
        if (code, a.code) in UNDONE:
            return a.args[0]
        if code == ABS and a.code in NOT_NEGATIVE:
            return a
        return make(code, _unsigned(a)) if code in EVEN else None
    if code in IDEMPOTENT and a.nodes == b.nodes:
        return a
    if code == POW and (_is(a, 1.0) or _is(b, 0.0)):
        return constant(1.0)
    if code == POW and _is(b, -0.5):  # nobody writes (1 + x)^-0.5
        return make(INV, make(SQRT, a))
    if code == PDIV and (a.nodes == b.nodes or (b.code == CONSTANT and abs(b.constant) < 1e-6)):
        return constant(1.0)
    if code == PDIV and b.code == CONSTANT:  # a number that needs no protection
        product = factors(make(DIV, a, b))
        return None if product is None else write_product(product)
    return None


def _unsigned(a: Term) -> Term:
    """An argument whose sign does not matter, without its sign."""
    if a.code == FEATURE:
        return feature(a, abs(a.constant))
    return a.args[0] if a.code in (NEG, ABS) else a


def _is(term: Term, value: float) -> bool:
    return term.code == CONSTANT and term.constant == value
