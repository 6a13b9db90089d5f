"""From a table's columns to features and target, and to the features of a fitted model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from epsilex.tables import timestamps
from epsilex.tables.names import UNNAMED
from epsilex.tables.numbers import (
    NUMERIC_SHARE,
    is_bytes,
    is_duration,
    is_text,
    missing,
    not_numbers,
    numbers,
    words,
)

if TYPE_CHECKING:
    import pandas as pd

MIN_ROWS = 6  # fewer say nothing
MAX_CATEGORIES = 20  # with more, a column of text counts as names or free text
EMPTY_SHARE = 0.5  # share of empty cells above which a column is left out
CLASSES = "and epsilex finds formulas for quantities; for classes use a classifier, such as scikit-learn's"


@dataclass(frozen=True)
class Table:
    """A table ready for a fit.

    X      DataFrame (rows, features) of finite float64; a category `red` of a column `color` is the feature `color=red`
    y      (rows,) float64, finite
    rows   (rows,) positions in the file, from 0
    notes  what was changed, one sentence each
    units  units of the features that were made of other columns: categories are pure numbers
    """

    X: pd.DataFrame
    y: np.ndarray
    rows: np.ndarray
    notes: tuple[str, ...]
    units: Mapping[str, str] = field(default_factory=dict)


def training_table(frame: pd.DataFrame, target: str, strict: bool = False, notes_before: Sequence[str] = ()) -> Table:
    """Features and target of a table, without rows with missing values; with `strict` a missing or unusable value is an
    error. Notes about the file come before those about its columns."""
    import pandas as pd

    if target not in frame.columns:
        raise ValueError(f"target: expected one of the columns {_listed(frame.columns)}; got {target!r}")
    notes = _Notes(strict)
    notes.sentences += notes_before
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
    made = {name: timestamps.unit_of_feature(name) for name in X.columns if name not in frame.columns}
    return Table(X.iloc[rows].reset_index(drop=True), y, rows, tuple(notes.sentences), made)


def features_by_name(
    frame: pd.DataFrame, names: Sequence[str], known: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The features `names` of a table, in this order, NaN where a value is missing; and notes.

    known  all features of the model, which tell the categories it has seen; by default those of `names`
    """
    import pandas as pd

    sources: dict[str, set[str]] = {}  # categories by column
    columns, absent = {}, []
    for name in names:
        if name in frame.columns:
            columns[name] = numbers(frame[name])
            continue
        source = _category(name, frame)
        if source is None:
            elapsed = _of_time(name, frame)
            if elapsed is None:
                absent.append(name)
            else:
                columns[name] = elapsed
            continue
        column, value = source
        sources.setdefault(column, set()).add(value)
        columns[name] = _indicator(frame[column], value)
    if absent:
        raise ValueError(f"columns: expected one for each feature of the formula; {_listed(absent)} missing")
    notes = []
    for name in known:
        column, value = _category(name, frame) or ("", "")
        if column in sources and name not in frame.columns:
            sources[column].add(value)
    for column, values in sources.items():
        new = ~missing(frame[column]) & ~np.isin(words(frame[column]).astype(str), sorted(values))
        if new.any():
            notes.append(
                f"{new.sum()} rows have a value of {column!r} that the model has not seen, such as "
                f"{_first(frame[column], new)}; they count as none of its categories, each of which is 0"
            )
    return pd.DataFrame(columns, columns=list(names), index=frame.index), tuple(notes)


def positive_column(frame: pd.DataFrame, column: str, role: str, *, zero: bool) -> np.ndarray:
    """A column of weights, of at least 0 with `zero`, or of standard errors above 0; a ValueError that begins with
    `role` otherwise."""
    values = numbers(frame[column])
    bad = np.flatnonzero(~(np.isfinite(values) & ((values >= 0.0) if zero else (values > 0.0))))
    if len(bad):
        expected = "weights of at least 0" if zero else "standard errors above 0"
        raise ValueError(
            f"{role}: expected {expected} in column {column!r}; got {values[bad[0]]:g} in row {bad[0] + 1}, "
            f"{len(bad)} of {len(values)} such"
        )
    return values


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
    bad, present = not_numbers(column), ~missing(column)
    if bad.sum() > (1.0 - NUMERIC_SHARE) * present.sum():
        got = f"target: expected numbers in column {name!r}; got {_first(column, bad)}"
        values = sorted(set(words(column)[present]))
        if is_text(column) and len(values) <= MAX_CATEGORIES:
            shown = ", ".join(map(repr, values[:3])) + (", ..." if len(values) > 3 else "")
            got = f"{got}: {shown} are classes, {CLASSES}"
        raise ValueError(got)
    if _are_booleans(column[present]):
        raise ValueError(
            f"target: expected numbers in column {name!r}; got True and False, which are classes, {CLASSES}"
        )
    _note_bad(column, name, bad, notes)
    y = numbers(column)
    if set(np.unique(y[np.isfinite(y)])) == {0.0, 1.0}:
        notes.sentences.append(
            f"column {name!r} is 0 or 1 only: a formula for it is a score, and no model of two classes"
        )
    return y


def _are_booleans(present: pd.Series) -> bool:
    """Whether a column is True or False only, with or without gaps."""
    return len(present) > 0 and all(
        isinstance(value, (bool, np.bool_)) or (isinstance(value, str) and value.strip().lower() in ("true", "false"))
        for value in present
    )


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
    if (made := _time_features(column, name, notes)) is not None:
        return made
    values = sorted(set(words(column)[~empty]))
    if not is_text(column) or len(values) > MAX_CATEGORIES:
        notes.lost(f"column {name!r} has {len(values)} different values that are not numeric and is left out")
        return {}
    if len(values) == 1:
        notes.sentences.append(f"column {name!r} has one value only and is left out")
        return {}
    notes.sentences.append(f"column {name!r} has {len(values)} categories, each becomes a feature of 0 and 1")
    return {f"{name}={value}": _indicator(column, value) for value in values}


def _time_features(column: pd.Series, name: str, notes: _Notes) -> dict[str, np.ndarray] | None:
    """The features of a column of time stamps; None if it holds something else."""
    try:
        found = timestamps.stamps(column)
    except timestamps.Ambiguous as cell:
        how = "day or month first? It is left out; write dates as in 2024-12-31"
        notes.lost(f"column {name!r} has dates such as {str(cell)!r}, {how}")
        return {}
    if found is None:
        return None
    made = timestamps.features_of(found, name)
    if made:
        notes.sentences.append(f"column {name!r} holds time stamps; made of it: {', '.join(made)}")
    else:
        notes.sentences.append(f"column {name!r} has one value only and is left out")
    return made


def _of_time(name: str, frame: pd.DataFrame) -> np.ndarray | None:
    """A feature of a model that is made of time stamps."""
    try:
        return timestamps.feature_by_name(frame, name)
    except timestamps.Ambiguous as cell:
        raise ValueError(f"columns: expected dates as in 2024-12-31; got {str(cell)!r}, day or month first") from None


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
