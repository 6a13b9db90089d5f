"""`predict`: apply a model to a table, one value per row."""

from __future__ import annotations

import json as json_format
import sys
from pathlib import Path

import numpy as np

from epsilex.cli.terminal import note
from epsilex.files import write_file
from epsilex.models import load_model
from epsilex.tables import features_by_name, read_table
from epsilex.tables.numbers import numbers


def predict(model: Path, data: Path, out: Path | None, target: str | None, json: bool) -> None:
    """Write predictions in the order of the table's rows, nan where there is none."""
    m = load_model(model)
    frame = read_table(data)
    X, notes = features_by_name(frame, m.feature_names)
    if target is not None and target not in frame.columns:
        raise ValueError(f"target: expected a column of {data}; got {target!r}")
    prediction = m.predict(X)
    finite = np.isfinite(prediction)
    text = _as_json(prediction) if json else _as_csv(prediction)
    if out is None:
        sys.stdout.write(text)
    else:
        write_file(out, text)
    if not finite.all():
        lost = f"{(~finite).sum()} of {len(finite)} rows have no prediction"
        notes += (f"{lost}: a value is missing, or the formula is undefined there",)
    if target is not None:
        with np.errstate(over="ignore"):  # the mean of the largest numbers may be infinite
            errors = np.abs(prediction - numbers(frame[target]))
            known = np.isfinite(errors)
            if known.any():
                notes += (f"mean absolute error {errors[known].mean():.6g} on {known.sum()} rows",)
    note(notes)


def _as_csv(prediction: np.ndarray) -> str:
    # Most readers skip empty lines, which would shift the rows after them.
    cells = (repr(float(value)) if np.isfinite(value) else "nan" for value in prediction)
    return "prediction\n" + "".join(f"{cell}\n" for cell in cells)


def _as_json(prediction: np.ndarray) -> str:
    values = [float(value) if np.isfinite(value) else None for value in prediction]
    return json_format.dumps({"prediction": values}) + "\n"
