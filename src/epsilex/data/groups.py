"""Groups of rows: several data sets under one law, each with constants of its own.

A search knows no groups. It sees stand-ins instead: columns that are constant within a group and say how the group
differs from the others. Where a formula uses them it has constants of its own for each group, whose values are tuned
afterwards, see `epsilex.models.grouped`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilex.data.rows import Rows
from epsilex.data.stand_ins import stand_ins

LEAST = 2  # rows of a group


def separated(X: Any, column: str | None) -> tuple[Any, np.ndarray | None]:
    """X without the column of groups, and its labels as text; X itself and None if there are no groups."""
    if column is None:
        return X, None
    names = getattr(X, "columns", None)
    if names is None:
        raise ValueError(f"groups: expected X as a DataFrame with a column {column!r}; got {type(X).__name__}")
    if column not in list(names):
        known = ", ".join(repr(name) for name in list(names)[:10])
        raise ValueError(f"groups: expected one of the columns {known}; got {column!r}")
    return X[[name for name in names if name != column]], labels_of(X[column], column)


def labels_of(values: Any, column: str) -> np.ndarray:
    """Labels as text, (rows,) of objects: a whole number has the same text whatever its type."""
    found = np.empty(len(values), object)
    for k, value in enumerate(np.asarray(values, object).tolist()):
        if value is None or value != value:
            raise ValueError(f"groups: expected a label in each row of column {column!r}; none in row {k}")
        whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
        found[k] = str(int(value)) if whole else str(value)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of rows.

    column  name of the column that holds the labels
    labels  of the groups, sorted
    code    (rows,) index of each row's group
    seen    names of the columns that stand for a group in a search
    """

    column: str
    labels: tuple[str, ...]
    code: np.ndarray
    seen: tuple[str, ...] = ()

    @classmethod
    def of(cls, column: str, labels: np.ndarray, weight: np.ndarray) -> Groups:
        """Groups of at least two rows of weight each, of which there are at least two."""
        names, code = np.unique(labels.astype(str), return_inverse=True)
        counts = np.bincount(code[weight > 0], minlength=len(names))
        if (counts < LEAST).any():
            few = int(np.argmin(counts))
            raise ValueError(
                f"groups: expected at least {LEAST} rows in each; got {counts[few]} in {str(names[few])!r}"
            )
        if len(names) < 2:
            raise ValueError(f"groups: expected at least 2 different labels in {column!r}; got 1")
        return cls(column, tuple(map(str, names)), code)

    def __len__(self) -> int:
        return len(self.labels)

    def with_stand_ins(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray, sigma: Any) -> tuple[Rows, Groups]:
        """The distinct rows, with the stand-ins as further columns; and their groups."""
        rows = Rows.distinct(np.column_stack([X, self.code]), y, weight, sigma)
        code = rows.X[:, -1].astype(np.int64)
        found = stand_ins(rows.X[:, :-1], rows.y, rows.weight, code)
        whole = np.column_stack([rows.X[:, :-1], *(own[code] for own in found.values())])
        return replace(rows, X=whole), replace(self, code=code, seen=tuple(found))


def known_codes(labels: np.ndarray, known: Sequence[str]) -> np.ndarray:
    """The index of each label among the known ones; a ValueError names one that is not."""
    place = {label: k for k, label in enumerate(known)}
    if unknown := sorted({label for label in labels.tolist() if label not in place}):
        shown = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
        raise ValueError(
            f"groups: expected a group that was fitted, {shown}; got {unknown[0]!r}; `adapt` tunes the constants of a "
            "new one"
        )
    return np.array([place[label] for label in labels.tolist()], np.int64)
