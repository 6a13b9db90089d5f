"""Time stamps as features: hour, day of year, and the time elapsed since a fixed date.

A feature's name tells how it is made, so that a model's features can be made of any other table: `t_hour`,
`t_day_of_year`, `t_days_since_2024_03_01`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from epsilex.tables.numbers import NUMERIC_SHARE, is_text, missing

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 50  # cells that tell whether the rest is worth a look
SECONDS = {"seconds": 1.0, "hours": 3600.0, "days": 86400.0}
UNITS = {"hour": "h", "day_of_year": "day", "seconds": "s", "hours": "h", "days": "day"}
LONGEST = {"seconds": 2 * 3600.0, "hours": 4 * 86400.0}  # spans in seconds beyond which a longer unit counts
PERIODS = {"hour": 86400.0, "day_of_year": 366 * 86400.0}  # in seconds
GOOD_PART = 0.25  # of a period that the stamps must cover for its features to come first
SAME = 1e-6  # largest difference, as a share of the range, that is rounding
_DATE = re.compile(
    r"(?P<one>\d{1,4})(?P<sign>[-/.])(?P<two>\d{1,2})(?P=sign)(?P<three>\d{1,4})"
    r"(?:[ T]+(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)(?P<zone>\s?Z|\s?[+-]\d{2}:?\d{2})?)?"
)
_NAMED = ("%d-%b-%Y", "%d %b %Y", "%d. %b %Y", "%b %d %Y", "%b %d, %Y", "%d-%B-%Y", "%d %B %Y", "%B %d, %Y")
_CLOCKS = ("", " %H:%M", " %H:%M:%S")
_ELAPSED = re.compile(
    r"(?P<column>.*)_(?P<unit>seconds|hours|days)_since_"
    r"(?P<date>\d{4}_\d\d_\d\d)(?:_(?P<clock>\d\d_\d\d_\d\d))?"
)
_PART = re.compile(r"(?P<column>.*)_(?P<part>hour|day_of_year)")


class Ambiguous(ValueError):
    """Days and months could be exchanged."""


def stamps(column: pd.Series) -> pd.Series | None:
    """The column as time stamps, NaT where there is none; None if it holds something else.

    Raises Ambiguous for dates such as 03/04/2024 alone, which could be in March or in April.
    """
    import pandas as pd

    if column.dtype.kind == "M" or isinstance(column.dtype, pd.DatetimeTZDtype):
        return column if column.dt.tz is None else column.dt.tz_localize(None)
    if not is_text(column) and column.dtype.kind == "O":
        return _objects(column)
    if not is_text(column):
        return None
    present = ~missing(column)
    cells = [str(value).strip() if there else "" for value, there in zip(column, present, strict=True)]
    sample = [cell for cell in cells if cell][:SAMPLE]
    if _enough(sum(_DATE.fullmatch(cell) is not None for cell in sample), len(sample)):
        return _numeric(cells, present)
    return _with_names(cells, present) if any(re.search(r"[A-Za-z]{3}", cell) for cell in sample[:1]) else None


def features_of(found: pd.Series, name: str) -> dict[str, np.ndarray]:
    """The features of time stamps, without those that vary not at all or only with the others.

    Within a day, the hour and the time elapsed are the same but for a shift: the hour is kept if the stamps cover a
    good part of the day. The same holds for the day of the year.
    """
    span = float((found.max() - found.min()).total_seconds())
    unit = next((unit for unit, longest in LONGEST.items() if span <= longest), "days")
    origin = found.min().floor("s") if unit == "seconds" else found.min().normalize()
    since = f"{origin:%Y_%m_%d}" + (f"_{origin:%H_%M_%S}" if unit == "seconds" else "")
    parts = {part: _part(found, part) for part in PERIODS}
    first = {part: values for part, values in parts.items() if span >= GOOD_PART * PERIODS[part]}
    ordered = {**first, f"{unit}_since_{since}": _elapsed(found, origin, unit), **parts}
    return _independent({f"{name}_{part}": values for part, values in ordered.items()})


def _independent(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The columns that are no linear function of those before them."""
    kept: dict[str, np.ndarray] = {}
    for name, values in columns.items():
        present = ~np.isnan(values)
        before = np.column_stack([np.ones(present.sum()), *(column[present] for column in kept.values())])
        rest = values[present] - before @ np.linalg.lstsq(before, values[present], rcond=None)[0]
        spread = np.ptp(values[present]) if present.any() else 0.0
        if spread > 0.0 and np.abs(rest).max() > SAME * spread:
            kept[name] = values
    return kept


def unit_of_feature(name: str) -> str:
    """The unit of a feature that `features_of` has made."""
    match = _ELAPSED.fullmatch(name) or _PART.fullmatch(name)
    return UNITS[match.groupdict().get("unit") or match["part"]] if match else "1"


def feature_by_name(frame: pd.DataFrame, name: str) -> np.ndarray | None:
    """The feature of this name made of a table's time stamps; None if the table has no such column."""
    import pandas as pd

    for pattern in (_ELAPSED, _PART):
        match = pattern.fullmatch(name)
        if match is None or match["column"] not in frame.columns:
            continue
        found = stamps(frame[match["column"]])
        if found is None:
            return None
        if pattern is _PART:
            return _part(found, match["part"])
        date = match["date"].replace("_", "-")
        clock = (match["clock"] or "00_00_00").replace("_", ":")
        return _elapsed(found, pd.Timestamp(f"{date} {clock}"), match["unit"])
    return None


def _part(found: pd.Series, part: str) -> np.ndarray:
    clock = found.dt
    if part == "day_of_year":
        return clock.day_of_year.to_numpy(np.float64, na_value=np.nan)
    seconds = (found - clock.normalize()).dt.total_seconds()
    return seconds.to_numpy(np.float64, na_value=np.nan) / 3600.0


def _elapsed(found: pd.Series, origin: pd.Timestamp, unit: str) -> np.ndarray:
    return (found - origin).dt.total_seconds().to_numpy(np.float64, na_value=np.nan) / SECONDS[unit]


def _enough(n: int, of: int) -> bool:
    return of > 0 and n >= NUMERIC_SHARE * of


def _objects(column: pd.Series) -> pd.Series | None:
    """Python's own dates and times."""
    import datetime

    import pandas as pd

    present = column.dropna()
    if not len(present) or not all(isinstance(value, datetime.date) for value in present):
        return None
    found = pd.to_datetime(column, errors="coerce")
    return found if found.dtype.kind == "M" else None


def _numeric(cells: list[str], present: np.ndarray) -> pd.Series | None:
    """Dates of three numbers; which of them is the year, month and day is the same in the whole column."""
    import pandas as pd

    matches = [_DATE.fullmatch(cell) if cell else None for cell in cells]
    found = [match for match in matches if match]
    order = _order(found)
    if order is None:
        return None
    texts = [None if match is None else _iso(match, order) for match in matches]
    zoned = any(match["zone"] for match in found)
    values = pd.to_datetime(pd.Series(texts, dtype=object), format="ISO8601", errors="coerce", utc=zoned)
    values = values.dt.tz_localize(None) if zoned else values
    return values if _enough(int(values.notna().sum()), int(present.sum())) else None


def _order(found: list[re.Match]) -> str | None:
    """Which numbers are year, month and day, as letters; None if that differs between cells."""
    if all(len(match["one"]) == 4 for match in found):
        return "ymd"
    if any(len(match["three"]) not in (2, 4) or len(match["one"]) > 2 for match in found):
        return None
    if all(match["sign"] == "." for match in found):
        return "dmy"
    first, second = (max(int(match[group]) for match in found) for group in ("one", "two"))
    if first > 12 and second > 12:
        return None
    if first <= 12 and second <= 12 and any(match["one"] != match["two"] for match in found):
        raise Ambiguous(found[0].group())
    return "dmy" if first > 12 else "mdy"


def _iso(match: re.Match, order: str) -> str:
    parts = dict(zip(order, (match["one"], match["two"], match["three"]), strict=True))
    year = int(parts["y"])
    year += 0 if year > 99 else 2000 if year < 70 else 1900
    clock = (match["clock"] or "00:00").replace(",", ".").zfill(5)
    clock = clock if clock[2] == ":" else f"0{clock}"
    return f"{year:04d}-{int(parts['m']):02d}-{int(parts['d']):02d}T{clock}{(match['zone'] or '').strip()}"


def _with_names(cells: list[str], present: np.ndarray) -> pd.Series | None:
    """Dates with English names of months."""
    import pandas as pd

    texts = pd.Series([cell or None for cell in cells], dtype=object)
    sample = texts.dropna().head(SAMPLE)
    for date in _NAMED:
        for clock in _CLOCKS:
            values = pd.to_datetime(sample, format=date + clock, errors="coerce")
            if _enough(int(values.notna().sum()), len(sample)):
                values = pd.to_datetime(texts, format=date + clock, errors="coerce")
                return values if _enough(int(values.notna().sum()), int(present.sum())) else None
    return None
