"""Historically assessed hardness: errors count more on cases that few individuals of the last population solved.

Klein, Spector, "Genetic programming with historically assessed hardness", Genetic Programming Theory and Practice VI
(2008); formula from Spector's Clojush: the weight of a case is 1.01 less the share of the last population that solved
it. A case is solved by an error within the population's MAD of the best (Eq. 5), which is our choice for continuous
errors. Before the first selection nothing is known, and all weights are equal.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, complete
from epsilex.selection.rules import solved
from epsilex.selection.scores import by_tournament


def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, tournament_size: int = 2) -> Selected:
    known = measures.recalled("solved", measures.errors.shape[1])
    weight = 1.01 - (np.zeros(measures.errors.shape[1]) if known is None else known)
    living = complete(measures)
    score = np.full(len(measures), np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        score[living] = measures.errors[living].astype(np.float64) @ weight
    memory = {"solved": solved(measures, n_jobs).mean(axis=0, dtype=np.float64)}
    return Selected(by_tournament(score, n, address, tournament_size, living), np.zeros(n), memory)


METHOD = Method("hardness", "Historical hardness", parents, options=("tournament_size",))
