"""LaTeX of programs, for mathematics mode. It is unambiguous: a function is put in brackets before it is squared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from epsilex.programs.export.names import GREEK, letter_and_index
from epsilex.programs.fold import Node
from epsilex.programs.formula import Part, Writer, name_of, number
from epsilex.programs.operators import CALL, POWER, PRODUCT, SUM, Operator


def latex(
    nodes: Iterable[Node], names: Sequence[str] | None = None, digits: int | None = 4,
    named: Mapping[str, float] | None = None,
) -> str:  # fmt: skip
    """LaTeX of a program, for mathematics mode; constants rounded to `digits` significant digits, exact if None.

    `named` is as in `epsilex.programs.formula.text`.
    """
    return _LatexWriter(names, digits, named).write(nodes)


_LATEX_ESCAPES = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\wedge ", "~": r"\sim ", " ": r"\ ",
}  # fmt: skip


def _latex_name(name: str) -> str:
    simple = letter_and_index(name)
    if simple:
        letter = f"\\{simple[0]}" if simple[0] in GREEK else simple[0]
        return f"{letter}_{{{simple[1]}}}" if simple[1] else letter
    printable = (character if character.isprintable() else " " for character in name)
    return rf"\mathrm{{{''.join(_LATEX_ESCAPES.get(character, character) for character in printable)}}}"


class _LatexWriter(Writer):
    brackets = r"\left({}\right)"

    def decimal(self, value: float) -> Part:
        mantissa, _, exponent = number(value, self.digits).partition("e")
        if exponent:
            return Part(rf"{mantissa} \cdot 10^{{{int(exponent)}}}", PRODUCT, "*")
        shown = {"inf": r"\infty", "nan": r"\mathrm{nan}"}.get(mantissa, mantissa)
        return Part(shown, one=shown == "1" and self.digits is not None)

    def symbol(self, factor: str) -> str:
        inside = factor.removeprefix("sqrt(").removesuffix(")")
        if inside != factor:
            over, _, under = inside.partition("/")
            over, under = (self._factors(part.strip("()")) for part in (over, under))
            return rf"\sqrt{{\frac{{{over}}}{{{under}}}}}" if under else rf"\sqrt{{{over}}}"
        base, _, power = factor.partition("^")
        base = r"\pi" if base == "pi" and "pi" not in (self.named or {}) else base
        base = base if base.startswith("\\") or base.replace(".", "").isdigit() else _latex_name(base)
        return f"{base}^{{{power}}}" if power else base

    def _factors(self, product: str) -> str:
        return r" \, ".join(map(self.symbol, product.split("*"))) if product else ""

    def over(self, a: Part, below: Sequence[str]) -> Part:
        under = below[0]
        for factor in below[1:]:
            under = self.times(under, factor)
        return Part(rf"\frac{{{self.signed(a)}}}{{{under}}}", POWER)

    def name(self, feature: int) -> str:
        return _latex_name(name_of(feature, self.names))

    def times(self, a: str, b: str) -> str:
        return rf"{a} \cdot {b}" if b[0].isdigit() else rf"{a} \, {b}"

    def factors(self, row: Operator, a: Part, b: Part) -> Part:
        return self.call(row, a, b) if row.latex else super().factors(row, a, b)

    def power(self, row: Operator, a: Part, b: Part) -> Part:
        return self.call(row, a, b)

    def call(self, row: Operator, *parts: Part) -> Part:
        name = _latex_name(row.symbol) if len(row.symbol) > 1 else row.symbol
        template = row.latex or name + self.brackets.format(", ".join(f"{{{k}}}" for k in range(row.arity)))

        def argument(match):
            part = parts[int(match[2])]
            # An argument enclosed by the template needs no brackets; elsewhere, such as the base of a power, it may.
            return match[1] + self.signed(part) if match[1] else self.within(part, CALL)

        filled = re.sub(rf"([{{(|]|(?<!\\), )?\{{([0-{row.arity - 1}])\}}", argument, template)
        return Part(filled, _latex_level(template))


def _latex_level(template: str) -> int:
    """How tightly the outermost symbol binds; a function is put in brackets before it is raised to a power."""
    if template.startswith((r"\sqrt", r"\left|")):
        return CALL
    if "^" in template or template.startswith("\\") or template.endswith(r"\right)"):
        return POWER
    return SUM
