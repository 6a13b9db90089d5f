"""Programs in other notations: SymPy objects and LaTeX, built from the nodes and never from text.

Source code is in `epsilex.programs.source`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from epsilex.programs.fold import Node, fold
from epsilex.programs.formula import Part, Writer, name_of, number
from epsilex.programs.operators import CALL, CONSTANT, POWER, PRODUCT, SUM, Operator
from epsilex.programs.source import c_source, python_source

__all__ = ["c_source", "latex", "python_source", "sympy_expression"]

MAX_INTEGER = 1000  # whole constants up to this become SymPy integers, so that x**2 is a square


def sympy_expression(nodes: Iterable[Node], names: Sequence[str] | None = None):
    """SymPy expression of a program, over real symbols of the features' names.

    It is unevaluated: it has the program's own operations, and huge numbers cannot stall it; `.doit()` and
    `sympy.simplify` evaluate it. Parts without features are numbers, computed in float64; if one of them is
    undefined, such as log(-1), the whole is SymPy's nan.
    """
    import sympy as sp

    def leaf(code, feature, constant):
        if code == CONSTANT:
            return np.float64(constant)
        symbol = sp.Symbol(name_of(feature, names), real=True)
        return symbol if constant == 1.0 else _sympy_number(sp, constant) * symbol

    def branch(row, *parts):
        numbers = [part for part in parts if isinstance(part, float)]
        if len(numbers) == len(parts):
            return np.float64(row.value(*parts))
        if np.isnan(numbers).any():  # SymPy can neither order nor print an expression with nan inside
            return np.float64(np.nan)
        arguments = [_sympy_number(sp, part) if isinstance(part, float) else part for part in parts]
        return _sympy_function(row)(*arguments) if row.sympy is None else row.sympy(sp, *arguments)

    with sp.evaluate(False), np.errstate(all="ignore"):
        result = fold(nodes, leaf, branch)
        return _sympy_number(sp, result) if isinstance(result, float) else result


@cache
def _sympy_function(row: Operator):
    """An opaque SymPy function of the operator's name; `lambdify` and `evalf` compute it by the row's `value`."""
    from sympy.utilities.lambdify import implemented_function

    # Whole numbers become floats, because those may be divided by zero.
    return implemented_function(row.symbol, lambda *parts: row.value(*(np.add(part, 0.0) for part in parts)))


def _sympy_number(sp, value: float):
    if not math.isfinite(value):
        return sp.nan if math.isnan(value) else sp.oo if value > 0.0 else -sp.oo
    return sp.Integer(int(value)) if value.is_integer() and abs(value) <= MAX_INTEGER else sp.Float(float(value))


def latex(nodes: Iterable[Node], names: Sequence[str] | None = None, digits: int | None = 4) -> str:
    """LaTeX of a program, for mathematics mode; constants rounded to `digits` significant digits, exact if None."""
    return _LatexWriter(names, digits).write(nodes)


_LATEX_NAME = re.compile(r"([A-Za-z])_?([0-9]*)")
_LATEX_ESCAPES = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\wedge ", "~": r"\sim ", " ": r"\ ",
}  # fmt: skip


def _latex_name(name: str) -> str:
    simple = _LATEX_NAME.fullmatch(name)
    if simple:
        return f"{simple[1]}_{{{simple[2]}}}" if simple[2] else simple[1]
    printable = (character if character.isprintable() else " " for character in name)
    return rf"\mathrm{{{''.join(_LATEX_ESCAPES.get(character, character) for character in printable)}}}"


class _LatexWriter(Writer):
    brackets = r"\left({}\right)"

    def number(self, value: float) -> Part:
        mantissa, _, exponent = number(value, self.digits).partition("e")
        if exponent:
            return Part(rf"{mantissa} \cdot 10^{{{int(exponent)}}}", PRODUCT, "*")
        return Part({"inf": r"\infty", "nan": r"\mathrm{nan}"}.get(mantissa, mantissa))

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
    if "^" in template or template.startswith(r"\frac"):
        return POWER
    return CALL if template.startswith("\\") or template.endswith(r"\right)") else SUM
