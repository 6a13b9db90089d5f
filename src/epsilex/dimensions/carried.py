"""The units that constants carry, inferred from those of the columns and the target.

From the root down each part is asked for the unit that it needs. In a product the first factor with a constant of its
own takes what the others lack. All other constants are pure numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from epsilex.dimensions.classes import FUNCTION, INVERSE, KEEP, PRODUCT, QUOTIENT, ROOT, SAME, SQUARE, class_of
from epsilex.dimensions.rule import is_constant
from epsilex.dimensions.units import unit_of
from epsilex.programs.algebra.terms import Term, make
from epsilex.programs.fold import Node, fold
from epsilex.programs.gradient import constant_places
from epsilex.programs.operators import CONSTANT, FEATURE, lookup

POWERS = {SQUARE: Fraction(2), ROOT: Fraction(1, 2), INVERSE: Fraction(-1), KEEP: Fraction(1)}


def carried(nodes: Sequence[Node], columns: Sequence[str], target: str) -> dict[int, str]:
    """The unit of each constant by node, "1" for a pure number, given the units of columns and target as text."""
    reader = _Reader([unit_of(text) for text in columns])
    root = fold(nodes, lambda *leaf: Term((leaf,)), lambda row, *args: make(row.opcode, *args))
    reader.ask(root, unit_of(target), len(nodes) - 1)
    return {k: reader.found.get(k, "1") for k in constant_places(nodes)}


class _Reader:
    def __init__(self, columns: Sequence[Any]):
        self.columns, self.found = columns, dict[int, str]()

    def ask(self, term: Term, need: Any, at: int) -> None:
        """Give the constants of a term, whose root is node `at`, the units that make the whole have the unit `need`."""
        if self.is_constant(term):
            self.found[at] = _text(need)
        elif term.code == FEATURE:
            self.found[at] = _text(need / self.own(term))
        else:
            places = [at - 1] if len(term.args) == 1 else [at - 1 - len(term.args[1]), at - 1]
            for arg, wanted, place in zip(term.args, self._wanted(term, need), places, strict=True):
                self.ask(arg, wanted, place)

    def _wanted(self, term: Term, need: Any) -> list[Any]:
        """The units that the arguments need."""
        args, name = term.args, lookup(term.code).name
        kind, one = class_of(name), unit_of("1")
        if kind == SAME:
            return [need] * len(args)
        if kind in POWERS:
            return [need ** float(1 / POWERS[kind])]
        if kind == FUNCTION:
            power = name == "pow" and args[1].code == CONSTANT and args[1].constant != 0.0
            return [need ** (1.0 / args[1].constant) if power else one, one][: len(args)]
        natural = [self.own(arg) for arg in args]
        sign = 1 if kind == PRODUCT else -1
        if self.absorbs(args[0]) or not self.absorbs(args[1]):
            return [need / natural[1] ** sign, natural[1]]
        return [natural[0], (need / natural[0]) ** sign]

    def own(self, term: Term) -> Any:
        """The unit of a term whose constants are pure numbers; of a sum, that of its first summand with a unit."""
        if self.is_constant(term):
            return unit_of("1")
        if term.code == FEATURE:
            return self.columns[term.nodes[0][1]]
        row = lookup(term.code)
        kind, units = class_of(row.name), [self.own(arg) for arg in term.args]
        if kind == PRODUCT:
            return units[0] * units[1]
        if kind == QUOTIENT:
            return units[0] / units[1]
        if kind == SAME:
            return next((unit for unit in units if not _plain(unit)), units[0])
        if kind in POWERS:
            return units[0] ** float(POWERS[kind])
        if row.name == "pow" and term.args[1].code == CONSTANT:
            return units[0] ** term.args[1].constant
        return unit_of("1")

    def absorbs(self, term: Term) -> bool:
        """Whether a factor of the term can be one of its constants."""
        if term.code in (CONSTANT, FEATURE):
            return self.is_constant(term) or abs(term.constant) != 1.0
        kind = class_of(lookup(term.code).name)
        if kind == SAME:
            return all(map(self.absorbs, term.args))
        return kind != FUNCTION and any(map(self.absorbs, term.args))

    def is_constant(self, term: Term) -> bool:
        """Whether a term is a number, or a constant of a group."""
        return is_constant(term, len(self.columns))


def _plain(unit: Any) -> bool:
    return bool(unit.dimensionless)


def _text(unit: Any) -> str:
    """Short text that pint reads; a conversion between units of one dimension counts as a pure number."""
    return "1" if _plain(unit) else f"{unit:~C}"


def units_by_name(units: str | Mapping[str, str], names: Sequence[str]) -> list[str]:
    """The unit text of each column."""
    from epsilex.dimensions.units import from_header

    return [from_header(name) if isinstance(units, str) else units[name] for name in names]
