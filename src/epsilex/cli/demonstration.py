"""The demo's data: UBall5D, which is computed and needs no file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from epsilex.cli.preparing import Data
from epsilex.files import write_file
from epsilex.problems.uball5d import TRAINING_ROWS, drawn
from epsilex.tables import Table

DESCRIPTION = "UBall5D: y = 10 / (5 + sum of (x_i - 3)^2), 1024 rows to fit, 5000 held back"


def data() -> Data:
    """The paper's training and test rows, in raw units; test rows reach a little beyond the others."""
    import pandas as pd

    problem = drawn()
    X = pd.DataFrame(problem.X, columns=list(problem.feature_names))
    rows = np.arange(len(X))
    return Data("uball5d.csv", "y", Table(X, problem.y, rows, ()), rows >= TRAINING_ROWS)


def write(data: Data, path: Path) -> None:
    """Write the rows as a CSV file, to try `epsilex predict` on."""
    write_file(path, data.table.X.assign(**{data.target: data.table.y}).to_csv(index=False))
