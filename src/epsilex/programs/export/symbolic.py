"""SymPy objects of programs, built from the nodes and never from text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from epsilex.programs.fold import Node, fold
from epsilex.programs.formula import name_of
from epsilex.programs.operators import CONSTANT, Operator

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
