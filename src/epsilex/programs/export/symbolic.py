"""SymPy objects of programs, built from the nodes and never from text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np

from epsilex.programs.fold import Node, fold
from epsilex.programs.formula import name_of
from epsilex.programs.operators import CONSTANT, Operator

MAX_INTEGER = 1000  # whole constants up to this become SymPy integers, so that x**2 is a square


def sympy_expression(nodes: Iterable[Node], names: Sequence[str] | None = None, source: bool = False):
    """SymPy expression of a program, over real symbols of the features' names.

    It is unevaluated: it has the program's own operations, and huge numbers cannot stall it; `.doit()` and
    `sympy.simplify` evaluate it. Parts without features are numbers, computed in float64; if one of them is
    undefined, such as log(-1), the whole is SymPy's nan.

    For `source` code, numbers are floats except in exponents, and protected operators are written out.
    """
    import sympy as sp

    def numeral(value: float):
        return sp.Float(float(value), 17) if source and math.isfinite(value) else _sympy_number(sp, value)

    def leaf(code, feature, constant):
        if code == CONSTANT:
            return np.float64(constant)
        symbol = sp.Symbol(name_of(feature, names), real=True)
        return symbol if constant == 1.0 else numeral(constant) * symbol

    def branch(row, *parts):
        numbers = [part for part in parts if isinstance(part, float)]
        if len(numbers) == len(parts):
            return np.float64(row.value(*parts))
        if np.isnan(numbers).any():  # SymPy can neither order nor print an expression with nan inside
            return np.float64(np.nan)
        arguments = [numeral(part) if isinstance(part, float) else part for part in parts]
        if row.name == "pow" and isinstance(parts[1], float):
            arguments[1] = _sympy_number(sp, parts[1])
        if source and row.name in _WRITTEN_OUT:
            return _WRITTEN_OUT[row.name](sp, *arguments)
        return _sympy_function(row)(*arguments) if row.sympy is None else row.sympy(sp, *arguments)

    with sp.evaluate(False), np.errstate(all="ignore"):
        result = fold(nodes, leaf, branch)
        return numeral(result) if isinstance(result, float) else result


_WRITTEN_OUT: dict[str, Callable] = {
    "pdiv": lambda sp, a, b: sp.Piecewise((sp.Float(1.0), sp.Abs(b) < 1e-6), (a / b, True)),
    "plog": lambda sp, a: sp.Piecewise((sp.Float(0.0), sp.Abs(a) < 1e-6), (sp.log(sp.Abs(a)), True)),
}


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
