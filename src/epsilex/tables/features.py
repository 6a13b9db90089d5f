"""From a table's columns to features and target, and to the features of a fitted model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from epsilex.tables.numbers import is_bytes, is_duration, is_text, missing, not_numbers, numbers, words
from epsilex.tables.reading import UNNAMED

if TYPE_CHECKING:
    import pandas as pd

MIN_ROWS = 6  # fewer say nothing
MAX_CATEGORIES = 20  # with more, a column of text counts as names or free text
NUMERIC_SHARE = 0.9  # least share of numeric values in a numeric column
EMPTY_SHARE = 0.5  # share of empty cells above which a column is left out


@dataclass(frozen=True)
class Table:
    """A table ready for a fit.

    X      DataFrame (rows, features) of finite float64; a category `red` of a column `color` is the feature `color=red`
    y      (rows,) float64, finite
    rows   (rows,) positions in the file, from 0
    notes  what was changed, one sentence each
    """

    X: pd.DataFrame
    y: np.ndarray
    rows: np.ndarray
    notes: tuple[str, ...]


def training_table(frame: pd.DataFrame, target: str, strict: bool = False) -> Table:
    """Features and target of a table, without rows with missing values; with `strict` a missing or unusable value is an
    error."""
    import pandas as pd

    if target not in frame.columns:
        raise ValueError(f"target: expected one of the columns {_listed(frame.columns)}; got {target!r}")
    notes = _Notes(strict)
    y = _target(frame[target], target, notes)
    columns: dict[str, np.ndarray] = {}
    for name in frame.columns.drop(target):
        new = _features(frame[name], name, notes)
        for feature in new:
            if feature in columns or feature == target:
                raise ValueError(f"features: expected each name once; got {feature!r} from two columns")
        columns |= new
    if not columns:
        raise ValueError("features: expected a column of numbers or of a few categories beside the target; got none")
    X = pd.DataFrame(columns)
    complete = ~(X.isna().any(axis=1).to_numpy() | np.isnan(y))
    if not complete.all():
        notes.lost(f"{(~complete).sum()} of {len(y)} rows have missing values and are dropped")
    rows = np.flatnonzero(complete)
    if len(rows) < MIN_ROWS:
        raise ValueError(f"rows: expected at least {MIN_ROWS} without missing values; got {len(rows)}")
    y = y[rows]
    if y.min() == y.max():
        raise ValueError(f"target: expected different values in column {target!r}; all are {y[0]:g}")
    return Table(X.iloc[rows].reset_index(drop=True), y, rows, tuple(notes.sentences))


def features_by_name(frame: pd.DataFrame, names: Sequence[str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The features `names` of a table, in this order, NaN where a value is missing; and notes."""
    import pandas as pd

    known: dict[str, list[str]] = {}  # categories by column
    columns, absent = {}, []
    for name in names:
        if name in frame.columns:
            columns[name] = numbers(frame[name])
            continue
        source = _category(name, frame)
        if source is None:
            absent.append(name)
            continue
        column, value = source
        known.setdefault(column, []).append(value)
        columns[name] = _indicator(frame[column], value)
    if absent:
        raise ValueError(f"columns: expected one for each feature of the model; {_listed(absent)} missing")
    notes = []
    for column, values in known.items():
        new = ~missing(frame[column]) & ~np.isin(words(frame[column]).astype(str), values)
        if new.any():
            notes.append(f"{new.sum()} rows have a value of {column!r} that the model has not seen")
    return pd.DataFrame(columns, columns=list(names), index=frame.index), tuple(notes)


class _Notes:
    """Sentences about what was changed; with `strict`, anything lost is an error instead."""

    def __init__(self, strict: bool):
        self.strict = strict
        self.sentences: list[str] = []

    def lost(self, sentence: str) -> None:
        if self.strict:
            raise ValueError(f"strict: expected nothing to be left out; {sentence}")
        self.sentences.append(sentence)


def _target(column: pd.Series, name: str, notes: _Notes) -> np.ndarray:
    if is_duration(column):
        notes.sentences.append(f"column {name!r} holds durations, which count in seconds")
    bad = not_numbers(column)
    if bad.sum() > (1.0 - NUMERIC_SHARE) * (~missing(column)).sum():
        raise ValueError(f"target: expected numbers in column {name!r}; got {_first(column, bad)}")
    _note_bad(column, name, bad, notes)
    return numbers(column)


def _features(column: pd.Series, name: str, notes: _Notes) -> dict[str, np.ndarray]:
    """The features of one column; none if the column is left out."""
    empty = missing(column)
    nameless = re.fullmatch(re.escape(UNNAMED).replace(r"\{\}", r"\d+"), name)
    if nameless or empty.mean() > EMPTY_SHARE:
        why = "has no name" if nameless else f"has {empty.sum()} missing values"
        notes.lost(f"column {name!r} {why} and is left out")
        return {}
    if is_bytes(column):
        notes.lost(f"column {name!r} holds bytes, not text, and is left out")
        return {}
    if is_duration(column):
        notes.sentences.append(f"column {name!r} holds durations, which count in seconds")
    bad = not_numbers(column)
    if bad.sum() <= (1.0 - NUMERIC_SHARE) * (~empty).sum():
        _note_bad(column, name, bad, notes)
        return {name: numbers(column)}
    values = sorted(set(words(column)[~empty]))
    if not is_text(column) or len(values) > MAX_CATEGORIES:
        notes.lost(f"column {name!r} has {len(values)} different values that are not numeric and is left out")
        return {}
    if len(values) == 1:
        notes.sentences.append(f"column {name!r} has one value only and is left out")
        return {}
    notes.sentences.append(f"column {name!r} has {len(values)} categories, each becomes a feature of 0 and 1")
    return {f"{name}={value}": _indicator(column, value) for value in values}


def _indicator(column: pd.Series, value: str) -> np.ndarray:
    return np.where(missing(column), np.nan, (words(column) == value).astype(np.float64))


def _category(name: str, frame: pd.DataFrame) -> tuple[str, str] | None:
    """Column and category behind a feature's name such as `color=red`."""
    for place, character in enumerate(name):
        if character == "=" and name[:place] in frame.columns:
            return name[:place], name[place + 1 :]
    return None


def _note_bad(column: pd.Series, name: str, bad: np.ndarray, notes: _Notes) -> None:
    if bad.any():
        notes.lost(f"column {name!r} has {bad.sum()} values that are not numeric, such as {_first(column, bad)}")


def _first(column: pd.Series, bad: np.ndarray) -> str:
    place = int(np.flatnonzero(bad)[0])
    return f"{str(column.iloc[place])[:40]!r} in row {place + 1}"


def _listed(names: Sequence[object], most: int = 10) -> str:
    shown = ", ".join(repr(str(name)) for name in list(names)[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
