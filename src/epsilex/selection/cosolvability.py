"""Co-solvability: rewards for pairs of cases that an individual solves, shared with all who solve the same pair.

Krawiec, Lichocki, "Using co-solvability to model and exploit synergetic effects in evolution", PPSN XI (2010), from
memory. A case is solved by an error within the population's MAD of the best (Eq. 5), which is our choice for continuous
errors. Time and memory grow with the square of the number of cases: use `downsample` on many.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection import sampling
from epsilex.selection.methods import Address, Measures, Method, Selected, alive
from epsilex.selection.rules import solved
from epsilex.selection.scores import by_tournament


def pair_fitness(solves: np.ndarray) -> np.ndarray:
    """(individuals,): the sum over pairs of cases t < u that i solves of 1 / (number who solve both)."""
    together = solves.T @ solves
    share = np.divide(1.0, together, out=np.zeros_like(together), where=together > 0.0)
    np.fill_diagonal(share, 0.0)
    return 0.5 * ((solves @ share) * solves).sum(axis=1, dtype=np.float64)


@sampling.sampled
def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, tournament_size: int = 2) -> Selected:
    score = -pair_fitness(solved(measures, n_jobs))
    return Selected(by_tournament(score, n, address, tournament_size, alive(measures.fitness)), np.zeros(n))


METHOD = Method("cosolvability", "Co-solvability", parents, options=("tournament_size", *sampling.OPTIONS))
