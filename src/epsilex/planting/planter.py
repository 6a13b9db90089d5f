"""What a planter sees, and the planting of what planters find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.programs import Programs
from epsilex.programs.fold import Node

ROWS = 512  # that planters look at
SHARE = 0.1  # of the population, at most


@dataclass(frozen=True, slots=True)
class Limits:
    """What a planted formula may be made of, how long it may be, and for how large a population it is sought."""

    operators: tuple[str, ...]
    max_length: int
    population_size: int


Planter = Callable[[np.ndarray, np.ndarray, Limits], Sequence[Sequence[Node]]]


def plant(programs: Programs, X: np.ndarray, y: np.ndarray, planters: Sequence[Planter], limits: Limits) -> None:
    """Put what `planters` find for X (rows, features) and y (rows,) in the place of the last programs."""
    from threadpoolctl import threadpool_limits

    X, y = X[:ROWS].astype(np.float64), y[:ROWS].astype(np.float64)
    # For matrices so small a second thread of BLAS costs more than it gives. What overflows is left out.
    with threadpool_limits(1, "blas"), np.errstate(all="ignore"):
        found = [nodes for planter in planters for nodes in planter(X, y, limits)][: int(SHARE * len(programs))]
    for i, nodes in zip(range(len(programs) - len(found), len(programs)), found, strict=True):
        programs.length[i] = len(nodes)
        for array in (programs.opcode, programs.feature, programs.constant):
            array[i] = 0
        for k, (code, column, value) in enumerate(nodes):
            programs.opcode[i, k], programs.feature[i, k], programs.constant[i, k] = code, column, value
