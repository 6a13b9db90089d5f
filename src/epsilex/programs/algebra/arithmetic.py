"""The normal form: sums of products of powers, with numbers folded, equal terms joined and equal bases gathered.

A rewriting that would change where a formula is defined is made only where `Facts` proves that it does not, on the box
of the data: `x/x` is 1 only if x is never 0. Overflow is left aside. `Refused` says that a form cannot be proven or
that a number leaves the range of floats; the caller then keeps what it has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from epsilex.programs.algebra.expression import (
    ONE,
    Call,
    Expression,
    Number,
    Product,
    Sum,
    factors_of,
    is_whole,
    leading,
)
from epsilex.programs.algebra.facts import Facts
from epsilex.programs.algebra.numbers import cleaned
from epsilex.programs.operators import lookup, opcode

SMALLEST, LARGEST = 1e-300, 1e300  # beyond this, coefficients lose digits
NOISE = 1e-15  # share of their size below which coefficients count as cancelled

ADD, SUB, MUL, DIV, NEG, INV, SQRT, SQUARE, POW = (
    opcode(name) for name in ("add", "sub", "mul", "div", "neg", "inv", "sqrt", "square", "pow")
)
SIN, COS, TANH, EXP, LOG, ABS, PDIV, PLOG = (
    opcode(name) for name in ("sin", "cos", "tanh", "exp", "log", "abs", "pdiv", "plog")
)
ODD, EVEN = {SIN, TANH}, {COS, ABS, PLOG}
IDEMPOTENT = {opcode("min"), opcode("max")}
QUARTER = math.pi / 2.0

Terms = Iterable[tuple[float, Expression]]
Factors = Iterable[tuple[Expression, float]]


class Refused(Exception):
    """The form is not proven to be the same, or a number is out of range."""


def in_range(value: float) -> float:
    if not SMALLEST <= abs(value) <= LARGEST:
        raise Refused
    return cleaned(value)


def split(e: Expression) -> tuple[float, Expression]:
    """The coefficient of a product, and the rest."""
    if isinstance(e, Number):
        return e.value, ONE
    if not isinstance(e, Product) or e.coefficient == 1.0:
        return 1.0, e
    if len(e.factors) == 1 and e.factors[0][1] == 1.0:
        return e.coefficient, e.factors[0][0]
    return e.coefficient, Product(1.0, e.factors)


def times(coefficient: float, e: Expression) -> Expression:
    """A product with a coefficient, as it is: a sum is not multiplied out."""
    if isinstance(e, Number):
        return Number(coefficient * e.value)
    if coefficient == 1.0:
        return e
    c, rest = split(e)
    c = in_range(c * coefficient)
    return rest if c == 1.0 else Product(c, factors_of(rest))


class Algebra:
    """Makes expressions in normal form, with what is known of the box."""

    def __init__(self, facts: Facts):
        self.facts = facts
        self._sums: dict[tuple, Expression] = {}  # rewritings often ask for the same
        self._products: dict[tuple, Expression] = {}

    def sum(self, terms: Terms, constant: float = 0.0) -> Expression:
        """`constant` plus all terms; a sum among them is taken apart."""
        key = tuple(terms), constant
        found = self._sums.get(key)
        if found is None:
            found = self._sums[key] = self._sum(*key)
        return found

    def product(self, factors: Factors, coefficient: float = 1.0) -> Expression:
        """The coefficient times all powers; products among them are taken apart, equal bases gathered."""
        key = tuple(factors), coefficient
        found = self._products.get(key)
        if found is None:
            found = self._products[key] = self._product(*key)
        return found

    def _sum(self, terms: Terms, constant: float) -> Expression:
        found: dict[Expression, float] = {}
        sizes: dict[Expression, float] = {}
        size = abs(constant)
        todo = list(terms)[::-1]
        while todo:
            c, e = todo.pop()
            k, e = split(e)
            c *= k
            if isinstance(e, Number):
                constant, size = constant + c * e.value, size + abs(c * e.value)
            elif isinstance(e, Sum):
                constant, size = constant + c * e.constant, size + abs(c * e.constant)
                todo += [(c * k, term) for k, term in reversed(e.terms)]
            else:
                found[e] = found.get(e, 0.0) + c
                sizes[e] = sizes.get(e, 0.0) + abs(c)
        kept = []
        for e, c in found.items():
            if abs(c) > NOISE * sizes[e]:
                kept.append((in_range(c), e))
            elif not self.facts.defined(e):
                raise Refused
        constant = 0.0 if abs(constant) <= NOISE * size else in_range(constant)
        return total(constant, kept)

    def _product(self, factors: Factors, coefficient: float) -> Expression:
        from epsilex.programs.algebra.powers import Gathering  # which multiplies in turn

        gathered = Gathering(self, coefficient)
        for base, exponent in factors:
            gathered.put(base, exponent)
        return gathered.result()

    def power(self, base: Expression, exponent: float) -> Expression:
        return self.product(((base, exponent),))

    def multiplied(self, *parts: Expression) -> Expression:
        return self.product([(part, 1.0) for part in parts])

    def call(self, code: int, *arguments: Expression) -> Expression:
        """A function of the table, by its identities."""
        row = lookup(code)
        if all(isinstance(a, Number) for a in arguments):
            with np.errstate(all="ignore"):
                value = float(row.value(*(np.float64(a.value) for a in arguments)))  # type: ignore[attr-defined]
            if not math.isfinite(value):
                raise Refused
            return Number(cleaned(value))
        if len(arguments) == 1:
            return self._unary(code, arguments[0])
        return self._binary(code, *arguments)

    def _unary(self, code: int, a: Expression) -> Expression:
        if code in ODD or code in EVEN:
            sign, a = _unsigned(a)
            if code in (SIN, COS) and isinstance(a, Sum):
                turned = self._turned(code, a, sign)
                if turned is not None:
                    return turned
            if code == ABS:
                return self._absolute(a)
            return times(sign if code in ODD else 1.0, Call(code, a))
        if code == EXP:
            return self.product([(Call(EXP, a), 1.0)])
        if code == LOG:
            return self._logarithm(a)
        return Call(code, a)

    def _binary(self, code: int, a: Expression, b: Expression) -> Expression:
        if code == POW:
            if isinstance(b, Number):
                return self.power(a, b.value)
            if a == ONE:
                return ONE
            if isinstance(a, Call) and a.code == EXP:
                return self.call(EXP, self.multiplied(a.arguments[0], b))
        if code in IDEMPOTENT:
            if a == b:
                return a
            a, b = sorted((a, b), key=lambda e: e.key)
        if code == PDIV and isinstance(b, Number):
            return times(1.0 / b.value, a) if abs(b.value) >= 1e-6 else self._constant(ONE, a)
        if code == PDIV and a == b:
            return self._constant(ONE, a)
        return Call(code, a, b)

    def _constant(self, value: Expression, instead_of: Expression) -> Expression:
        if not self.facts.defined(instead_of):
            raise Refused
        return value

    def _turned(self, code: int, a: Sum, sign: float) -> Expression | None:
        """Sine and cosine of an argument that is shifted by quarters of a turn; `sign` is that of the argument."""
        turns = round(a.constant / QUARTER)
        if turns == 0 or abs(a.constant - turns * QUARTER) > 1e-14 * abs(a.constant):
            return None
        rest = total(0.0, list(a.terms))
        if code == SIN:
            value = [(SIN, 1.0), (COS, 1.0), (SIN, -1.0), (COS, -1.0)][turns % 4]
        else:
            sign, value = 1.0, [(COS, 1.0), (SIN, -1.0), (COS, -1.0), (SIN, 1.0)][turns % 4]
        return times(sign * value[1], self._unary(value[0], rest))

    def _absolute(self, a: Expression) -> Expression:
        c, rest = split(a)
        if c != 1.0:
            return times(abs(c), self._absolute(rest))
        if self.facts.not_negative(a):
            return a
        if not self.facts.signs(a) & 4:
            return times(-1.0, a)
        if isinstance(a, Product) and all(is_whole(exponent) for _, exponent in a.factors) and len(a.factors) == 1:
            return self.power(self._absolute(a.factors[0][0]), a.factors[0][1])
        return a if isinstance(a, Call) and a.code == ABS else Call(ABS, a)

    def _logarithm(self, a: Expression) -> Expression:
        """`log(b^n)` is `n*log(b)`, and exponentials leave a logarithm."""
        c, rest = split(a)
        outside: list[tuple[float, Expression]] = []
        inside: list[tuple[Expression, float]] = []
        for base, exponent in factors_of(rest):
            if isinstance(base, Call) and base.code == EXP:
                outside.append((exponent, base.arguments[0]))
            else:
                inside.append((base, exponent))
        if not inside and c > 0.0:
            return self.sum(outside, math.log(c))
        exponents = {exponent for _, exponent in inside}
        if len(exponents) == 1 and exponents != {1.0} and c > 0.0:
            (n,) = exponents
            if not is_whole(n) or n % 2.0 == 1.0 or all(self.facts.positive(base) for base, _ in inside):
                body = self.product([(base, 1.0) for base, _ in inside], c ** (1.0 / n))
                return self.sum([*outside, (n, Call(LOG, body))])
        return self.sum([*outside, (1.0, Call(LOG, times(c, self.product(inside))))])


def raw_product(coefficient: float, pairs: Sequence[tuple[Expression, float]]) -> Expression:
    """A product of given factors, without gathering them."""
    numbers = [base.value for base, _ in pairs if isinstance(base, Number)]
    if numbers:
        pairs = [(base, exponent) for base, exponent in pairs if not isinstance(base, Number)]
        coefficient *= math.prod(numbers)
    if not pairs:
        return Number(coefficient)
    if coefficient == 1.0 and len(pairs) == 1 and pairs[0][1] == 1.0:
        return pairs[0][0]
    return Product(coefficient, tuple(pairs))


def total(constant: float, terms: Sequence[tuple[float, Expression]]) -> Expression:
    """A sum of given terms, without joining them."""
    if not terms:
        return Number(constant)
    if constant == 0.0 and len(terms) == 1:
        return times(*terms[0])
    return Sum(constant, tuple(terms))


def _unsigned(a: Expression) -> tuple[float, Expression]:
    """The sign of an argument, and the argument without it."""
    sign = leading(a) if isinstance(a, Sum) else split(a)[0]
    return (1.0, a) if sign > 0.0 else (-1.0, negated(a))


def negated(a: Expression) -> Expression:
    if isinstance(a, Sum):
        return Sum(-a.constant, tuple((-c, term) for c, term in a.terms))
    return times(-1.0, a)
