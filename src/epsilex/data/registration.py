"""Curves that differ by where or how fast they run: s(x - delay) or s(pace*x), with one smooth s for all groups.

W. Lawton, E. Sylvestre, M. Maggio, Self modeling nonlinear regression, Technometrics 14, 1972. The curve and the
delays, or paces, are fitted in turns: a piecewise linear curve by least squares, then each group's own number on a grid
that gets finer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Move = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of a feature by the number of each row's group
SWEEPS = 12
GRID = 31  # numbers tried per group and sweep
REACH = 0.6  # of the range of a feature: the first delays tried
FASTEST = 6.0  # and the first paces, from one over it
KNOTS, ROWS_EACH = 12, 6  # of the curve, at most, and rows for each
RIDGE = 1e-3  # on the bends of the curve


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """A number for each group, (groups,), and the sum of squares that the common curve leaves."""

    own: np.ndarray
    left: float


def delays(x: np.ndarray, y: np.ndarray, weight: np.ndarray, code: np.ndarray) -> Aligned:
    """The delays of y = s(x - delay[group]), of mean 0."""
    reach = REACH * float(np.ptp(x))
    found = _aligned(x, y, weight, code, lambda x, own: x - own, reach)
    return Aligned(found.own - found.own.mean(), found.left)


def paces(x: np.ndarray, y: np.ndarray, weight: np.ndarray, code: np.ndarray) -> Aligned:
    """The paces of y = s(pace[group]*x), of geometric mean 1."""
    found = _aligned(x, y, weight, code, lambda x, own: x * np.exp(own), float(np.log(FASTEST)))
    return Aligned(np.exp(found.own - found.own.mean()), found.left)


def _aligned(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, code: np.ndarray, move: Move, reach: float
) -> Aligned:  # fmt: skip
    n = int(code.max()) + 1
    own, best = np.zeros(n), Aligned(np.zeros(n), np.inf)
    for _ in range(SWEEPS):
        u = move(x, own[code])
        knots, values = _curve(u, y, weight)
        left = float((weight * (y - np.interp(u, knots, values)) ** 2).sum())
        if left < best.left:
            best = Aligned(own, left)
        grid = np.linspace(-reach, reach, GRID)
        tried = own[code][:, None] + grid[None, :]
        errors = weight[:, None] * (y[:, None] - np.interp(move(x[:, None], tried), knots, values)) ** 2
        sums = np.array([np.bincount(code, column, n) for column in errors.T])
        own = own + grid[np.argmin(sums, axis=0)]
        own = own - own.mean()
        reach *= 0.75
    return best


def _curve(u: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Knots of a piecewise linear curve through y over u, and its values there; a little ridge keeps it smooth."""
    wanted = max(4, min(KNOTS, len(u) // ROWS_EACH))
    knots = np.unique(np.quantile(u, np.linspace(0.0, 1.0, wanted)))
    hats = np.column_stack([np.interp(u, knots, one) for one in np.eye(len(knots))])
    bends = np.diff(np.eye(len(knots)), n=2, axis=0)
    normal = hats.T @ (weight[:, None] * hats)
    normal += RIDGE * np.trace(normal) / len(normal) * (bends.T @ bends + 1e-9 * np.eye(len(normal)))
    return knots, np.linalg.solve(normal, hats.T @ (weight * y))
