"""Parts of a formula that claim more than the rows show.

    sin(0.26*sqrt(c))   a wave of which the rows show less than half a period: any bent curve looks like it
    3.4*M^0.7531        powers whose exponents are no simple numbers: laws that follow from others have no such units
    0.003*(T + 4)^3.75  powers of sums whose exponents are neither whole nor half: thirds and quarters occur as powers
                        of one quantity (Kleiber, Manning), while a shifted one fits any bent curve
    sin(cos(0.13*t))    a wave of a wave, as only modulated signals are
    log(1.5*c)          a function, or a power of one, without a factor: the target is a pure number

A sine of an angle has simple numbers in its argument, or multiples of pi, and claims nothing about periods.

    sin(17.51*x)        a wave with fewer than two rows per period: on evenly spaced rows a slow wave has the same
                        values (Nyquist, Shannon), and between the rows the formula does what none of them shows
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.programs.constants import is_symbolic
from epsilex.programs.fold import Node, fold
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, lookup

ARITHMETIC = {"neg", "inv", "square", "sqrt", "abs"}  # of one argument, which may have a dimension
RAISED = {"square", "sqrt", "pow", "inv", "neg"}
WAVES = {"sin", "cos"}
SUMS = {"add", "sub"}
PASSING = ARITHMETIC | {"mul", "div", "pow"}  # what a sum may stand in and still be raised with the rest
SEEN = math.pi  # range of a wave's argument that the rows must show, and its largest mean step from row to row
SAME = 1e-9  # share of the range of an argument below which two values are one
UNSEEN = 10.0  # factor on the squared error of a formula with a wave faster than the rows, or with a pole between them

Exponent = tuple[float, bool]  # and whether a sum is raised


@dataclass(frozen=True, slots=True)
class Claims:
    """How many parts claim more than the rows show, and whether a wave is faster than the rows."""

    count: int
    hidden: bool


@dataclass(slots=True)
class _Part:
    """Its nodes, how many claims it makes, whether a number in it was fitted, and whether an exponent was.

    wave       whether there is a wave in it
    hidden     whether one of them is faster than the rows
    number     its value, if it is a number
    summed     whether there is a sum in it, outside of functions
    exponents  of the powers in exp(part)
    power      whether exp(part) is a product of powers and nothing else
    pure       whether it is a function, or a power of one, and so a pure number
    """

    nodes: list[Node]
    claims: int = 0
    fitted: bool = False
    odd: bool = False
    wave: bool = False
    hidden: bool = False
    number: float | None = None
    summed: bool = False
    exponents: tuple[Exponent, ...] = ()
    power: bool = False
    pure: bool = False


def claims(nodes: Sequence[Node], X: np.ndarray, is_simple: Callable[[float], bool]) -> Claims:
    """What a program claims beyond the rows of X (rows, features); `is_simple` tells numbers that were not fitted."""
    if not any(code > FEATURE and _may_claim(lookup(code)) for code, _, _ in nodes):
        return Claims(0, False)

    def leaf(code: int, feature: int, value: float) -> _Part:
        fitted = not (is_simple(value) or is_symbolic(value))
        if code == CONSTANT:
            return _Part([(code, feature, value)], fitted=fitted, number=value, power=True)
        return _Part([(code, feature, value)], fitted=fitted)

    def branch(row: Operator, *parts: _Part) -> _Part:
        count, fitted = sum(part.claims for part in parts), any(part.fitted for part in parts)
        raised, exponents, power = tuple[Exponent, ...](), tuple[Exponent, ...](), False
        summed = row.name in SUMS or (row.name in PASSING and any(part.summed for part in parts))
        pure = row.name in RAISED and parts[0].pure
        if row.arity == 1 and row.name not in ARITHMETIC:
            pure = row.name != "exp" or not parts[0].power
        wave, hidden = any(part.wave for part in parts), any(part.hidden for part in parts)
        if row.name in WAVES:
            angles = evaluate64(parts[0].nodes, X)
            count += wave + (fitted and not np.ptp(angles) >= SEEN)
            wave = True
            hidden = hidden or _is_hidden(angles)
        elif row.name == "pow" and parts[1].number is not None:
            raised = ((parts[1].number, parts[0].summed),)
        elif row.name == "exp":
            raised = parts[0].exponents
        elif row.name == "log":
            exponents, power = ((1.0, parts[0].summed),), True
        elif row.name in SUMS:
            signs = (1.0, -1.0 if row.name == "sub" else 1.0)
            exponents = tuple(e for s, part in zip(signs, parts, strict=True) for e in _times(s, part.exponents))
            power = all(part.power for part in parts)
        elif row.name == "mul":
            for number, other in (parts, parts[::-1]):
                if number.number is not None and other.exponents:
                    exponents, power = _times(number.number, other.exponents), other.power
        plain = all((2.0 * e).is_integer() if of_sum else is_simple(e) for e, of_sum in raised)
        odd = any(part.odd for part in parts) or not plain
        inside = [*(node for part in parts for node in part.nodes), (row.opcode, 0, 0.0)]
        return _Part(inside, count, fitted, odd, wave, hidden, None, summed, exponents, power, pure)

    with np.errstate(all="ignore"):
        whole = fold(nodes, leaf, branch)
    return Claims(whole.claims + whole.pure + whole.odd, whole.hidden)


def _times(by: float, exponents: Sequence[Exponent]) -> tuple[Exponent, ...]:
    return tuple((by * e, of_sum) for e, of_sum in exponents)


def _may_claim(row: Operator) -> bool:
    return row.name == "pow" or (row.arity == 1 and row.name not in ARITHMETIC)


def _is_hidden(angles: np.ndarray) -> bool:
    """Whether neighbouring angles (rows,) are, on average, more than half a period apart."""
    length = np.ptp(angles)
    if not SEEN < length < math.inf:
        return False
    distinct = 1 + np.count_nonzero(np.diff(np.sort(angles)) > SAME * length)
    return bool(length > SEEN * (distinct - 1))
