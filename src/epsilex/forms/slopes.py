"""Derivatives of operators as templates in postfix order.

For an operator with arguments a and b, a template lists what the derivative is made of: the arguments (A, B), their own
derivatives (DA, DB), the whole (SELF), whole numbers (NUMBER - n) and operators by opcode. There is one template for
each case: only a depends on the column, only b does, or both. Python and the kernels read the same table.
"""

from __future__ import annotations

import numpy as np

from epsilex.programs.operators import FIRST_OPERATOR, TABLE, lookup, opcode

A, B, DA, DB, SELF = -1, -2, -3, -4, -5
NUMBER = -10
ONE, TWO = NUMBER - 1, NUMBER - 2
WIDTH = 20

_add, _sub, _mul, _div, _neg = (opcode(name) for name in ("add", "sub", "mul", "div", "neg"))
_sin, _cos, _log, _square, _sqrt, _pow = (opcode(name) for name in ("sin", "cos", "log", "square", "sqrt", "pow"))
_POWER_A = (B, A, B, ONE, _sub, _pow, _mul, DA, _mul)
_POWER_B = (SELF, A, _log, _mul, DB, _mul)

_TEMPLATES: dict[str, tuple[tuple[int, ...], ...]] = {
    "add": ((DA,), (DB,), (DA, DB, _add)),
    "sub": ((DA,), (DB, _neg), (DA, DB, _sub)),
    "mul": ((DA, B, _mul), (A, DB, _mul), (DA, B, _mul, A, DB, _mul, _add)),
    "div": (
        (DA, B, _div),
        (A, DB, _mul, B, _square, _div, _neg),
        (DA, B, _div, A, DB, _mul, B, _square, _div, _sub),
    ),
    "pow": (_POWER_A, _POWER_B, (*_POWER_A, *_POWER_B, _add)),
    "neg": ((DA, _neg),),
    "inv": ((DA, A, _square, _div, _neg),),
    "square": ((TWO, A, _mul, DA, _mul),),
    "sqrt": ((DA, TWO, SELF, _mul, _div),),
    "exp": ((SELF, DA, _mul),),
    "log": ((DA, A, _div),),
    "sin": ((A, _cos, DA, _mul),),
    "cos": ((A, _sin, DA, _mul, _neg),),
    "tanh": ((ONE, SELF, _square, _sub, DA, _mul),),
    "abs": ((A, SELF, _div, DA, _mul),),
    "asin": ((DA, ONE, A, _square, _sub, _sqrt, _div),),
    "acos": ((DA, ONE, A, _square, _sub, _sqrt, _div, _neg),),
}
DIFFERENTIABLE = frozenset(_TEMPLATES)


def template(code: int, in_a: bool, in_b: bool) -> tuple[int, ...]:
    """The derivative of an operator of which these arguments depend on the column."""
    return _TEMPLATES[lookup(code).name][(0 if in_a else 1) if in_a != in_b else 2 if lookup(code).arity == 2 else 0]


def templates() -> np.ndarray:
    """(opcodes, 3, WIDTH) int64: the templates by opcode and case, 0 after the end of each."""
    found = np.zeros((FIRST_OPERATOR + len(TABLE), 3, WIDTH), np.int64)
    for name, cases in _TEMPLATES.items():
        for case, items in enumerate(cases):
            found[opcode(name), case, : len(items)] = items
    return found
