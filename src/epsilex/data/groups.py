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

LEAST = 2  # rows of a group
SWEEPS = 30  # of alternating least squares
RIDGE = 1e-9  # of the mean square of a column
HATS, ROWS_EACH = 12, 6  # functions of one feature between its quantiles, at most, and rows for each
STAND_INS = ("level", "shift")


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
    """

    column: str
    labels: tuple[str, ...]
    code: np.ndarray

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
        groups = replace(self, code=rows.X[:, -1].astype(np.int64))
        table = stand_ins(rows.X[:, :-1], rows.y, rows.weight, groups.code)
        return replace(rows, X=np.column_stack([rows.X[:, :-1], table[groups.code]])), groups


def stand_ins(X: np.ndarray, y: np.ndarray, weight: np.ndarray, code: np.ndarray) -> np.ndarray:
    """(groups, 2): what distinguishes the groups, as far as smooth functions s of the features tell.

    level  the factors a of y = a[group] s(x), by alternating least squares
    shift  the offsets b of y = b[group] + s(x), by least squares
    """
    n = int(code.max()) + 1
    basis = _basis(X)
    root = np.sqrt(weight / weight.mean())
    one = np.zeros((len(y), n))
    one[np.arange(len(y)), code] = 1.0
    level = np.ones(n)
    for _ in range(SWEEPS):
        curve = basis @ _solved(root[:, None] * basis * level[code][:, None], root * y)
        over = np.bincount(code, weight * curve * y, n)
        under = np.bincount(code, weight * curve * curve, n)
        level = np.where(under > 0.0, over / np.where(under > 0.0, under, 1.0), 1.0)
        size = float(np.sqrt((level**2).mean()))
        if not (np.isfinite(size) and size > 0.0):
            level = np.ones(n)
            break
        level = level / size
    both = np.column_stack([one, basis[:, 1:]])
    shift = _solved(root[:, None] * both, root * y)[:n]
    spread = float(shift.std())
    shift = (shift - shift.mean()) / spread if spread > 0.0 else np.zeros(n)
    return np.column_stack([level, shift])


def _basis(X: np.ndarray) -> np.ndarray:
    """Functions of the features that any smooth curve is close to: 1, powers up to the third, products of two, and
    hats between quantiles, as many as the rows can tell apart."""
    n, d = X.shape
    middle, size = X.mean(axis=0), X.std(axis=0)
    Z = (X - middle) / np.where(size > 0.0, size, 1.0)
    columns: list[np.ndarray] = [np.ones(n), *Z.T, *(Z**2).T, *(Z**3).T]
    columns += [Z[:, i] * Z[:, j] for i in range(d) for j in range(i)]
    hats = min(HATS, n // (ROWS_EACH * d))
    for z in Z.T if hats > 2 else ():
        knots = np.unique(np.quantile(z, np.linspace(0.0, 1.0, hats)))
        columns += [np.interp(z, knots, one) for one in np.eye(len(knots))[1:-1]]
    return np.column_stack(columns[: max(1, n // 3)])


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Least squares with a little ridge, so that dependent columns do no harm."""
    normal = A.T @ A
    ridge = RIDGE * max(float(np.trace(normal)) / len(normal), 1e-300)
    return np.linalg.solve(normal + ridge * np.eye(len(normal)), A.T @ b)


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
