"""A run's rows, from its table and its spec; server and process make the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.data.groups import labels_of
from epsilex.data.rows import Rows
from epsilex.tables import Table, positive_column, training_table
from epsilex.tables.splitting import held_back_rows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Prepared:
    """The data of a run.

    weight     (rows,) float64, 1 without a column of weights
    sigma      (rows,) standard errors of the target, or None
    held_back  (rows,) bool: rows that the search does not see
    groups     the column of groups, "" without one
    labels     (rows,) the label of each row's group, or None
    """

    table: Table
    weight: np.ndarray
    sigma: np.ndarray | None
    held_back: np.ndarray
    groups: str = ""
    labels: np.ndarray | None = None

    @cached_property
    def X(self) -> np.ndarray:
        return self.table.X.to_numpy(np.float64)

    @property
    def y(self) -> np.ndarray:
        return self.table.y

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.table.X.columns]

    @property
    def labelled(self) -> tuple[str, list[str]] | None:
        """The column of groups and the label of each row, as a report has them."""
        return None if self.labels is None else (self.groups, self.labels.tolist())

    def rows(self, which: np.ndarray) -> Rows:
        """Some rows, to score formulas on."""
        sigma = None if self.sigma is None else self.sigma[which]
        return Rows(self.X[which], self.y[which], self.weight[which], sigma)

    def to_fit(self) -> pd.DataFrame:
        """The features of the rows that a search sees, with the column of groups, if there is one."""
        X = self.table.X if self.labels is None else self.table.X.assign(**{self.groups: self.labels})
        return X[~self.held_back]


def prepared(frame: pd.DataFrame, spec: dict[str, Any]) -> Prepared:
    """The rows of a spec; a ValueError says what the table lacks."""
    roles = spec["roles"]
    columns = {role: next((c for c, r in roles.items() if r == role), None) for role in ("weight", "error", "group")}
    weight, sigma = (_positive(frame, columns[role], role) for role in ("weight", "error"))
    table = training_table(frame.drop(columns=list(roles)), spec["target"])
    n, groups = len(table.y), columns["group"]
    labels = None if groups is None else labels_of(frame[groups].to_numpy(object)[table.rows], groups)
    return Prepared(
        table,
        np.ones(n) if weight is None else weight[table.rows],
        None if sigma is None else sigma[table.rows],
        held_back_rows(n, spec["held_back"], spec["seed"], labels),
        groups or "",
        labels,
    )


def _positive(frame: pd.DataFrame, column: str | None, role: str) -> np.ndarray | None:
    return None if column is None else positive_column(frame, column, role, zero=role == "weight")
