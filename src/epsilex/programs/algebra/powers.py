"""The normal form of products: powers of equal bases gathered, exponentials joined, roots of positive factors taken."""

from __future__ import annotations

import math

from epsilex.programs.algebra.arithmetic import (
    ABS,
    EXP,
    LOG,
    Algebra,
    Refused,
    in_range,
    negated,
    raw_product,
    split,
    total,
)
from epsilex.programs.algebra.expression import ZERO, Call, Expression, Number, Product, Sum, is_whole, leading
from epsilex.programs.algebra.numbers import cleaned, same

LARGEST_EXPONENT = 600.0  # beyond this, exp is out of range


class Gathering:
    """The factors of a product, by base."""

    def __init__(self, algebra: Algebra, coefficient: float):
        self.algebra, self.facts = algebra, algebra.facts
        self.coefficient = coefficient
        self.factors: dict[Expression, list[float]] = {}
        self.exponents: list[tuple[float, Expression]] = []  # of e

    def put(self, base: Expression, exponent: float) -> None:
        if exponent == 0.0:
            if not self.facts.defined(base):
                raise Refused
        elif isinstance(base, Number):
            self.scale(base.value, exponent)
        elif isinstance(base, Product):
            self.put_product(base, exponent)
        elif isinstance(base, Sum):
            self.put_sum(base, exponent)
        elif isinstance(base, Call) and base.code == EXP:
            self.exponents.append((exponent, base.arguments[0]))
        elif isinstance(base, Call) and base.code == ABS and exponent % 2.0 == 0.0:
            self.put(base.arguments[0], exponent)
        else:
            self.gather(base, exponent)

    def scale(self, value: float, exponent: float = 1.0) -> None:
        try:
            power = value**exponent
            if isinstance(power, complex):
                raise Refused
        except (OverflowError, ZeroDivisionError):
            raise Refused from None
        if power != 0.0:
            power = in_range(power)
        self.coefficient = self.coefficient * power

    def put_product(self, base: Product, exponent: float) -> None:
        if is_whole(exponent):
            self.scale(base.coefficient, exponent)
            for inner, power in base.factors:
                self.nested(inner, power, exponent)
            return
        self.scale(abs(base.coefficient), exponent)
        rest: list[tuple[Expression, float]] = [(Number(-1.0), 1.0)] if base.coefficient < 0.0 else []
        for inner, power in base.factors:
            whole = self.facts.positive(inner) or (self.facts.not_negative(inner) and power > 0.0)
            even = is_whole(power) and power % 2.0 == 0.0
            if whole:
                self.put(inner, power * exponent)
            elif even:
                self.put(self.algebra.call(ABS, inner), power * exponent)
            else:
                rest.append((inner, power))
        if len(rest) == 1 and rest[0][1] == 1.0:
            self.put_root(rest[0][0], exponent)
        elif len(rest) == 1 and not is_whole(rest[0][1]) and not is_whole(rest[0][1] * exponent):
            self.put(rest[0][0], rest[0][1] * exponent)
        elif rest:
            self.put_root(raw_product(1.0, rest), exponent)

    def put_root(self, base: Expression, exponent: float) -> None:
        if isinstance(base, Product):
            self.gather(base, exponent)
        else:
            self.put(base, exponent)

    def nested(self, base: Expression, power: float, exponent: float) -> None:
        """`(base ** power) ** exponent` for a whole exponent."""
        if not is_whole(power) and is_whole(power * exponent):
            fine = self.facts.positive(base) or (self.facts.not_negative(base) and power * exponent > 0.0)
            if not fine:
                self.gather(Product(1.0, ((base, power),)), exponent)
                return
        self.put(base, power * exponent)

    def put_sum(self, base: Sum, exponent: float) -> None:
        """A sum; multiples of one that is there already join it, and an even power begins with a positive term."""
        if exponent % 2.0 == 0.0 and leading(base) < 0.0:
            base = negated(base)  # type: ignore[assignment]
        for other in self.factors:
            ratio = _multiple(base, other) if isinstance(other, Sum) and base != other else None
            if ratio is not None and (ratio > 0.0 or is_whole(exponent)):
                self.scale(ratio, exponent)
                base = other  # type: ignore[assignment]
                break
        self.gather(base, exponent)

    def gather(self, base: Expression, exponent: float) -> None:
        known = self.factors.setdefault(base, [])
        for k, other in enumerate(known):
            if self.may_join(base, other, exponent):
                known[k] = cleaned(other + exponent)
                if abs(known[k]) < 1e-12:
                    del known[k]
                return
        known.append(exponent)

    def may_join(self, base: Expression, a: float, b: float) -> bool:
        """Whether `base^a * base^b` is `base^(a + b)`, with the same domain."""
        if self.facts.positive(base):
            return True
        if is_whole(a) and is_whole(b):
            return a * b > 0.0 or (self.facts.not_zero(base) and self.facts.defined(base))
        return a * b > 0.0 and (not is_whole(a + b) or self.facts.not_negative(base))

    def exponential(self) -> None:
        """Put together all powers of e; numbers and logarithms in the exponent become factors."""
        while self.exponents:
            exponent = self.algebra.sum(self.exponents)
            self.exponents = []
            constant, terms = _taken_apart(exponent)
            if constant != 0.0:
                if abs(constant) > LARGEST_EXPONENT:
                    raise Refused
                self.scale(math.exp(constant))
            rest = []
            for c, term in terms:
                inside = term.arguments[0] if isinstance(term, Call) and term.code == LOG else None
                if inside is not None and (not is_whole(c) or self.facts.positive(inside)):
                    self.put(inside, c)  # it may hold an exponential in turn
                else:
                    rest.append((c, term))
            if rest and self.exponents:
                self.exponents.append((1.0, total(0.0, rest)))
            elif rest:
                self.factors[Call(EXP, total(0.0, rest))] = [1.0]

    def result(self) -> Expression:
        self.exponential()
        pairs = [(base, exponent) for base, exponents in self.factors.items() for exponent in exponents]
        if self.coefficient == 0.0:
            if not self.facts.defined(raw_product(1.0, pairs)):
                raise Refused
            return ZERO
        c = in_range(self.coefficient)
        if len(pairs) == 1 and isinstance(pairs[0][0], Sum) and pairs[0][1] == 1.0:
            return self.algebra.sum([(c, pairs[0][0])])
        return raw_product(c, pairs)


def _multiple(a: Sum, b: Sum) -> float | None:
    """The number by which `b` is multiplied in `a`; None if `a` is not a multiple of `b`."""
    if len(a.terms) != len(b.terms) or (a.constant == 0.0) != (b.constant == 0.0):
        return None
    ratio = a.terms[0][0] / b.terms[0][0]
    if a.constant and not same(a.constant, ratio * b.constant):
        return None
    alike = all(x == y and same(c, ratio * d) for (c, x), (d, y) in zip(a.terms, b.terms, strict=True))
    return ratio if alike else None


def _taken_apart(e: Expression) -> tuple[float, tuple[tuple[float, Expression], ...]]:
    """Any expression as a constant and terms."""
    if isinstance(e, Number):
        return e.value, ()
    return (e.constant, e.terms) if isinstance(e, Sum) else (0.0, (split(e),))
