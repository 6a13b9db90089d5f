"""What the page shows of a table's columns: kind, range, missing values and a small histogram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.dimensions.units import from_header
from epsilex.tables.features import EMPTY_SHARE, MAX_CATEGORIES
from epsilex.tables.numbers import NUMERIC_SHARE, is_text, missing, not_numbers, numbers

if TYPE_CHECKING:
    import pandas as pd

BINS = 24
MAX_COLUMNS = 500


def summary(frame: pd.DataFrame) -> dict[str, Any]:
    """Number of rows, and each column as JSON values."""
    if frame.shape[1] > MAX_COLUMNS:
        raise ValueError(f"table: expected at most {MAX_COLUMNS} columns; got {frame.shape[1]}")
    return {"rows": len(frame), "columns": [_column(frame[name], str(name)) for name in frame.columns]}


def _column(column: pd.Series, name: str) -> dict[str, Any]:
    empty = missing(column)
    bad = not_numbers(column)
    told: dict[str, Any] = {"name": name, "missing": int(empty.sum()), "unit": from_header(name)}
    values = numbers(column)
    values = values[np.isfinite(values)]
    if empty.mean() > EMPTY_SHARE or not len(column[~empty]):
        return told | {"kind": "empty"}
    if bad.sum() <= (1.0 - NUMERIC_SHARE) * (~empty).sum() and len(values):
        return told | _numeric(values) | {"not_numeric": int(bad.sum())}
    if not is_text(column):
        return told | {"kind": "other"}
    counts = column[~empty].astype(str).str.strip().value_counts()
    few = len(counts) <= MAX_CATEGORIES
    shown = [{"name": str(value)[:60], "count": int(count)} for value, count in counts.head(BINS).items()]
    return told | {"kind": "categories" if few else "text", "distinct": len(counts), "counts": shown if few else []}


def _numeric(values: np.ndarray) -> dict[str, Any]:
    low, high = float(values.min()), float(values.max())
    with np.errstate(all="ignore"):
        usable = np.isfinite(high - low) and high > low
        counts = np.histogram(values, bins=BINS, range=(low, high))[0].tolist() if usable else [len(values)]
    return {
        "kind": "number",
        "low": low,
        "high": high,
        "median": float(np.median(values)),
        "distinct": len(np.unique(values)),
        "positive": bool(low > 0.0),
        "histogram": counts,
    }
