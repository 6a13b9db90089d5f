"""Numbers as people write them: decimal commas, grouped thousands, units behind them, clock times.

A column is changed if nearly all of its cells become numbers; the others stay as they are, and count as not numeric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from epsilex.tables.numbers import NUMERIC_SHARE, is_text, missing

if TYPE_CHECKING:
    import pandas as pd

BLANKS = " \u00a0\u2009\u202f"  # also those that do not break and thin ones
SYMBOLS = ("%", "‰", "€", "$", "£", "¥")  # beside the units that pint knows
SAMPLE = 100  # cells that tell whether the rest is worth a look
_UNIT = r"[^\W\d_]|[%‰€$£¥°µ]"


def _pattern(decimal: str, groups: str) -> re.Pattern:
    """A number with this decimal mark, whose thousands are grouped by one of these characters; a unit may stand beside
    it."""
    groups = re.escape(groups + "'’") + BLANKS
    whole = rf"\d{{1,3}}(?:(?P<group>[{groups}])\d{{3}}(?:(?P=group)\d{{3}})*)|\d*"
    number = rf"(?P<whole>{whole})(?:{re.escape(decimal)}(?P<part>\d*))?(?P<power>[eE][+\-]?\d+)?"
    return re.compile(
        rf"(?P<before>[€$£¥])?\s?(?P<sign>[+\-−])?\s?{number}(?:\s*(?P<unit>(?:{_UNIT})[^\s,;:]{{0,15}}))?"
    )


POINT, COMMA = _pattern(".", ","), _pattern(",", ".")
CLOCK = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:[.,]\d+)?))?")
GROUPED_BY_POINTS = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+")


@dataclass(frozen=True)
class Read:
    """A cell as a number in a unit, "" if it has none; `plain` if Python reads it the same."""

    value: float
    unit: str
    plain: bool


@dataclass(frozen=True)
class Change:
    """A column that was changed: one of its cells and the number it has become; `what`, if there is more to say."""

    name: str
    cell: str
    value: float
    what: str = ""

    @property
    def sentence(self) -> str:
        return f"column {self.name!r} {self.what}"


def plain_numbers(frame: pd.DataFrame, points: bool, as_text: Callable[[], pd.DataFrame] | None = None) -> list[str]:
    """Put numbers in the place of text in the columns of a table; returns what was done, one sentence each.

    points   whether `1,234` is a thousand where nothing else in the table tells: the comma separates cells there
    as_text  the table with all its cells as text, where there is one
    """
    texts = [name for name in frame.columns if is_text(frame[name])]
    kinds = {name: _kinds(_cells(frame[name])) for name in texts}
    commas = any(kind == {COMMA} for kind in kinds.values())
    if not commas and not points:
        points = any(kind == {POINT} for kind in kinds.values()) or _has_decimal_points(frame)
    usual = COMMA if commas or not points else POINT
    changes: list[Change] = []
    for name in texts:
        kind = kinds[name]
        pattern = CLOCK if not kind else usual if usual in kind else kind.pop()
        if (change := _changed(frame, name, pattern)) is not None:
            changes.append(change)
    if commas and as_text is not None:
        changes += _ungrouped(frame, as_text())
    return [*_told([change for change in changes if not change.what]), *(c.sentence for c in changes if c.what)]


def _cells(column: pd.Series) -> list[str]:
    """The cells with text, stripped."""
    present = column[~missing(column)]
    return [value.strip() for value in present if isinstance(value, str)]


def _kinds(cells: list[str]) -> set[re.Pattern]:
    """By which of the two notations nearly all cells are numbers."""
    found = set()
    for pattern in (POINT, COMMA):
        for part in (cells[:SAMPLE], cells):
            if sum(_read(cell, pattern) is not None for cell in part) < NUMERIC_SHARE * len(part) or not part:
                break
        else:
            found.add(pattern)
    return found


def _read(cell: str, pattern: re.Pattern) -> Read | None:
    match = pattern.fullmatch(cell)
    if match is not None and pattern is CLOCK:
        return _clock(match)
    if match is None or not (match["whole"] or match["part"]):
        return None
    whole = re.sub(r"\D", "", match["whole"])
    text = f"{'-' if match['sign'] in ('-', '−') else ''}{whole or '0'}.{match['part'] or '0'}{match['power'] or ''}"
    unit = match["before"] or match["unit"] or ""
    plain = not unit and not match["group"] and match["sign"] != "−" and (pattern is POINT or match["part"] is None)
    return Read(float(text), unit, plain)


def _clock(match: re.Match) -> Read:
    """A clock time or duration such as 1:30:05, in seconds."""
    hours, minutes, seconds = int(match[1]), int(match[2]), float((match[3] or "0").replace(",", "."))
    return Read(3600.0 * hours + 60.0 * minutes + seconds, "", False)


def _changed(frame: pd.DataFrame, name: str, pattern: re.Pattern) -> Change | None:
    """Change one column, if nearly all of its cells can be read and have one unit."""
    cells = [value.strip() if isinstance(value, str) else value for value in frame[name]]
    found = [_read(cell, pattern) if isinstance(cell, str) else None for cell in cells]
    present = ~missing(frame[name])
    texts = [(cell, r) for cell, r, there in zip(cells, found, present, strict=True) if there and isinstance(cell, str)]
    known = [(cell, r) for cell, r in texts if r is not None]
    if not known or len(known) < NUMERIC_SHARE * len(texts):
        return None
    units = sorted({r.unit for _, r in known})
    if not are_units(units):
        return None
    if len(units) > 1:
        several = " and ".join(unit or "none" for unit in units[:3])
        return Change(name, known[0][0], np.nan, f"has numbers in different units, {several}, and is not numeric")
    frame[name] = _column(found, cells, present)
    odd = next(((cell, r.value) for cell, r in known if not r.plain), None)
    if odd is None:
        return None
    if pattern is CLOCK:
        return Change(name, *odd, f"holds clock times, which count in seconds: {odd[0]!r} is {odd[1]:g}")
    return Change(name, *odd, f"holds numbers in {units[0]}: {odd[0]!r} is {odd[1]:.15g}" if units[0] else "")


def _told(changes: list[Change]) -> list[str]:
    """One sentence for all columns whose numbers were written another way."""
    if not changes:
        return []
    names = ", ".join(repr(change.name) for change in changes[:5])
    more = f" and {len(changes) - 5} more" if len(changes) > 5 else ""
    where = f"column {names}" if len(changes) == 1 else f"columns {names}{more}"
    examples = [f"{change.cell!r} is read as {change.value:.15g}" for change in changes[:1]]
    other = next((c for c in changes if ("," in c.cell) != ("," in changes[0].cell)), None)
    if other is not None:
        examples.append(f"{other.cell!r} as {other.value:.15g}")
    return [f"{where}: {', '.join(examples)}"]


def _column(found: list[Read | None], cells: list, present: np.ndarray) -> pd.Series:
    """Numbers where they could be read, the cells as they were elsewhere, nothing where a value is missing."""
    import pandas as pd

    values = [
        r.value if r is not None else cell if there else np.nan
        for r, cell, there in zip(found, cells, present, strict=True)
    ]
    return pd.Series(values, dtype=object).infer_objects()


def are_units(units: Sequence[str]) -> bool:
    """Whether these are units, and not letters of a code."""
    from epsilex.dimensions.units import unit_of

    for unit in filter(None, units):
        if unit in SYMBOLS:
            continue
        try:
            unit_of(unit)
        except Exception:  # pint raises errors of Python's tokenizer, too
            return False
    return True


def _has_decimal_points(frame: pd.DataFrame) -> bool:
    """Whether a column of numbers has a fraction: its decimal mark was a point."""
    floats = (frame[name].to_numpy() for name in frame.columns if frame[name].dtype.kind == "f")
    return any(bool((values[np.isfinite(values)] % 1.0 != 0.0).any()) for values in floats)


def _ungrouped(frame: pd.DataFrame, texts: pd.DataFrame) -> list[Change]:
    """Where commas are decimal, points group thousands: `1.234` is a thousand."""
    changes: list[Change] = []
    for name in frame.columns:
        if frame[name].dtype.kind != "f":
            continue
        cells = [value.strip() if isinstance(value, str) else "" for value in texts[name]]
        grouped = [cell for cell in cells if GROUPED_BY_POINTS.fullmatch(cell)]
        if grouped and all("." not in cell or GROUPED_BY_POINTS.fullmatch(cell) for cell in cells):
            frame[name] = [float(cell.replace(".", "")) if cell else np.nan for cell in cells]
            changes.append(Change(name, grouped[0], float(grouped[0].replace(".", ""))))
    return changes
