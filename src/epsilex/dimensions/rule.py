"""The rule: whether the dimensions of a formula hold, exactly.

Constants are pure numbers unless the rule lets them carry units:

none     none do: the formula itself has the target's dimension
overall  y = a f + b: the factor and the offset of the whole formula do, all constants inside f are pure numbers
any      all do: a constant takes whatever unit makes the formula consistent

A formula that is only a number is always consistent: it is a value in the target's unit. Columns after the features are
constants with one value per group, and may carry units as other constants may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from epsilex.dimensions import exact
from epsilex.dimensions.classes import FUNCTION, INVERSE, KEEP, PRODUCT, QUOTIENT, ROOT, SAME, SQUARE, class_of
from epsilex.dimensions.exact import Dimension
from epsilex.programs.algebra.terms import ADD, DIV, MUL, NEG, SUB, Term, make
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, FEATURE, Operator

HALF = Fraction(1, 2)
FINEST = 12  # largest denominator of an exponent of a quantity


class Free:
    """The dimension of a part with a factor that may carry any unit."""


FREE = Free()
Found = Dimension | Free | None  # None: inconsistent


@dataclass(frozen=True)
class Rule:
    """Which formulas are consistent.

    features   the dimension of each column
    target     that of the target
    constants  which constants may carry units
    bases      names of the base dimensions
    """

    features: tuple[Dimension, ...]
    target: Dimension
    constants: str
    bases: tuple[str, ...]

    @property
    def through_zero(self) -> bool:
        """Whether a formula has no free offset: a pure number cannot be added to a quantity."""
        return self.constants == "none" and not exact.is_number(self.target)

    def allows(self, nodes: Sequence[Node]) -> bool:
        """Whether the dimensions of a formula hold."""
        if not any(code == FEATURE and feature < len(self.features) for code, feature, _ in nodes):
            return True
        found = self.dimension(nodes)
        if self.constants == "none":
            return found == self.target
        return found is not None and (self.constants == "overall" or found is FREE or found == self.target)

    def dimension(self, nodes: Sequence[Node]) -> Found:
        """The dimension of a formula, without its factor and offset if those carry units; None if it has none."""
        if self.constants == "overall":
            nodes = _inside(nodes, len(self.features))
        return fold(nodes, self._leaf, self._branch)[0]

    def _leaf(self, code: int, feature: int, value: float) -> tuple[Found, float | None]:
        """Dimension, and the value of a constant."""
        free = self.constants == "any"
        if code == CONSTANT:
            return (FREE if free else self._number), value
        if feature >= len(self.features):
            return (FREE if free else self._number), None
        return (FREE if free and abs(value) != 1.0 else self.features[feature]), None

    @property
    def _number(self) -> Dimension:
        return (Fraction(0),) * len(self.target)

    def _branch(self, row: Operator, *parts: tuple[Found, float | None]) -> tuple[Found, float | None]:
        found = [dimension for dimension, _ in parts]
        if None in found:
            return None, None
        if row.name == "pow":
            return self._power(found[0], found[1], parts[1][1]), None
        return self._value(class_of(row.name), found), None

    def _value(self, kind: int, found: list) -> Found:
        fixed = [one for one in found if one is not FREE]
        if kind == FUNCTION:
            return self._number if all(map(exact.is_number, fixed)) else None
        if kind == SAME:
            return FREE if not fixed else fixed[0] if all(one == fixed[0] for one in fixed) else None
        if len(fixed) < len(found):
            return FREE
        if kind in (PRODUCT, QUOTIENT):
            return exact.plus(*found) if kind == PRODUCT else exact.minus(*found)
        return exact.times(found[0], {SQUARE: Fraction(2), ROOT: HALF, INVERSE: Fraction(-1), KEEP: Fraction(1)}[kind])

    def _power(self, base: Found, exponent: Found, value: float | None) -> Found:
        if exponent is not FREE and not exact.is_number(exponent):  # type: ignore[arg-type]
            return None
        if base is FREE or exact.is_number(base):  # type: ignore[arg-type]
            return base
        if value is None:
            return None
        whole = Fraction(value).limit_denominator(FINEST)
        return exact.times(base, whole) if float(whole) == value else None  # type: ignore[arg-type]


def _inside(nodes: Sequence[Node], n_features: int) -> tuple[Node, ...]:
    """The formula without the factors and offsets around it."""
    term = fold(nodes, lambda *leaf: Term((leaf,)), lambda row, *args: make(row.opcode, *args))
    while term.args:
        numbers = [is_constant(arg, n_features) for arg in term.args]
        if term.code == NEG:
            term = term.args[0]
        elif term.code in (ADD, SUB, MUL) and any(numbers):
            term = term.args[numbers.index(True) - 1]
        elif term.code == DIV and numbers[1]:
            term = term.args[0]
        else:
            break
    return term.nodes


def is_constant(term: Term, n_features: int) -> bool:
    """Whether a term is a number, or a constant of a group."""
    return term.code == CONSTANT or (term.code == FEATURE and term.nodes[0][1] >= n_features)
