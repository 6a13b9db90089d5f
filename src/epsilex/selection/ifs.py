"""Implicit fitness sharing, non-binary: the reward of a case is shared by those who are good at it, by how good they
are.

Smith, Forrest, Perelson, "Searching for diverse, cooperative populations with genetic algorithms", Evolutionary
Computation 1 (1993); McKay, "Fitness sharing in genetic programming", GECCO (2000); for continuous errors Krawiec,
Nawrocki, "Implicit fitness sharing for evolutionary synthesis of license plate detectors", EvoApplications (2013), from
memory. How errors become rewards from 0 to 1 is our choice: 1 - error / median, and 0 above the median of the
population's errors on the case, because an error of a regression has no greatest value to divide by.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection import sampling
from epsilex.selection.methods import Address, Measures, Method, Selected, complete
from epsilex.selection.scores import by_tournament


def shared_fitness(errors: np.ndarray) -> np.ndarray:
    """(individuals,): the sum over the cases of the individual's part of the reward; errors are finite."""
    errors = errors.astype(np.float64)
    middle = np.median(errors, axis=0)
    lost = np.divide(errors, middle, out=(errors > 0.0).astype(np.float64), where=middle > 0.0)
    reward = 1.0 - np.minimum(lost, 1.0)
    total = reward.sum(axis=0)
    return (reward / np.where(total > 0.0, total, 1.0)).sum(axis=1)


@sampling.sampled
def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, tournament_size: int = 2) -> Selected:
    living = complete(measures)
    score = np.full(len(measures), np.inf)
    with np.errstate(invalid="ignore"):  # where nobody is complete
        score[living] = -shared_fitness(measures.errors[living])
    return Selected(by_tournament(score, n, address, tournament_size, living), np.zeros(n))


METHOD = Method("ifs", "Fitness sharing", parents, options=("tournament_size", *sampling.OPTIONS))
