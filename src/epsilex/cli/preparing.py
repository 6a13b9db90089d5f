"""From a table and the options about it to the data of a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.cli.words import pairs, quoted
from epsilex.constraints import NOISES
from epsilex.data.groups import labels_of
from epsilex.dimensions.units import from_header
from epsilex.tables import Table, positive_column, read_with_notes, training_table
from epsilex.tables.splitting import held_back_rows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Data:
    """The data of a fit.

    name       of the file
    target     name of the target
    held_back  (rows,) bool: rows the search does not see
    weight     (rows,) float64, or None if all rows count the same
    sigma      (rows,) standard errors of the target, or None
    groups     the column of labels, the last of the table's X, or None
    """

    name: str
    target: str
    table: Table
    held_back: np.ndarray
    weight: np.ndarray | None = None
    sigma: np.ndarray | None = None
    groups: str | None = None

    @property
    def features(self) -> pd.DataFrame:
        """The features, without the labels of groups."""
        return self.table.X if self.groups is None else self.table.X.drop(columns=self.groups)

    @property
    def labels(self) -> list[str] | None:
        """The label of each row, if there are groups."""
        return None if self.groups is None else self.table.X[self.groups].tolist()


def prepared(path: Path, asked: Mapping[str, Any]) -> Data:
    """The table in a file, as the options ask for it."""
    frame, notes = read_with_notes(path, asked["encoding"], asked["sheet"], asked["rows"], asked["seed"])
    target = asked["target"]
    if target not in frame.columns:
        raise ValueError(f"target: expected one of the columns {_names(frame.columns)}; got {target!r}")
    weight = _column(frame, asked["weights"], target)
    sigma = _noise(frame, asked["noise"], target)
    used = chosen_columns(frame, target, asked["features"], asked["ignore"])
    roles = {asked["weights"], asked["noise"] if sigma is not None else None, asked["groups"]}
    labels = _labels(frame, asked["groups"], target)
    table = training_table(frame[[name for name in used if name not in roles]], target, asked["strict"], notes)
    own = None if labels is None else labels_of(labels[table.rows], asked["groups"])
    held_back = held_back_rows(len(table.y), asked["test_share"], asked["seed"], own)
    if own is not None:
        table = replace(table, X=table.X.assign(**{asked["groups"]: own}))
    return Data(
        path.name, target, table, held_back, None if weight is None else weight[table.rows],
        None if sigma is None else sigma[table.rows], asked["groups"],
    )  # fmt: skip


def chosen_columns(frame: pd.DataFrame, target: str, features: str | None, ignore: str | None) -> list[str]:
    """The target and the columns to make features of, in the table's order."""
    asked = {"features": features, "ignore": ignore}
    lists = {option: None if text is None else quoted(text) for option, text in asked.items()}
    for option, names in lists.items():
        for name in names or ():
            if name not in frame.columns or name == target:
                others = _names(frame.columns.drop(target))
                raise ValueError(f"{option}: expected columns beside the target, {others}; got {name!r}")
    kept, dropped = lists["features"], lists["ignore"] or []
    return [
        name for name in frame.columns if name == target or ((kept is None or name in kept) and name not in dropped)
    ]


def units_of(text: str | None, target_unit: str | None, data: Data) -> dict[str, object]:
    """Parameters of the estimator from `header`, or from units such as `m=kg,v=m/s`; the units of features that were
    made of other columns are known."""
    made = data.table.units
    if text is None:
        return {"units": None, "target_unit": target_unit}
    if text.strip() == "header":
        target_unit = target_unit or from_header(data.target) or None
        units = {name: made.get(name, from_header(name)) for name in data.table.X.columns} if made else "header"
        return {"units": units, "target_unit": target_unit}
    given = pairs(text, "units: expected header, or units such as m=kg,v=m/s")
    return {"units": dict(made) | given, "target_unit": target_unit}


def _labels(frame: pd.DataFrame, name: str | None, target: str) -> np.ndarray | None:
    if name is None:
        return None
    if name not in frame.columns or name == target:
        raise ValueError(f"groups: expected one of the columns {_others(frame, target)}; got {name!r}")
    return frame[name].to_numpy(object)


def _column(frame: pd.DataFrame, name: str | None, target: str) -> np.ndarray | None:
    if name is None:
        return None
    if name not in frame.columns or name == target:
        raise ValueError(f"weights: expected one of the columns {_others(frame, target)}; got {name!r}")
    return positive_column(frame, name, "weights", zero=True)


def _noise(frame: pd.DataFrame, noise: str, target: str) -> np.ndarray | None:
    """Standard errors from the column that `noise` names; None for a kind of noise."""
    if noise in NOISES:
        return None
    if noise not in frame.columns or noise == target:
        kinds = ", ".join(NOISES)
        raise ValueError(f"noise: expected {kinds}, or one of the columns {_others(frame, target)}; got {noise!r}")
    return positive_column(frame, noise, "noise", zero=False)


def _others(frame: pd.DataFrame, target: str) -> str:
    return _names(frame.columns.drop(target))


def _names(names: Sequence[object]) -> str:
    return ", ".join(map(repr, names))
