"""Shared and own constants by Levenberg-Marquardt, in float64.

The normal equations have an arrow's shape: own constants of different groups never meet. So the groups are solved one
by one, given the shared constants, and the shared ones from what is left (the Schur complement).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.grouped.program import Grouped, shifted
from epsilex.models.polish import with_constants
from epsilex.programs.gradient import jacobian64
from epsilex.programs.numeric import evaluate64

STEPS = 20
GIVE_UP = 1e8  # damping


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Rows by group.

    X      (rows, features), sorted by group
    code   (rows,) each row's group
    first  (groups,) the first row of each; every group has rows
    """

    X: np.ndarray
    code: np.ndarray
    first: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, code: np.ndarray) -> Cells:
        """From rows sorted by group."""
        return cls(X, code, np.searchsorted(code, np.arange(int(code[-1]) + 1)))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums over the rows of each group, (groups, ...)."""
        return np.add.reduceat(values, self.first, axis=0)


def values(program: Grouped, cells: Cells) -> np.ndarray:
    """Outputs (rows,)."""
    return evaluate64(program.nodes, program.columns(cells.X, cells.code))


def jacobians(
    program: Grouped, cells: Cells, places: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Outputs (rows,), and derivatives by the shared constants at `places` (rows, places) and by the own constants of
    each row's group (rows, own constants)."""
    nodes, zeros, moved = shifted(program)
    where = [*(moved[k] for k in places), *zeros]
    out, columns = jacobian64(nodes, program.columns(cells.X, cells.code), where)
    own = np.zeros((len(out), len(program.table)))
    for (k, which), column in zip(program.leaves, columns[:, len(places) :].T, strict=True):
        own[:, which] += program.nodes[k][2] * column
    return out, columns[:, : len(places)], own


@np.errstate(all="ignore")  # squares of derivatives near a pole may overflow
def tuned(program: Grouped, cells: Cells, noise: Noise, places: Sequence[int], steps: int = STEPS) -> Grouped:
    """The program with its own constants and the shared ones at `places` tuned; unchanged if that does not help."""
    places = list(places)
    if not places and not len(program.table):
        return program
    root = np.sqrt(noise.weight)

    def look(one: Grouped) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        out, shared, own = jacobians(one, cells, places)
        left = root * noise.residuals(out)
        shared, own = root[:, None] * noise.slopes(out, shared), root[:, None] * noise.slopes(out, own)
        return left, shared, own, float((left**2).sum())

    left, shared, own, cost = look(program)
    if not np.isfinite(cost):
        return program
    damping = 1e-3
    for _ in range(steps):
        if not (np.isfinite(shared).all() and np.isfinite(own).all()):
            break
        moved = False
        while not moved and damping < GIVE_UP:
            step = _step(cells, left, shared, own, damping)
            if step is None:
                damping *= 10.0
                continue
            c = np.array([program.nodes[k][2] for k in places]) + step[0]
            trial = replace(
                program, nodes=tuple(with_constants(program.nodes, places, c)), table=program.table + step[1]
            )
            looked = look(trial)
            if looked[3] < cost:
                moved, gain = True, (cost - looked[3]) / cost
                program, (left, shared, own, cost) = trial, looked
                damping = max(damping * 0.2, 1e-12)
            else:
                damping *= 5.0
        if not moved or gain < 1e-10 or cost == 0.0:
            break
    return program


def _step(
    cells: Cells, left: np.ndarray, shared: np.ndarray, own: np.ndarray, damping: float
) -> tuple[np.ndarray, np.ndarray] | None:  # fmt: skip
    """Steps of the shared constants, and of the own ones (own constants, groups); None if there is no solution."""
    corner, right = shared.T @ shared, shared.T @ left
    blocks = cells.sums(own[:, :, None] * own[:, None, :])
    sides = cells.sums(own[:, :, None] * shared[:, None, :])
    rights = cells.sums(own * left[:, None])
    for matrix in (corner[None], blocks):
        diagonal = np.einsum("gkk->gk", matrix)  # a view
        diagonal += damping * np.where(diagonal > 0.0, diagonal, 1.0)
    try:
        solved = np.linalg.solve(blocks, np.concatenate([sides, rights[:, :, None]], axis=2))
        corner = corner - np.einsum("gkm,gkj->mj", sides, solved[:, :, :-1])
        right = right - np.einsum("gkm,gk->m", sides, solved[:, :, -1])
        step = np.linalg.solve(corner, right)
    except np.linalg.LinAlgError:
        return None
    each = solved[:, :, -1] - solved[:, :, :-1] @ step
    return (step, each.T) if np.isfinite(step).all() and np.isfinite(each).all() else None
