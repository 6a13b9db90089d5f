"""Plexicase: parents are drawn from approximate probabilities of lexicase selection, which are computed once.

Ding, Pantridge, Spector, "Probabilistic lexicase selection", GECCO (2023), and the authors' program. An individual that
passes only cases that another passes too, who passes more, is never selected by lexicase; it gets probability 0. (The
authors also keep one of them if it is better than the other by more than epsilon on some case that neither passes.) On
each case those who pass share one vote, in proportion to how many cases they pass. `alpha` sharpens (above 1) or
flattens the probabilities. The pass condition is Eq. 5 of the paper.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection import sampling
from epsilex.selection.methods import Address, Measures, Method, Selected, generator, number
from epsilex.selection.rules import solved, with_finite_error


def probabilities(elite: np.ndarray, alpha: float) -> np.ndarray:
    """(individuals,): probabilities from who passes which case, (individuals, cases) float32 of 0 and 1."""
    count = elite.sum(axis=1)
    shared = elite @ elite.T
    within = (shared == count[:, None]) & (count[:, None] < count[None, :])  # [j, i]: j passes a part of what i passes
    elite = np.where(within.any(axis=1)[:, None], 0.0, elite)
    votes = elite * count[:, None]
    total = votes.sum(axis=0, dtype=np.float64)
    p = (votes / np.where(total > 0.0, total, 1.0)).sum(axis=1)
    if p.sum() == 0.0:
        return np.zeros(len(p))
    p = (p / p.max()) ** alpha * (p > 0.0)
    return p / p.sum()


@sampling.sampled
def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, alpha: float = 1.0) -> Selected:
    number("alpha", alpha, 0.0)
    p = probabilities(solved(measures, n_jobs), alpha)
    if not p.any():  # nobody passes anything
        living = with_finite_error(measures.errors, measures.fitness)
        p = living / living.sum()
    return Selected(generator(address, 0).choice(len(p), size=n, p=p), np.ones(n))


METHOD = Method("plexicase", "Plexicase", parents, options=("alpha", *sampling.OPTIONS))
