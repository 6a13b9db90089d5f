"""The limits of planters, and the planting of their programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from epsilex.planting.expressing import expressed, with_arithmetic
from epsilex.programs import Programs
from epsilex.programs.fold import Node
from epsilex.programs.operators import FEATURE

ROWS = 512  # shown to planters, at most
ORDER_ONE = (0.25, 32.0)  # largest values of features that planters see in the user's units
SHARE = 0.1  # of the population, at most


@dataclass(frozen=True, slots=True)
class Limits:
    """Operators and maximal length of planted formulas, the size of the population they are for, and which programs
    are allowed (None: all)."""

    operators: tuple[str, ...]
    max_length: int
    population_size: int
    allowed: Callable[[Sequence[Node]], bool] | None = None


Planter = Callable[[np.ndarray, np.ndarray, Limits], Sequence[Sequence[Node]]]


def plant(
    programs: Programs, X: np.ndarray, y: np.ndarray, planters: Sequence[Planter], limits: Limits,
    scale: np.ndarray | None = None,
) -> None:  # fmt: skip
    """Replace the last programs by what `planters` find for X (rows, features) and y (rows,).

    `scale` (features,) are the sizes of the units of X in the user's. Angles and ratios mean something in the user's
    unit: sin(x) is a law, sin(x / 4) is not. So planters see features of order one in it.
    """
    from threadpoolctl import threadpool_limits

    X, y = X[:ROWS].astype(np.float64), y[:ROWS].astype(np.float64)
    scale = np.ones(X.shape[1]) if scale is None else _readable(X, scale)
    X = X * scale
    # A second BLAS thread costs more than it saves on such small matrices. Programs that overflow are left out.
    wide = replace(limits, operators=with_arithmetic(limits.operators))
    with threadpool_limits(1, "blas"), np.errstate(all="ignore"):
        found = _in_turns([_found(planter, X, y, wide) for planter in planters])
    if wide.operators != limits.operators:
        said = [expressed(nodes, limits.operators) for nodes in found]
        found = [nodes for nodes in said if nodes is not None and len(nodes) <= limits.max_length]
    if limits.allowed is not None:
        found = [nodes for nodes in found if limits.allowed(nodes)]
    found = [
        [(code, column, value * scale[column] if code == FEATURE else value) for code, column, value in nodes]
        for nodes in found[: int(SHARE * len(programs))]
    ]
    programs.put(len(programs) - len(found), found)


def _in_turns(found: Sequence[Sequence[Sequence[Node]]]) -> list[Sequence[Node]]:
    """The first of each planter, then the second of each, and so on: none takes the places of the others."""
    return [nodes for turn in zip_longest(*found) for nodes in turn if nodes is not None]


def _found(planter: Planter, X: np.ndarray, y: np.ndarray, limits: Limits) -> Sequence[Sequence[Node]]:
    """What a planter finds; nothing if its least squares do not converge."""
    try:
        return planter(X, y, limits)
    except np.linalg.LinAlgError:
        return []


def _readable(X: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The scales of features that are of order one in the user's units, 1 for the others."""
    largest = np.abs(X).max(axis=0) * scale
    return np.where((largest >= ORDER_ONE[0]) & (largest <= ORDER_ONE[1]), scale, 1.0)
