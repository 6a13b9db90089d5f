"""Parts of a formula that claim more than the rows show.

    sin(0.26*sqrt(c))   a wave of which the rows show less than half a period: any bent curve looks like it
    1.4e-45*T^18.35     a steep power whose exponent is no whole number: over a narrow range an exponential is like it
    log(1.5*c)          a function, or a power of one, without a factor: the target is a pure number

A sine of an angle has simple numbers in its argument, or multiples of pi, and claims nothing about periods.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.programs.constants import is_symbolic
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, Operator

ARITHMETIC = {"neg", "inv", "square", "sqrt", "abs"}  # of one argument, which may have a dimension
RAISED = {"square", "sqrt", "pow", "inv", "neg"}
WAVES = {"sin", "cos"}
SEEN = math.pi  # range of a wave's argument that the rows must show
STEEP = 4.0


@dataclass(frozen=True, slots=True)
class _Part:
    """Values on the rows, how many claims it makes, and whether a number in it was fitted.

    number    its value, if it is a number
    exponent  of the power that exp(part) is
    pure      whether it is a function, or a power of one, and so a pure number
    """

    values: np.ndarray
    claims: int = 0
    fitted: bool = False
    number: float | None = None
    exponent: float | None = None
    pure: bool = False


def claims(nodes: Sequence[Node], X: np.ndarray, is_simple: Callable[[float], bool]) -> int:
    """How many parts of a program claim more than the rows of X (rows, features) show; `is_simple` tells numbers that
    were not fitted."""

    def leaf(code: int, feature: int, value: float) -> _Part:
        fitted = not (is_simple(value) or is_symbolic(value))
        if code == CONSTANT:
            return _Part(np.full(len(X), value), fitted=fitted, number=value)
        return _Part(value * X[:, feature], fitted=fitted)

    def branch(row: Operator, *parts: _Part) -> _Part:
        count, fitted = sum(part.claims for part in parts), any(part.fitted for part in parts)
        exponent, pure = None, row.name in RAISED and parts[0].pure
        if row.arity == 1 and row.name not in ARITHMETIC:
            pure = parts[0].exponent is None or row.name != "exp"
        if row.name in WAVES and fitted:
            count += not np.ptp(parts[0].values) >= SEEN
        elif row.name == "pow":
            count += _is_steep(parts[1].number)
        elif row.name == "exp":
            count += _is_steep(parts[0].exponent)
        elif row.name == "log":
            exponent = 1.0
        elif row.name == "mul":
            for number, other in (parts, parts[::-1]):
                if number.number is not None and other.exponent is not None:
                    exponent = number.number * other.exponent
        return _Part(row.value(*(part.values for part in parts)), count, fitted, None, exponent, pure)

    with np.errstate(all="ignore"):
        whole = fold(nodes, leaf, branch)
    return whole.claims + whole.pure


def _is_steep(exponent: float | None) -> bool:
    return exponent is not None and abs(exponent) > STEEP and not exponent.is_integer()
