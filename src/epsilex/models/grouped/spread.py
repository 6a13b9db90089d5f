"""The uncertainty of shared and own constants: the first-order covariance of all of them together."""

from __future__ import annotations

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.choice.description import fitted_places
from epsilex.models.grouped.program import Grouped
from epsilex.models.grouped.tuning import Cells, jacobians
from epsilex.models.uncertainty import Uncertainty, inverse

MOST = 2000  # constants of all groups whose covariance is computed


@np.errstate(all="ignore")
def spread(program: Grouped, cells: Cells, noise: Noise) -> tuple[Uncertainty | None, tuple[Uncertainty | None, ...]]:
    """The uncertainty of the shared constants, and per group that of these and of its own; None where unknown.

    The places of a group's own constants are their nodes.
    """
    places = fitted_places(program.nodes)
    n_own, n_groups = program.table.shape
    none = None, (None,) * n_groups
    if len(places) + program.table.size > MOST:
        return none
    out, shared, own = jacobians(program, cells, places)
    root = np.sqrt(noise.weight)[:, None]
    wide = np.zeros((len(out), n_groups, n_own))
    wide[np.arange(len(out)), cells.code] = own
    slopes = root * noise.slopes(out, np.column_stack([shared, wide.reshape(len(out), -1)]))
    residuals = noise.residuals(out)
    if not (np.isfinite(residuals).all() and np.isfinite(slopes).all()):
        return none
    freedom = len(out) - slopes.shape[1]
    variance = float((noise.weight * residuals**2).sum()) / max(freedom, 1)
    variance = max(variance, 1.0) if noise.kind == "given" else variance
    covariance = variance * inverse(slopes)
    size = np.sqrt((slopes**2).sum(axis=0))
    resolution = np.sqrt(variance) / np.where(size > 0.0, size, np.inf)

    def known(nodes: list[int], which: list[int]) -> Uncertainty:
        order = np.argsort(nodes)
        at = np.array(which, np.int64)[order]
        part = covariance[np.ix_(at, at)]
        errors = np.sqrt(np.maximum(np.diag(part), 0.0))
        where = tuple(int(nodes[k]) for k in order)
        return Uncertainty(where, errors, resolution[at], where, part, variance, freedom, noise.kind)

    m = len(places)
    leaves = program.leaves
    each = tuple(
        known([*places, *(k for k, _ in leaves)], [*range(m), *(m + g * n_own + which for _, which in leaves)])
        for g in range(n_groups)
    )
    return known(places, list(range(m))), each
