"""From the operator table to machine code: addresses of block kernels by opcode, compiled when first needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from epsilex.programs import operators
from epsilex.programs.operators import FIRST_OPERATOR, Operator

_KERNELS: dict[tuple[Operator, bool], Any] = {}  # keeps the compiled functions alive


def _address(row: Operator, slope: bool) -> int:
    from epsilex.kernels.compiling import slope_kernel, value_kernel

    key = (row, slope)
    if key not in _KERNELS:
        _KERNELS[key] = (
            slope_kernel(row.name, row.arity, row.value, row.partials)
            if slope
            else value_kernel(row.name, row.arity, row.value)
        )
    return _KERNELS[key].address


def addresses(used: np.ndarray, slope: bool = False) -> np.ndarray:
    """Addresses of the kernels of the opcodes in `used`, by opcode (int64); 0 for the others.

    With `slope`, the kernels of the chain rule instead of the values.
    """
    from epsilex.kernels.evaluating import mark

    table = np.zeros(FIRST_OPERATOR + len(operators.TABLE), np.int64)
    present = np.zeros(len(table), bool)
    mark(used.ravel(), present)
    for code in range(FIRST_OPERATOR, len(table)):
        if present[code]:
            table[code] = _address(operators.lookup(code), slope)
    return table


def loss_address(name: str, function) -> int:
    """Address of the block kernel of a loss: a function of (y, prediction)."""
    return _address(Operator(name, 2, function, None, name, None, None), False)
