"""The rows of a fit for its record, and its front as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from epsilex.cli.preparing import Data
from epsilex.models.front import front_frame
from epsilex.report import Fit, Measurements

if TYPE_CHECKING:
    import pandas as pd

FIRST_COLUMNS = ("length", "mae", "r2", "test_mae", "test_r2", "mae_all")


def measurements(data: Data) -> Measurements:
    """The rows as a report knows them."""
    groups = None if data.groups is None or data.labels is None else (data.groups, data.labels)
    X = data.features.to_numpy(np.float64)
    return Measurements(X, data.table.y, data.held_back, weight=data.weight, groups=groups)


def rows_in_words(used: Mapping[str, int], fresh: int | None) -> list[str]:
    """Which rows a fit used for what, one sentence; none if it used all for everything."""
    if used["seen"] == used["scored"]:
        return []
    often = "the same throughout" if fresh is None else f"drawn anew every {fresh} generations"
    return [
        f"the search saw {used['seen']} of {used['scored']} rows at a time, {often}; the formulas it found were tuned "
        f"on {used['tuned']} and scored on all"
    ]


def front_table(fit: Fit) -> pd.DataFrame:
    """The front as a table: errors on the rows fitted (mae, r2), held back (test_...) and on all of them (mae_all)."""
    frame = front_frame(fit.models, fit.chosen)
    first = [name for name in FIRST_COLUMNS if name in frame]
    rest = [name for name in frame.columns if name not in (*first, "formula")]
    return frame[[*first, *rest, "formula"]]
