"""Monomials: products of powers of terms, such as `h * w / (k * T)`, in which equal terms cancel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epsilex.planting.terms import Term, apply, constant, multiplied


@dataclass(frozen=True)
class Group:
    """A product of powers; the exponents are whole or half."""

    powers: tuple[tuple[Term, float], ...] = ()

    @classmethod
    def of(cls, term: Term) -> Group:
        return cls(((term, 1.0),))

    def times(self, other: Group, exponent: float = 1.0) -> Group:
        """The product with a power of another group."""
        powers = dict(self.powers)
        for term, e in other.powers:
            powers[term] = powers.get(term, 0.0) + exponent * e
        return Group(tuple((term, e) for term, e in powers.items() if e != 0.0))

    def shared(self, other: Group) -> Group:
        """The powers that both groups contain."""
        theirs = dict(other.powers)
        return Group(tuple((term, e) for term, e in self.powers if theirs.get(term) == e))

    def program(self, *inner: Term, square: bool = True) -> Term:
        """The product of the powers, and of other programs."""
        over = [power(term, e, square) for term, e in self.powers if e > 0.0]
        under = [power(term, -e, square) for term, e in self.powers if e < 0.0]
        top = multiplied([*over, *inner])
        return apply("div", top, multiplied(under)) if under else top


def power(base: Term, exponent: float, square: bool = True) -> Term:
    """A positive whole or half power of a program, in few nodes."""
    whole, half = int(exponent), exponent != int(exponent)
    parts: Sequence[Term] = [apply("sqrt", base)] if half else []
    return multiplied([*_whole(base, whole, square), *parts])


def _whole(base: Term, exponent: int, square: bool) -> list[Term]:
    if exponent < 2 or not square:
        return [base] * exponent
    half = multiplied(_whole(base, exponent // 2, square))
    return [apply("square", half), *[base] * (exponent % 2)]


ONE = constant(1.0)
