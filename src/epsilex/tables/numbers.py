"""Columns as numbers and as words, whatever their cells hold."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

MISSING = (  # in lower case
    "", "na", "n/a", "n.a.", "#n/a", "nan", "null", "nil", "none", "missing", "k.a.", "?", "-", "--", "---", "–", "—",
    ".", "#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!",
)  # fmt: skip
NUMERIC_SHARE = 0.9  # least share of numeric values in a numeric column
_PLAIN = "fiub"  # kinds of numbers that NumPy holds


def exact_numbers() -> dict[str, str]:
    """Options of pandas' `read_csv` that make a number the float nearest to its text; since pandas 3.1 it always is."""
    import pandas as pd

    major, minor = map(int, pd.__version__.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


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
