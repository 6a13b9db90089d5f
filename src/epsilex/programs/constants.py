"""Numbers as a scientist writes them: whole numbers, short decimals, simple fractions, and these times pi, e or a root.

`written(0.0795774715459477)` is 1 over 4 pi. A number is recognised only if it agrees to all its digits; which fitted
constant may be replaced by such a number is decided in `epsilex.models.naming`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

DIGITS_AGREE = 4e-15  # relative difference within which a number is recognised
NEAR = 1e-13  # relative difference beyond which no arithmetic can make it so
UNIT_FRACTIONS = (2, 3, 4, 6, 7, 8, 9, 11, 12)  # 1/5 and 1/10 are shorter as decimals
DENOMINATORS, NUMERATORS = 12, 99  # limits of a simple fraction
BESIDE = 24  # largest denominator beside pi or e, as in 3/(20*pi)
WHOLE = 1e6  # limit of a whole number that counts as simple
SHORT = 3  # significant digits of a short decimal
SYMBOLS = (("pi", math.pi), ("pi^2", math.pi**2), ("pi^3", math.pi**3), ("e", math.e))
RESERVED = frozenset({"pi", "e"})
ROOTS = (("", 1.0), ("pi", math.pi))  # under a root, beside a fraction


@dataclass(frozen=True, slots=True)
class Written:
    """A number above and below a fraction line, as texts of factors; `effort` is about the digits to read."""

    value: float
    over: tuple[str, ...]
    under: tuple[str, ...] = ()
    effort: float = 1.0

    @property
    def is_plain(self) -> bool:
        """Whether it is a whole number or a decimal."""
        return len(self.over) == 1 and not self.under and self.over[0][0].isdigit()


@lru_cache(maxsize=65536)
def written(value: float, without: frozenset[str] = frozenset()) -> Written | None:
    """A positive number in its simple form; None if it has none. Symbols that name a feature are left out."""
    if not 1e-9 < value < 1e9 or not _may_be_simple(value):
        return None
    plain = _fraction(value)
    if plain is not None:
        return plain
    for name, size in SYMBOLS:
        for over in () if name[:2] in without else (True, False):
            part = _ratio(value / size if over else value * size, BESIDE)
            if part is not None:
                p, q = part
                return _built(value, p, q, name, over, 1.0)
    return _root(value, without)


def _may_be_simple(value: float) -> bool:
    """Whether a number is whole, a short decimal or near any other that `written` knows. Few fitted numbers are."""
    if value.is_integer() or _agrees(value, float(f"{value:.{SHORT}g}")):
        return True
    known = _known()
    return known[bisect_left(known, value * (1.0 - NEAR))] <= value * (1.0 + NEAR)


@cache
def _known() -> list[float]:
    """The fractions, multiples of symbols and roots that `written` knows, ascending, up to infinity."""
    fractions, beside = (
        {p / q for p in range(1, NUMERATORS + 1) for q in range(1, most + 1)} for most in (DENOMINATORS, BESIDE)
    )
    sizes = [part for _, size in SYMBOLS for part in (size, 1.0 / size)]
    squares = [size for _, size in ROOTS] + [1.0 / size for _, size in ROOTS]
    multiples = {x * size for x in beside for size in sizes}
    roots = {math.sqrt(x * size) for x in fractions for size in squares}
    return sorted({*fractions, *multiples, *roots, math.inf})


def named_number(value: float, constants: Mapping[str, float], taken: frozenset[str]) -> Written | None:
    """A positive number in its simple form, or as a simple fraction times or over one of the user's constants, its
    square or its root.

    Names in `taken` are those of features; a constant of such a name is left out.
    """
    found = [written(value, taken & RESERVED)]
    for name, size in constants.items():
        if name in taken or not size:
            continue
        size = abs(size)
        for label, power in ((name, size), (f"{name}^2", size * size), (f"sqrt({name})", math.sqrt(size))):
            for over in (True, False):
                part = _ratio(value / power if over else value * power) if math.isfinite(power) and power else None
                if part is not None:
                    found.append(_built(value, *part, label, over, 1.0 if label == name else 1.5))
    return min((one for one in found if one is not None), key=lambda one: one.effort, default=None)


def is_symbolic(value: float) -> bool:
    """Whether a number is pi, e or a root, times a simple fraction, to all its digits."""
    known = written(abs(value)) if value else None
    return known is not None and any(not part[0].isdigit() for part in (*known.over, *known.under))


def _fraction(value: float) -> Written | None:
    """A whole number, a unit fraction, a short decimal or another fraction."""
    if value.is_integer() and value < WHOLE:
        text = str(int(value))
        return Written(value, (text,), (), len(text.rstrip("0")) + 0.1 * (len(text) - len(text.rstrip("0"))))
    for q in UNIT_FRACTIONS:
        if _agrees(value, 1.0 / q):
            return Written(1.0 / q, (), (str(q),), 1.2)
    short = float(f"{value:.{SHORT}g}")
    if _agrees(value, short):
        text = repr(short)
        return Written(short, (text.removesuffix(".0"),), (), len(text.replace(".", "").lstrip("0")) + 0.5)
    part = _ratio(value)
    return None if part is None else _built(value, *part, "", True, 0.0)


def _ratio(value: float, denominators: int = DENOMINATORS) -> tuple[int, int] | None:
    """Numerator and denominator of a simple fraction, which is a convergent of the value's continued fraction."""
    if not 1e-3 < value < 1e3:
        return None
    (p_before, q_before), (p, q), rest = (0, 1), (1, 0), value
    while True:
        whole = int(rest)
        p, p_before = whole * p + p_before, p
        q, q_before = whole * q + q_before, q
        if p > NUMERATORS or q > denominators:
            return None
        if p and _agrees(value, p / q):
            return p, q
        rest -= whole
        if rest == 0.0:
            return None
        rest = 1.0 / rest


def _built(value: float, p: int, q: int, name: str, over: bool, more: float) -> Written:
    above = ((str(p),) if p > 1 else ()) + ((name,) if name and over else ())
    below = ((str(q),) if q > 1 else ()) + ((name,) if name and not over else ())
    return Written(value, above, below, sum(len(str(k)) for k in (p, q) if k > 1) + 0.3 + more)


def _root(value: float, without: frozenset[str]) -> Written | None:
    """The root of a simple fraction, of pi or of both."""
    square = value * value
    for name, size in ROOTS:
        for over in () if name in without else (True, False) if name else (True,):
            part = _ratio(square / size if over else square * size)
            if part is None:
                continue
            inside = _built(square, *part, name, over, 0.0)
            if not inside.over:
                return Written(value, (), (f"sqrt({'*'.join(inside.under)})",), inside.effort + 1.5)
            below = "/" + ("*".join(inside.under) if len(inside.under) == 1 else f"({'*'.join(inside.under)})")
            text = f"sqrt({'*'.join(inside.over)}{below if inside.under else ''})"
            return Written(value, (text,), (), inside.effort + 1.5)
    return None


def _agrees(a: float, b: float) -> bool:
    return abs(a - b) <= DIGITS_AGREE * abs(b)
