"""Columns as numbers and as words, whatever their cells hold."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-", ".")  # in lower case
_GROUPED = r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?"
_DECIMAL_COMMA = r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?"
_PLAIN = "fiub"  # kinds of numbers that NumPy holds


def exact_numbers() -> dict[str, str]:
    """Options of pandas' `read_csv` that make a number the float nearest to its text; since pandas 3.1 it always is."""
    import pandas as pd

    major, minor = map(int, pd.__version__.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def plain_numbers(frame: pd.DataFrame, commas_group: bool) -> pd.DataFrame:
    """Strip the commas that made pandas read numbers as text.

    Commas group thousands in a file whose cells are separated by commas, and mark decimals in any other. A column is
    changed only if all of it becomes numeric.
    """
    pattern, replacement = (_GROUPED, "") if commas_group else (_DECIMAL_COMMA, ".")
    for name in frame.columns:
        if not is_text(frame[name]):
            continue
        column = frame[name].str.strip()
        marked = column.str.fullmatch(pattern, na=False)
        if marked.any():
            changed = column.where(~marked, column.str.replace(",", replacement, regex=False))
            if not not_numbers(changed).any():
                frame[name] = changed
    return frame


def missing(column: pd.Series) -> np.ndarray:
    """Where a column has no value, (rows,) bool."""
    empty = column.isna().to_numpy(bool)
    if is_text(column):
        said = [isinstance(value, str) and value.strip().lower() in MISSING for value in column]
        empty = empty | np.array(said, bool)
    return empty


def numbers(column: pd.Series) -> np.ndarray:
    """The column as numbers, (rows,) float64; durations in seconds.

    NaN where a cell is missing, not a number, or infinite.
    """
    import pandas as pd

    kind = _kind(column)
    if kind == "m":
        values = column.dt.total_seconds().to_numpy(np.float64)
    elif kind in _PLAIN:
        values = column.to_numpy(np.float64, na_value=np.nan)
    else:
        cells = pd.Series([_number(value) for value in column], dtype=object)
        values = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    return np.where(np.isfinite(values), values, np.nan)


def words(column: pd.Series) -> np.ndarray:
    """The text of each cell, (rows,) of str."""
    return np.array([str(value).strip() for value in column], dtype=object)


def not_numbers(column: pd.Series) -> np.ndarray:
    """Where a column has a value that is not a number, (rows,) bool."""
    return np.isnan(numbers(column)) & ~missing(column)


def is_text(column: pd.Series) -> bool:
    """Whether the column holds text, perhaps among other things."""
    return _kind(column) == "O" and any(isinstance(value, str) for value in column)


def is_bytes(column: pd.Series) -> bool:
    """Whether the column holds bytes, perhaps among other things."""
    return _kind(column) == "O" and any(isinstance(value, (bytes, bytearray)) for value in column)


def is_duration(column: pd.Series) -> bool:
    return _kind(column) == "m"


def _kind(column: pd.Series) -> str:
    """NumPy's letter for the cells; "O" for text, categories, mixed objects and all types of other libraries."""
    import pandas as pd

    return "O" if isinstance(column.dtype, pd.CategoricalDtype) else getattr(column.dtype, "kind", "O")


def _number(value: object) -> str | float | None:
    """A cell as a number or as text to be read as one; None for all else, such as dates, bytes and lists."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (Real, Decimal, np.bool_)):
        try:
            return float(value)
        except (OverflowError, ValueError):  # an integer beyond the largest float, a signalling NaN
            return np.inf
    return None
