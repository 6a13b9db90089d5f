"""Columns as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-", ".")  # in lower case
_GROUPED = r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?"
_DECIMAL_COMMA = r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?"


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
        empty = empty | column.astype(str).str.strip().str.lower().isin(MISSING).to_numpy(bool)
    return empty


def numbers(column: pd.Series) -> np.ndarray:
    """The column as numbers, (rows,) float64; NaN where a cell is missing, not a number, or infinite."""
    import pandas as pd

    if is_text(column):
        column = column.astype(str).str.strip()
    elif column.dtype.kind == "M":
        return np.full(len(column), np.nan)
    values = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    return np.where(np.isfinite(values), values, np.nan)


def not_numbers(column: pd.Series) -> np.ndarray:
    """Where a column has a value that is not a number, (rows,) bool."""
    return np.isnan(numbers(column)) & ~missing(column)


def is_text(column: pd.Series) -> bool:
    """Whether the column holds text or mixed objects."""
    return column.dtype.kind not in "fiubMm" if isinstance(column.dtype, np.dtype) else column.dtype.kind == "O"
