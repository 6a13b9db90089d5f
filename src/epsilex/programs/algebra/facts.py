"""What is known of an expression on a box: its possible signs, and whether it is defined everywhere.

Interval arithmetic gives bounds where the box is known. Without a box, signs follow from the form alone: a square is
never negative, an exponential is positive. What is not known counts as possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from epsilex.programs import intervals as iv
from epsilex.programs.algebra.expression import Call, Expression, Number, Product, Sum, Variable, is_whole
from epsilex.programs.intervals import Interval
from epsilex.programs.operators import lookup, opcode

NEGATIVE, NULL, POSITIVE = 1, 2, 4  # possible signs, as bits
ANY = NEGATIVE | NULL | POSITIVE
LOG, POW, ABS, EXP = (opcode(name) for name in ("log", "pow", "abs", "exp"))
TOTAL = {opcode(name) for name in ("sin", "cos", "exp", "tanh", "abs", "min", "max", "pdiv", "plog")}
ARITHMETIC = {opcode(name) for name in ("add", "sub", "mul", "neg")}


class Facts:
    """Signs and domains of expressions on a box, an interval per feature; None if the box is unknown."""

    def __init__(self, box: Sequence[Interval] | None = None):
        self.box = box
        self._bounds: dict[Expression, Interval | None] = {}
        self._signs: dict[Expression, int] = {}
        self._defined: dict[Expression, bool] = {}

    def positive(self, e: Expression) -> bool:
        return not self.signs(e) & (NEGATIVE | NULL)

    def not_negative(self, e: Expression) -> bool:
        return not self.signs(e) & NEGATIVE

    def not_zero(self, e: Expression) -> bool:
        return not self.signs(e) & NULL

    def one_sign(self, e: Expression) -> bool:
        signs = self.signs(e)
        return signs in (NEGATIVE, POSITIVE)

    def signs(self, e: Expression) -> int:
        """The signs that the expression may have where it is defined."""
        if e not in self._signs:
            known = self._by_form(e)
            bounds = self.bounds(e)
            if bounds is not None:
                known &= _signs_of(bounds) or ANY
            self._signs[e] = known or ANY
        return self._signs[e]

    def defined(self, e: Expression) -> bool:
        """Whether the expression is certainly defined on the whole box."""
        if e not in self._defined:
            self._defined[e] = self.bounds(e) is not None or self._defined_by_form(e)
        return self._defined[e]

    def bounds(self, e: Expression) -> Interval | None:
        """An enclosure on the box; None if nothing is known."""
        if self.box is None:
            return None
        if e not in self._bounds:
            self._bounds[e] = None
            self._bounds[e] = self._enclosed(e)
        return self._bounds[e]

    def _enclosed(self, e: Expression) -> Interval | None:
        assert self.box is not None
        if isinstance(e, Number):
            return Interval(e.value, e.value) if math.isfinite(e.value) else None
        if isinstance(e, Variable):
            return self.box[e.column]
        if isinstance(e, Sum):
            total: Interval | None = Interval(e.constant, e.constant)
            for coefficient, term in e.terms:
                part = _scaled(coefficient, self.bounds(term))
                total = None if part is None or total is None else iv.add(total, part)
            return total
        if isinstance(e, Product):
            total = Interval(e.coefficient, e.coefficient)
            for base, exponent in e.factors:
                inside = self.bounds(base)
                part = None if inside is None else iv.power(inside, Interval(exponent, exponent))
                total = None if part is None or total is None else iv.mul(total, part)
            return total
        assert isinstance(e, Call)
        row, parts = lookup(e.code), [self.bounds(argument) for argument in e.arguments]
        if row.bounds is None or None in parts:
            return None
        return row.bounds(*parts)

    def _by_form(self, e: Expression) -> int:
        if isinstance(e, Number):
            return NEGATIVE if e.value < 0.0 else POSITIVE if e.value > 0.0 else NULL
        if isinstance(e, Sum):
            found = _sign_of(e.constant)
            for coefficient, term in e.terms:
                found = _added(found, _times(_sign_of(coefficient), self.signs(term)))
            return found
        if isinstance(e, Product):
            found = _sign_of(e.coefficient)
            for base, exponent in e.factors:
                found = _times(found, _power(self.signs(base), exponent))
            return found
        if isinstance(e, Call):
            if e.code == EXP:
                return POSITIVE
            if e.code == ABS:
                return POSITIVE | (self.signs(e.arguments[0]) & NULL)
            if e.code == POW and self.positive(e.arguments[0]):
                return POSITIVE
        return ANY

    def _defined_by_form(self, e: Expression) -> bool:
        if isinstance(e, Number):
            return math.isfinite(e.value)
        if isinstance(e, Variable):
            return True
        if isinstance(e, Sum):
            return all(self.defined(term) for _, term in e.terms)
        if isinstance(e, Product):
            return all(self.defined(base) and self._has_power(base, exponent) for base, exponent in e.factors)
        assert isinstance(e, Call)
        inside = all(self.defined(argument) for argument in e.arguments)
        if e.code == LOG:
            return inside and self.positive(e.arguments[0])
        if e.code == POW:
            return inside and self.positive(e.arguments[0])
        return inside and (e.code in TOTAL or e.code in ARITHMETIC)

    def _has_power(self, base: Expression, exponent: float) -> bool:
        if exponent < 0.0 and not self.not_zero(base):
            return False
        return is_whole(exponent) or self.not_negative(base)


def _scaled(coefficient: float, bounds: Interval | None) -> Interval | None:
    return None if bounds is None else iv.mul(Interval(coefficient, coefficient), bounds)


def _sign_of(value: float) -> int:
    return NEGATIVE if value < 0.0 else POSITIVE if value > 0.0 else NULL


def _signs_of(bounds: Interval) -> int:
    return (bounds.lo < 0.0) * NEGATIVE | (0.0 in bounds) * NULL | (bounds.hi > 0.0) * POSITIVE


def _added(a: int, b: int) -> int:
    """Signs of a sum of parts of these signs."""
    if a == NULL or b == NULL:
        return b if a == NULL else a
    if (a | b) & NEGATIVE and (a | b) & POSITIVE:
        return ANY
    return (a | b) & ~NULL | (a & b & NULL)


def _times(a: int, b: int) -> int:
    found = (a | b) & NULL
    if (a & POSITIVE and b & POSITIVE) or (a & NEGATIVE and b & NEGATIVE):
        found |= POSITIVE
    if (a & POSITIVE and b & NEGATIVE) or (a & NEGATIVE and b & POSITIVE):
        found |= NEGATIVE
    return found


def _power(signs: int, exponent: float) -> int:
    """Signs of a power where it is defined."""
    if exponent < 0.0:
        signs &= ~NULL
    if not is_whole(exponent):
        return signs & ~NEGATIVE or POSITIVE
    if exponent % 2.0 == 0.0:
        return signs & NULL | (POSITIVE if signs & (NEGATIVE | POSITIVE) else 0) or POSITIVE
    return signs or ANY
