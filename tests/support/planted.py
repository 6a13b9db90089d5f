"""What planters find, called as `plant` calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from epsilex.evolution import Settings
from epsilex.planting import Limits, Planter
from epsilex.planting.terms import outputs
from epsilex.programs.fold import Node

LIMITS = Limits(Settings.operators, 50, 1000)


def by(planter: Planter) -> Callable[..., Sequence[Sequence[Node]]]:
    """The planter with one BLAS thread, and without warnings of what overflows."""

    def planted(X: np.ndarray, y: np.ndarray, limits: Limits = LIMITS) -> Sequence[Sequence[Node]]:
        with threadpool_limits(1, "blas"), np.errstate(all="ignore"):
            return planter(X, y, limits)

    return planted


def unexplained(nodes: Sequence[Node], X: np.ndarray, y: np.ndarray) -> float:
    """Share of the target's squares that a program leaves after linear scaling."""
    columns = np.column_stack([outputs([nodes], X)[0], np.ones(len(y))])
    rest = y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    return float((rest**2).sum() / ((y - y.mean()) ** 2).sum())
