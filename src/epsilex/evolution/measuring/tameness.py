"""Tameness: whether programs stay near the target's range on plausible rows that the data does not have.

Every program is run on a few shadow rows. These miss a program that is wild in few places, and running all programs on
many rows would take too long. So only the best few of each length are run on many rows, once.
"""

from __future__ import annotations

import numpy as np

from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.population import Population

LOOKED_AT = 3  # best programs of each length


def look_closer(population: Population, cases: Cases, n_jobs: int = 1) -> None:
    """Run the best programs of each length on many more shadow rows, and mark the ones that are not tame there."""
    if cases.more_shadow is None:
        return
    length, standing = population.programs.length, population.standing
    order = np.lexsort((standing, length))
    place = np.arange(len(order)) - np.searchsorted(length[order], length[order])
    best = order[place < LOOKED_AT]
    new = best[(population.tame[best] == 1) & np.isfinite(standing[best])]
    if not len(new):
        return
    low, high = cases.limits
    out = cases.values(population.programs.take(new), cases.more_shadow, n_jobs)
    slope, intercept = (a[new, None].astype(np.float32) for a in (population.slope, population.intercept))
    with np.errstate(all="ignore"):
        scaled = slope * out + intercept
        population.tame[new] = np.where(((scaled >= low) & (scaled <= high)).all(axis=1), 2, 0)
