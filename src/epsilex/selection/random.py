"""Random parents from the whole population: the control of the paper's comparison (Rand Sel)."""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, generator


def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1) -> Selected:
    return Selected(generator(address, 0).integers(len(measures), size=n), np.zeros(n))


METHOD = Method("random", "Rand Sel", parents)
