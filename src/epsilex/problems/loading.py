"""Problems from files: the declared ones, and anyone's own table."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from epsilex.problems import uball5d
from epsilex.problems.finding import find
from epsilex.problems.paper import FILES, Declaration
from epsilex.problems.partitions import random_rows
from epsilex.problems.problem import Problem
from epsilex.tables.numbers import exact_numbers

NAMES = (*FILES, "uball5d")
ABLATIONS = ("uball5d_z",)


def load(name: str) -> Problem:
    """The problem of this name: one of the paper's six, housing, tower, wind, enh, enc or uball5d, or an ablation."""
    if name in ("uball5d", "uball5d_z"):
        return uball5d.load(z_scored=name == "uball5d_z")
    if name not in FILES:
        raise ValueError(f"problem: expected one of {', '.join((*NAMES, *ABLATIONS))}; got {name!r}")
    return _read(FILES[name])


def from_csv(path: str | Path, target: str) -> Problem:
    """Anyone's table as a problem: numeric columns, one of them the target, parted 70/30 at random for each trial.

    Parameters
    ----------
    path : path to a CSV file with one header row
    target : name of the target's column; every other column is an input
    """
    path = Path(path)
    frame = _table(path)
    if target not in frame.columns:
        raise ValueError(f"target: expected one of the columns {', '.join(frame.columns)}; got {target!r}")
    inputs = frame.drop(columns=target)
    if inputs.shape[1] == 0 or len(frame) < 10:
        raise ValueError(
            f"{path}: expected at least 10 rows and one input column; got {len(frame)} rows, {inputs.shape[1]} inputs"
        )
    return Problem(
        name=path.stem,
        title=path.stem,
        X=inputs.to_numpy(np.float64),
        y=frame[target].to_numpy(np.float64),
        feature_names=tuple(inputs.columns),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        partition=random_rows,
        source=path.name,
    )


def _read(declared: Declaration) -> Problem:
    frame = _table(find(declared.file, declared.sha256, declared.source))
    X = frame[list(declared.features)].to_numpy(np.float64)
    if declared.name == "wind":
        X = np.where(np.abs(X) < 1e-20, 0.0, X)  # residue of the turbine's torque filter, down to 1e-44
    return Problem(
        name=declared.name,
        title=declared.title,
        X=X,
        y=frame["target"].to_numpy(np.float64),
        feature_names=declared.features,
        sha256=declared.sha256,
        partition=declared.partition,
        source=declared.source,
        citation=declared.citation,
        notes=declared.notes,
        dynamic=declared.dynamic,
        measured=_measured(declared),
        rebuilt=declared.rebuilt,
    )


def _measured(declared: Declaration) -> np.ndarray | None:
    if declared.flags_sha256 is None:
        return None
    flags = _table(find(declared.flags_file, declared.flags_sha256, declared.source))
    return flags["target_measured"].to_numpy() == 1


def _table(path: Path):
    """A DataFrame of finite numbers, or a ValueError that names the first column that is not."""
    import pandas as pd

    try:
        frame = pd.read_csv(path, **exact_numbers())
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ValueError(
            f"{path}: expected a CSV file with a header row; got {type(error).__name__}: {error}"
        ) from None
    for column in frame.columns:
        values = pd.to_numeric(frame[column], errors="coerce").to_numpy(np.float64)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            got = f"{str(frame[column].iloc[row])!r} in line {row + 2}"
            raise ValueError(f"{path}: expected finite numbers in column {column!r}; got {got}")
    return frame
