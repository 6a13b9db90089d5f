"""Unit text to dimensions, by pint. Only the dimension counts: a factor such as kilo is left to the constants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

HEADER = re.compile(r"^(?P<name>.*?)\s*(?:\((?P<round>[^()]*(?:\([^()]*\))?[^()]*)\)|\[(?P<square>[^\[\]]*)\])\s*$")
FINEST = 60  # largest denominator of an exponent
LONGEST = 100  # characters of a unit

Named = dict[str, Fraction]  # exponents by base dimension, such as {"[length]": 1, "[time]": -1}


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(cache_folder=None)


def unit_of(text: str) -> Any:
    """The unit as an object of pint; any error of pint or Python's tokenizer if there is none."""
    text = text.strip().replace("^", "**").replace("·", "*")
    return _registry().parse_units("" if text in ("1", "-") else text)


def dimension(text: str, where: str) -> Named:
    """The dimension of a unit; a ValueError that begins with `where` if there is no such unit."""
    import pint

    if not isinstance(text, str) or len(text) > LONGEST:
        raise ValueError(f"{where}: expected a unit as text, such as 'm/s'; got {text!r:.120}")
    try:
        unit = unit_of(text)
        zero = _registry().Quantity(0.0, unit).to_base_units().magnitude
    except pint.errors.OffsetUnitCalculusError:
        zero = 1.0
    except Exception as error:  # pint raises errors of Python's tokenizer, too
        raise ValueError(f"{where}: expected a unit that pint knows, such as 'm/s'; got {text!r} ({error})") from None
    if zero != 0.0:
        raise ValueError(f"{where}: expected a unit whose zero is no quantity, such as K; got {text!r}")
    return {
        str(base): Fraction(float(power)).limit_denominator(FINEST)
        for base, power in sorted(unit.dimensionality.items())
        if power
    }


def from_header(name: str) -> str:
    """The unit in a header such as `v [m/s]` or `Temp (K)`; empty if there is none."""
    match = HEADER.match(name)
    return "" if match is None else (match["round"] or match["square"] or "").strip()


def of_columns(units: str | Mapping[str, str], names: Sequence[str]) -> list[Named]:
    """The dimension of each column, from headers or from a mapping that has them all."""
    if isinstance(units, str):
        return [dimension(from_header(name), f"units: column {name!r}") for name in names]
    for name in units:
        if name not in names:
            raise ValueError(f"units: expected names of columns, {', '.join(map(repr, names))}; got {name!r}")
    missing = [name for name in names if name not in units]
    if missing:
        raise ValueError(
            f"units: expected a unit of each column, '1' for a pure number; none for {', '.join(map(repr, missing))}"
        )
    return [dimension(units[name], f"units: column {name!r}") for name in names]
