"""Statements about a formula f, from text.

increasing in T, decreasing in T      its slope in a column
convex in x, concave in x             the slope of that slope
f >= 0, f <= 100                      its values
f(x=0) = 0, f(x=0, t=1) <= 5          its values where some columns have fixed values
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

_SHAPE = re.compile(r"(?P<word>increasing|decreasing|convex|concave)\s+in\s+(?P<name>.+)")
_VALUE = re.compile(r"f\s*(?:\((?P<pins>.*)\))?\s*(?P<sign>>=|<=|==?)\s*(?P<value>\S+)")
_WORDS = {"increasing": (1, 1.0), "decreasing": (1, -1.0), "convex": (2, 1.0), "concave": (2, -1.0)}
KNOWN = "'increasing in x', 'decreasing in x', 'convex in x', 'concave in x', 'f >= 0', 'f <= 1' or 'f(x=0) = 0'"


@dataclass(frozen=True, slots=True)
class Statement:
    """`sign` times the derivative of this `order`, minus `value`, is not negative; 0 if `equal`.

    text     as it was given
    feature  the column of the derivative
    pins     columns with fixed values
    """

    text: str
    order: int = 0
    sign: float = 1.0
    feature: int = -1
    value: float = 0.0
    pins: tuple[tuple[int, float], ...] = ()
    equal: bool = False


def statement(text: str, names: Sequence[str]) -> Statement:
    """The statement in a text; a ValueError says what is wrong with it."""
    shape, value = _SHAPE.fullmatch(text.strip()), _VALUE.fullmatch(text.strip())
    if shape is not None:
        order, sign = _WORDS[shape["word"]]
        return Statement(text, order, sign, _column(shape["name"], names, text))
    if value is None:
        raise ValueError(f"constraints: expected {KNOWN}; got {text!r}")
    pins = []
    for part in filter(None, map(str.strip, (value["pins"] or "").split(","))):
        name, equals, number = part.rpartition("=")
        if not equals:
            raise ValueError(f"constraints: expected values such as x=0 in brackets; got {part!r} in {text!r}")
        pins.append((_column(name, names, text), _number(number, text)))
    if value["pins"] is not None and not pins:
        raise ValueError(f"constraints: expected values such as x=0 in brackets; got none in {text!r}")
    if len({column for column, _ in pins}) < len(pins):
        raise ValueError(f"constraints: expected one value per column; got two in {text!r}")
    bound = _number(value["value"], text)
    sign = -1.0 if value["sign"] == "<=" else 1.0
    return Statement(text, 0, sign, -1, sign * bound, tuple(pins), value["sign"] in ("=", "=="))


def statements(texts: Sequence[str], names: Sequence[str]) -> list[Statement]:
    """The statements in texts, none of which contradicts another."""
    found = [statement(text, names) for text in texts]
    for i, a in enumerate(found):
        for b in found[:i]:
            if _contradict(a, b):
                raise ValueError(
                    f"constraints: expected statements that can hold together; got {b.text!r} and {a.text!r}"
                )
    return found


def _contradict(a: Statement, b: Statement) -> bool:
    if a.order != b.order or a.feature != b.feature or a.pins != b.pins:
        return False
    if a.order:
        return a.sign != b.sign
    if a.equal and b.equal:
        return a.value != b.value
    if a.equal or b.equal:
        exact, bound = (a, b) if a.equal else (b, a)
        return bound.sign * exact.value < bound.value
    return a.sign != b.sign and a.value + b.value > 0.0


def _column(name: str, names: Sequence[str], text: str) -> int:
    name = name.strip()
    plain = name[1:-1] if len(name) > 1 and name[0] == name[-1] == "`" else name
    if plain not in names:
        known = ", ".join(map(repr, list(names)[:10])) + (", ..." if len(names) > 10 else "")
        raise ValueError(f"constraints: expected a column among {known}; got {plain!r} in {text!r}")
    return list(names).index(plain)


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"constraints: expected a number; got {text.strip()!r} in {where!r}")
    return value
