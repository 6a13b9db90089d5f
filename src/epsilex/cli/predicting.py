"""`predict`: apply a model to a table, one value per row."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from epsilex.cli.taking import model_of_length
from epsilex.cli.terminal import note
from epsilex.files import write_file
from epsilex.models import Model, load_model
from epsilex.programs.operators import FEATURE
from epsilex.report import FILE, load_fit
from epsilex.tables import features_by_name
from epsilex.tables.numbers import numbers

if TYPE_CHECKING:
    import pandas as pd


COLUMNS = ("prediction", "low", "high")


def model_at(path: Path, length: int | None) -> Model:
    """The model in a file or in the folder of a fit; with a length, the one of this length from the same fit."""
    folder = path if path.is_dir() else path.parent
    if length is not None:
        if not (folder / FILE).is_file():
            raise ValueError(f"length: expected a model in the folder of a fit, with its {FILE}; got {path}")
        return model_of_length(load_fit(folder / FILE), length)[1]
    return load_model(folder / "model.json" if path.is_dir() else path)


def used_names(m: Model) -> list[str]:
    """The features that the formula contains."""
    used = {feature for code, feature, _ in m.nodes if code == FEATURE}
    return [name for j, name in enumerate(m.feature_names) if j in used]


def check_out(out: Path | None, *others: Path) -> None:
    """Refuse to write predictions over the file of a model or table."""
    for other in others:
        if out is not None and out.exists() and other.exists() and out.samefile(other):
            raise ValueError(f"out: expected another file than {other}; it would be lost")


def kept_columns(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The columns of a table to write beside the predictions."""
    for name in names:
        _check_column("keep", name, frame)
        if name in COLUMNS:
            raise ValueError(f"keep: expected other columns than {', '.join(COLUMNS)}; got {name!r}")
    return frame[list(names)]


def predict(
    m: Model, frame: pd.DataFrame, notes: Sequence[str], out: Path | None, kept: pd.DataFrame | None,
    interval: float | None, target: str | None, json: bool,
) -> None:  # fmt: skip
    """Write predictions in the order of the table's rows, nan where there is none."""
    if target is not None:
        _check_column("target", target, frame)
    X, more = features_by_name(frame, used_names(m), m.feature_names)
    X = X.reindex(columns=list(m.feature_names))  # what the formula does not contain may be missing
    if m.own is not None:
        if m.own.column not in frame.columns:
            raise ValueError(f"columns: expected the column of groups, {m.own.column!r}; it is missing")
        X = X.assign(**{m.own.column: frame[m.own.column]})
    predicted = dict(zip(COLUMNS, np.atleast_2d(m.predict(X, interval)), strict=False))
    prediction = predicted["prediction"]
    beside = {} if kept is None else {str(name): kept[name] for name in kept.columns}
    text = _as_json(beside, predicted) if json else _as_csv(beside, predicted)
    if out is None:
        sys.stdout.write(text)
    else:
        write_file(out, text)
    note([*notes, *more, *_lost(prediction), *_compared(prediction, frame, target)])


def _check_column(option: str, name: str, frame: pd.DataFrame) -> None:
    if name not in frame.columns:
        columns = ", ".join(map(repr, frame.columns))
        raise ValueError(f"{option}: expected one of the columns {columns}; got {name!r}")


def _lost(prediction: np.ndarray) -> list[str]:
    finite = np.isfinite(prediction)
    if finite.all():
        return []
    lost = f"{(~finite).sum()} of {len(finite)} rows have no prediction"
    return [f"{lost}: a value is missing, or the formula is undefined there"]


def _compared(prediction: np.ndarray, frame: pd.DataFrame, target: str | None) -> list[str]:
    if target is None:
        return []
    with np.errstate(over="ignore"):  # the mean of the largest numbers may be infinite
        errors = np.abs(prediction - numbers(frame[target]))
        known = np.isfinite(errors)
        if not known.any():
            return [f"column {target!r} has no number to compare with"]
        return [f"mean absolute error {errors[known].mean():.6g} on {known.sum()} rows"]


def _as_csv(kept: dict[str, pd.Series], columns: dict[str, np.ndarray]) -> str:
    import pandas as pd

    # Most readers skip empty lines, which would shift the rows after them.
    cells = {name: [repr(float(v)) if np.isfinite(v) else "nan" for v in values] for name, values in columns.items()}
    beside = {name: values.to_numpy() for name, values in kept.items()}
    return pd.DataFrame(beside | cells).to_csv(index=False, lineterminator="\n")


def _as_json(kept: dict[str, pd.Series], columns: dict[str, np.ndarray]) -> str:
    values = {name: [float(v) if np.isfinite(v) else None for v in values] for name, values in columns.items()}
    beside = {name: [_plain(v) for v in values.tolist()] for name, values in kept.items()}
    return json_format.dumps(beside | values, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    """A cell as a value of JSON: a number, true or false, null if it is missing, else text."""
    if isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return None if value is None or value != value else str(value)
