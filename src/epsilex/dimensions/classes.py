"""What each operator does to the dimensions of its arguments."""

from __future__ import annotations

import numpy as np

from epsilex.programs.operators import TABLE

LEAF, SAME, PRODUCT, QUOTIENT, SQUARE, ROOT, INVERSE, KEEP, FUNCTION = range(9)

# Arguments of FUNCTION are pure numbers, and so is its value; that holds for operators of a user's own, too.
_BY_NAME = {
    "add": SAME, "sub": SAME, "min": SAME, "max": SAME, "mul": PRODUCT, "div": QUOTIENT, "pdiv": QUOTIENT,
    "square": SQUARE, "sqrt": ROOT, "inv": INVERSE, "abs": KEEP, "neg": KEEP,
}  # fmt: skip


def class_of(name: str) -> int:
    return _BY_NAME.get(name, FUNCTION)


def classes() -> np.ndarray:
    """The class by opcode (uint8)."""
    return np.array([LEAF, LEAF] + [class_of(row.name) for row in TABLE], np.uint8)
