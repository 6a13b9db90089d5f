"""Random parents: the control of the paper's comparison (Rand Sel)."""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Method, Selected, alive, generator


def parents(errors, fitness, n: int, address: Address, n_jobs: int = 1) -> Selected:
    chosen = generator(address, 0).choice(np.flatnonzero(alive(fitness)), size=n)
    return Selected(chosen, np.zeros(n))


METHOD = Method("random", "Rand Sel", parents)
