"""Problems by name, and from your own table."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from epsilex.problems import further, paper, uball5d
from epsilex.problems.blind import SUFFIX, blind
from epsilex.problems.declaration import Declaration
from epsilex.problems.finding import Found, find
from epsilex.problems.partitions import random_rows
from epsilex.problems.problem import Problem
from epsilex.tables import read_table
from epsilex.tables.numbers import exact_numbers

if TYPE_CHECKING:
    import pandas as pd

BUILT_IN = ("uball5d", "uball5d_z")
NAMES = (*paper.FILES, "uball5d")
ABLATIONS = ("uball5d_z",)
FURTHER = tuple(further.FILES)
ALL = (*NAMES, *ABLATIONS, *FURTHER)
BLIND = tuple(name + SUFFIX for name in NAMES)  # they have no data of their own


def load(name: str) -> Problem:
    """The problem of this name: one of the paper's six (NAMES), an ablation (ABLATIONS, BLIND) or a further one
    (FURTHER)."""
    if name in BLIND:
        return blind(load(name.removesuffix(SUFFIX)))
    if name in BUILT_IN:
        return uball5d.load(z_scored=name == "uball5d_z")
    return _problem(find(declarations(name)))


def declarations(name: str) -> tuple[Declaration, ...]:
    """Versions of the problem's data, the best first."""
    if name in BUILT_IN:
        return uball5d.VERSIONS
    if name not in ALL:
        raise ValueError(f"problem: expected one of {', '.join((*ALL, *BLIND))}; got {name!r}")
    return {**paper.FILES, **further.FILES}[name]


def from_csv(path: str | Path, target: str) -> Problem:
    """Your own table as a problem: numeric columns, one of them the target, split 70/30 at random for each trial.

    Parameters
    ----------
    path : path to a CSV file with one header row
    target : name of the target's column; every other column is an input
    """
    path = Path(path)
    try:
        frame = read_table(path)
    except OSError as error:
        raise ValueError(f"{path}: expected a table; {error.strerror}") from None
    _check_finite(frame, path)
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


def _problem(found: Found) -> Problem:
    import pandas as pd

    declared = found.declared
    frame, *flags = (pd.read_csv(io.BytesIO(content), **exact_numbers()) for content in found.tables.values())
    X = frame[list(declared.features)].to_numpy(np.float64)
    if declared.name == "wind":
        X = np.where(np.abs(X) < 1e-20, 0.0, X)  # residue of the turbine's torque filter, down to 1e-44
    return Problem(
        name=declared.name,
        title=declared.title,
        X=X,
        y=frame["target"].to_numpy(np.float64),
        feature_names=declared.features,
        sha256=found.sha256,
        partition=declared.partition,
        source=declared.source,
        citation=declared.citation,
        notes=declared.notes,
        dynamic=declared.dynamic,
        measured=flags[0]["target_measured"].to_numpy() == 1 if flags else None,
        rebuilt=declared.rebuilt,
    )


def _check_finite(frame: pd.DataFrame, name: object) -> None:
    """Check that the table holds finite numbers only; a ValueError names the first column that does not."""
    import pandas as pd

    for column in frame.columns:
        values = pd.to_numeric(frame[column], errors="coerce").to_numpy(np.float64)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            got = f"{str(frame[column].iloc[row])!r} in line {row + 2}"
            raise ValueError(f"{name}: expected finite numbers in column {column!r}; got {got}")
