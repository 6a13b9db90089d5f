"""Random parents, anyone of the population: the control of the paper's comparison (Rand Sel)."""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Method, Selected, generator


def parents(errors, fitness, n: int, address: Address, n_jobs: int = 1) -> Selected:
    return Selected(generator(address, 0).integers(len(fitness), size=n), np.zeros(n))


METHOD = Method("random", "Rand Sel", parents)
