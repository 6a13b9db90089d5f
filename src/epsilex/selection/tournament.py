"""Tournament selection: the fittest of `tournament_size` individuals, drawn with replacement (Tourn; 2 in the
paper)."""

from __future__ import annotations

import numpy as np

from epsilex.selection import sampling
from epsilex.selection.methods import Address, Measures, Method, Selected
from epsilex.selection.scores import by_tournament


@sampling.sampled
def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, tournament_size: int = 2) -> Selected:
    return Selected(by_tournament(measures.fitness, n, address, tournament_size), np.zeros(n))


METHOD = Method("tournament", "Tourn", parents, options=("tournament_size", *sampling.OPTIONS))
