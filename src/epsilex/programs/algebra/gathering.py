"""Factors gathered: `2*sqrt(square(0.5*a - 0.5*b))` is `sqrt(square(a - b))`.

A search leaves coefficients wherever they happened to arise. Here each is moved up through products, quotients,
squares and roots. Out of a sum moves the coefficient that most of its terms share, or the first. At a function that
lets no factor pass, the factor goes into a leaf. Numbers and logarithms in an exponent are factors, too:
`exp(log(a) - b + 1)` is `2.718*a*exp(-b)`, and in `exp(2.5*log(3*a) - 0.3*log(2*b))` only one logarithm keeps a
coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from epsilex.programs.algebra.terms import ADD, DIV, INV, MUL, NEG, SUB, Term, constant, feature, make
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, opcode

SQUARE, SQRT, ABS, EXP, LOG = (opcode(name) for name in ("square", "sqrt", "abs", "exp", "log"))
EQUAL = 1e-6  # relative difference below which two coefficients count as equal
SAME = 1e-7  # largest allowed change of the outputs, relative to their spread

Scaled = tuple[float, Term]  # a factor, and what it multiplies
Parts = list[Scaled]  # to be added up


def gather(nodes: Sequence[Node], X: np.ndarray, values: Callable) -> list[Node]:
    """The program with its factors gathered; unchanged if that is longer, or differs on X (rows, features)."""
    nodes = list(nodes)
    try:
        term = _times(*_scaled(nodes))
        gathered = list((term if len(term) <= len(nodes) else _tucked(term)).nodes)
    except (OverflowError, ZeroDivisionError):
        return nodes
    if len(gathered) > len(nodes) or gathered == nodes:
        return nodes
    before, after = values(nodes, X), values(gathered, X)
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        return nodes
    spread = float(np.abs(before - before.mean()).max())
    return gathered if np.abs(after - before).max() <= SAME * spread else nodes


def _scaled(nodes: Sequence[Node]) -> Scaled:
    return _sum(fold(nodes, _leaf, _branch))


def _leaf(code: int, column: int, value: float) -> Parts:
    if value == 0.0:
        return [(1.0, constant(0.0))]
    return [(value, feature(Term(((FEATURE, column, 1.0),)), 1.0) if code == FEATURE else constant(1.0))]


def _branch(row: Operator, *args: Parts) -> Parts:
    code = row.opcode
    if code == ADD:
        return [*args[0], *args[1]]
    if code == SUB:
        return [*args[0], *((-k, a) for k, a in args[1])]
    if code == NEG:
        return [(-k, a) for k, a in args[0]]
    if code == EXP:
        return [_exponential(args[0])]
    passing = code in (MUL, DIV, INV, SQUARE, SQRT, ABS)
    return [_product(code, *(_sum(parts, passing) for parts in args))]


def _exponential(parts: Parts) -> Scaled:
    """exp of the sum of all parts; numbers and logarithms among them become factors."""
    over: Scaled = 1.0, constant(1.0)
    under, rest = over, []
    for k, a in parts:
        if _is_one(a):
            over = _product(MUL, over, (math.exp(k), a))
        elif a.code == LOG and abs(k - 1.0) <= EQUAL:
            over = _product(MUL, over, _scaled(a.args[0].nodes))
        elif a.code == LOG and abs(k + 1.0) <= EQUAL:
            under = _product(MUL, under, _scaled(a.args[0].nodes))
        elif a.code == LOG:
            c, b = _scaled(a.args[0].nodes)
            over = _product(MUL, over, (abs(c) ** k, constant(1.0)))
            rest.append((k, make(LOG, _times(math.copysign(1.0, c), b))))
        else:
            rest.append((k, a))
    if rest:
        over = _product(MUL, over, (1.0, make(EXP, _times(*_sum(rest)))))
    return _product(DIV, over, under)


def _product(code: int, *args: Scaled) -> Scaled:
    """An operator's value, with the factors of its arguments that pass through it."""
    (k, a), *others = args
    if not others:
        if code == INV:
            return 1.0 / k, make(INV, a)
        if code == SQUARE:
            return k * k, make(SQUARE, a)
        if code == ABS:
            return abs(k), make(ABS, a)
        if code == SQRT:
            return math.sqrt(abs(k)), make(SQRT, _times(math.copysign(1.0, k), a))
        return 1.0, make(code, _times(k, a))
    ((q, b),) = others
    if code == MUL:
        return k * q, b if _is_one(a) else a if _is_one(b) else make(MUL, a, b)
    if code == DIV:
        opposite = _opposite(b) if k / q < 0.0 else None
        if opposite is not None:
            q, b = -q, opposite
        return k / q, a if _is_one(b) else make(DIV, a, b)
    return 1.0, make(code, _times(k, a), _times(q, b))


def _sum(parts: Parts, passing: bool = False) -> Scaled:
    """The sum of all parts, divided by the factor that most of them share (at least two; the smallest in a tie), or
    else by that of the first part, if factors are `passing` and no part is without one: `1 + 0.3*x` has one number,
    `0.3*(3.333 + x)` two."""
    if len(parts) == 1:
        return parts[0]
    sizes = sorted(abs(k) for k, _ in parts)
    alike = [sum(abs(size - other) <= EQUAL * size for other in sizes) for size in sizes]
    positive = next((i for i, (k, _) in enumerate(parts) if k > 0.0), None)
    first = 1.0 if 1.0 in sizes else abs(parts[positive or 0][0])
    common = sizes[alike.index(max(alike))] if max(alike) > 1 else first if passing else 1.0
    if positive is None:  # sum the negatives and pass the sign on
        common, positive = -common, 0
    rest = [(_rounded(k / common), a) for k, a in parts]
    total = _times(*rest[positive])
    for i, (k, a) in enumerate(rest):
        if i != positive:
            total = make(ADD, total, _times(k, a)) if k > 0.0 else make(SUB, total, _times(-k, a))
    return common, total


def _opposite(term: Term) -> Term | None:
    """The negative of a sum with a subtraction, which is equally long; None for any other term."""
    parts = _summands(term, 1.0)
    positive = [a for k, a in parts if k < 0.0]
    if not positive:
        return None
    total = positive[0]
    for a in positive[1:]:
        total = make(ADD, total, a)
    for k, a in parts:
        if k > 0.0:
            total = make(SUB, total, a)
    return total


def _summands(term: Term, sign: float) -> Parts:
    """The summands of a term, with their signs."""
    if term.code not in (ADD, SUB):
        return [(sign, term)]
    a, b = term.args
    return [*_summands(a, sign), *_summands(b, sign if term.code == ADD else -sign)]


def _rounded(k: float) -> float:
    return math.copysign(1.0, k) if abs(abs(k) - 1.0) <= EQUAL else k


def _times(k: float, term: Term) -> Term:
    """The term times k, in a leaf if one can take it, else in front of its first factor."""
    if k == 1.0:
        return term
    inside = _inside(k, term)
    if inside is not None:
        return inside
    if term.code in (MUL, DIV):
        first, second = term.args
        return make(term.code, _times(k, first), second)
    return make(MUL, constant(k), term)


def _inside(k: float, term: Term) -> Term | None:
    code = term.code
    if code == CONSTANT:
        return constant(k * term.constant)
    if code == FEATURE:
        return feature(term, k * term.constant)
    if code in (MUL, DIV):
        a, b = term.args
        first = _inside(k, a)
        if first is not None:
            return make(code, first, b)
        second = _inside(k if code == MUL else 1.0 / k, b)
        return None if second is None else make(code, a, second)
    if code in (ADD, SUB):
        parts = [_inside(k, part) for part in term.args]
        return None if None in parts else make(code, *(p for p in parts if p is not None))
    if code == SQUARE and k > 0.0:
        root = _inside(math.sqrt(k), term.args[0])
        return None if root is None else make(SQUARE, root)
    return None


def _tucked(term: Term) -> Term:
    """The term with the factors of powers in their logarithms: `exp(0.5*log(4*a))` is shorter than
    `2*exp(0.5*log(a))`."""
    args = tuple(map(_tucked, term.args))
    if term.code == MUL and args[0].code == CONSTANT and args[0].constant > 0.0 and args[1].code == EXP:
        exponent = _with_logarithm(args[0].constant, args[1].args[0])
        if exponent is not None:
            return make(EXP, exponent)
    return make(term.code, *args) if args else term


def _with_logarithm(k: float, term: Term) -> Term | None:
    """The term plus log(k), absorbed into one of its logarithms; None if it has none."""
    code = term.code
    if code == LOG:
        inside = _inside(k, term.args[0])
        return None if inside is None else make(LOG, inside)
    if code not in (ADD, SUB, MUL):
        return None
    a, b = term.args
    if code == MUL:
        inside = _with_logarithm(k ** (1.0 / a.constant), b) if a.code == CONSTANT else None
        return None if inside is None else make(MUL, a, inside)
    first = _with_logarithm(k, a)
    if first is not None:
        return make(code, first, b)
    second = _with_logarithm(k if code == ADD else 1.0 / k, b)
    return None if second is None else make(code, a, second)


def _is_one(term: Term) -> bool:
    return term.code == CONSTANT and term.constant == 1.0
