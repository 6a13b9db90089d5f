"""Formula text with superscripts, roots and Greek letters, for terminals and notebooks; it is not read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from epsilex.programs.export.names import GREEK
from epsilex.programs.fold import Node
from epsilex.programs.formula import Part, Writer, name_of, number
from epsilex.programs.operators import CALL, NEGATION, POWER, PRODUCT, Operator

_RAISED = str.maketrans("0123456789-.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻·")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_NUMBERED = re.compile(r"([A-Za-z]+)_?([0-9]+)")  # here words may have an index, too


def unicode(
    nodes: Iterable[Node], names: Sequence[str] | None = None, digits: int | None = 4,
    named: Mapping[str, float] | None = None,
) -> str:  # fmt: skip
    """Text such as `q₁·q₂/(4·π·ε·r²)`; `digits` and `named` are as in `epsilex.programs.formula.text`."""
    return _UnicodeWriter(names, digits, named).write(nodes)


class _UnicodeWriter(Writer):
    def name(self, feature: int) -> str:
        name = name_of(feature, self.names)
        found = _NUMBERED.fullmatch(name)
        if found:
            return GREEK.get(found[1], found[1]) + found[2].translate(_LOWERED)
        return GREEK.get(name, "".join(c if c.isprintable() else " " for c in name))

    def decimal(self, value: float) -> Part:
        mantissa, _, exponent = number(value, self.digits).partition("e")
        if not exponent:
            return super().decimal(value)
        return Part(f"{mantissa}·10{str(int(exponent)).translate(_RAISED)}", PRODUCT, "*")

    def symbol(self, factor: str) -> str:
        factor = factor.replace("sqrt(", "√(").replace("*", "·").replace("^2", "²").replace("^3", "³")
        return re.sub(r"\bpi\b", "π", factor)

    def times(self, a: str, b: str) -> str:
        return f"{a}·{b}"

    def signed(self, part: Part) -> str:
        written = super().signed(part)
        return "−" + written[1:] if part.negative else written

    def sum(self, row: Operator, a: Part, b: Part) -> Part:
        part = super().sum(row, a, b)
        return Part(part.text.replace(" - ", " − "), part.level, part.symbol)

    def power(self, row: Operator, a: Part, b: Part) -> Part:
        exponent = self.within(b, NEGATION).replace("−", "-")
        if exponent.translate(_RAISED) == exponent or not re.fullmatch(r"-?[0-9.]+", exponent):
            return Part(f"{self.within(a, CALL)}^{self.within(b, NEGATION)}", POWER)
        base = a if a.level == CALL and not a.text.endswith(")") else Part(f"({self.signed(a)})")
        return Part(f"{self.within(base, CALL)}{exponent.translate(_RAISED)}", POWER)

    def call(self, row: Operator, *parts: Part) -> Part:
        if row.name == "sqrt":
            return Part(f"√({self.signed(parts[0])})")
        if row.name == "abs":
            return Part(f"|{self.signed(parts[0])}|")
        return super().call(row, *parts)
