"""The limits of planters, and the planting of their programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.programs import Programs
from epsilex.programs.fold import Node

ROWS = 512  # shown to planters, at most
SHARE = 0.1  # of the population, at most


@dataclass(frozen=True, slots=True)
class Limits:
    """Operators and maximal length of planted formulas, and the size of the population they are for."""

    operators: tuple[str, ...]
    max_length: int
    population_size: int


Planter = Callable[[np.ndarray, np.ndarray, Limits], Sequence[Sequence[Node]]]


def plant(programs: Programs, X: np.ndarray, y: np.ndarray, planters: Sequence[Planter], limits: Limits) -> None:
    """Replace the last programs by what `planters` find for X (rows, features) and y (rows,)."""
    from threadpoolctl import threadpool_limits

    X, y = X[:ROWS].astype(np.float64), y[:ROWS].astype(np.float64)
    # A second BLAS thread costs more than it saves on such small matrices. Programs that overflow are left out.
    with threadpool_limits(1, "blas"), np.errstate(all="ignore"):
        found = [nodes for planter in planters for nodes in planter(X, y, limits)][: int(SHARE * len(programs))]
    for i, nodes in zip(range(len(programs) - len(found), len(programs)), found, strict=True):
        programs.length[i] = len(nodes)
        for array in (programs.opcode, programs.feature, programs.constant):
            array[i] = 0
        for k, (code, column, value) in enumerate(nodes):
            programs.opcode[i, k], programs.feature[i, k], programs.constant[i, k] = code, column, value
