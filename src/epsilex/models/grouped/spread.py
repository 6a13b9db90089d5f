"""The uncertainty of shared and own constants: the first-order covariance of all of them together.

With A the information of a group's own constants, B that between these and the shared ones, and D that of the shared
ones, the covariance of the shared ones is C = inverse of D - sum of B'A^-1 B over the groups, that of a group's own
A^-1 + A^-1 B C B'A^-1, and that between them -A^-1 B C.
"""

from __future__ import annotations

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.choice.description import fitted_places
from epsilex.models.grouped.program import Grouped
from epsilex.models.grouped.tuning import Cells, jacobians
from epsilex.models.uncertainty import Uncertainty


@np.errstate(all="ignore")
def spread(program: Grouped, cells: Cells, noise: Noise) -> tuple[Uncertainty | None, tuple[Uncertainty | None, ...]]:
    """The uncertainty of the shared constants, and per group that of these and of its own; None where unknown.

    The places of a group's own constants are their nodes.
    """
    places = fitted_places(program.nodes)
    n_groups = program.table.shape[1]
    out, shared, own = jacobians(program, cells, places)
    residuals = noise.residuals(out)
    root = np.sqrt(noise.weight)[:, None]
    shared, own = root * noise.slopes(out, shared), root * noise.slopes(out, own)
    if not (np.isfinite(residuals).all() and np.isfinite(shared).all() and np.isfinite(own).all()):
        return None, (None,) * n_groups
    freedom = len(out) - len(places) - program.table.size
    variance = float((noise.weight * residuals**2).sum()) / max(freedom, 1)
    variance = max(variance, 1.0) if noise.kind == "given" else variance
    blocks = _inverses(cells.sums(own[:, :, None] * own[:, None, :]))
    sides = blocks @ cells.sums(own[:, :, None] * shared[:, None, :])  # A^-1 B
    corner = shared.T @ shared - np.einsum("nk,nkm,nj->mj", own, sides[cells.code], shared)
    corner = _inverses(corner[None])[0]
    among = blocks + sides @ corner @ sides.transpose(0, 2, 1)
    between = -sides @ corner
    leaves = program.leaves

    def known(group: int | None) -> Uncertainty:
        nodes = [*places, *(k for k, _ in leaves)] if group is not None else places
        size = (shared**2).sum(axis=0)
        whole = corner
        if group is not None:
            which = [one for _, one in leaves]
            cross = between[group][which]
            whole = np.block([[corner, cross.T], [cross, among[group][np.ix_(which, which)]]])
            size = np.concatenate([size, (own[cells.code == group] ** 2).sum(axis=0)[which]])
        order = np.argsort(nodes)
        covariance = variance * whole[np.ix_(order, order)]
        errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        resolution = np.sqrt(variance / np.where(size > 0.0, size, np.inf))[order]
        where = tuple(int(nodes[k]) for k in order)
        return Uncertainty(where, errors, resolution, where, covariance, variance, freedom, noise.kind)

    return known(None), tuple(known(group) for group in range(n_groups))


def _inverses(matrices: np.ndarray) -> np.ndarray:
    """Inverses of symmetric matrices (any, n, n), each scaled to a diagonal of ones first."""
    size = np.sqrt(np.maximum(np.einsum("gkk->gk", matrices), 0.0))
    size = np.where(size > 0.0, size, 1.0)
    scale = size[:, :, None] * size[:, None, :]
    return np.linalg.pinv(matrices / scale, rcond=1e-12, hermitian=True) / scale
