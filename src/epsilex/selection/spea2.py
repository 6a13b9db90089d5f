"""SPEA2: tournaments of two by how many dominate an individual and how close its neighbours are; an archive of the
non-dominated is the next population.

Zitzler, Laumanns, Thiele, "SPEA2: improving the strength Pareto evolutionary algorithm", TIK report 103, ETH Zurich
(2001). Raw fitness is the sum of the strengths of those that dominate an individual, strength the number dominated;
density is 1 / (distance to the k-th neighbour + 2), k the root of the number of individuals. If too many are not
dominated, those closest to their neighbours leave one at a time. Objectives are fitness and length; with `cases` the
errors on that many cases, drawn again each generation. Distances are between objectives divided by their ranges.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection import environmental
from epsilex.selection.fronts import comparable
from epsilex.selection.methods import Address, Measures, Method, Selected, alive
from epsilex.selection.nsga2 import objectives
from epsilex.selection.scores import by_tournament


def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, cases: int | None = None) -> Selected:
    living = alive(measures.fitness)
    points = scaled(objectives(measures, address, cases)[living])
    score = np.full(len(measures), np.inf)
    away = environmental.neighbour_distance(points, np.arange(len(points)))
    score[living] = environmental.raw_fitness(points) + 1.0 / (away + 2.0)
    return Selected(by_tournament(score, n, address, 2, living), np.zeros(n))


def survive(measures: Measures, n: int, address: Address, cases: int | None = None) -> np.ndarray:
    points = scaled(objectives(measures, address, cases))
    return environmental.survivors(points, points, n)


def scaled(values: np.ndarray) -> np.ndarray:
    """Objectives from 0 to 1; what is not finite is 2, worse than all others."""
    finite = np.isfinite(values)
    low = np.min(values, axis=0, where=finite, initial=np.inf)
    high = np.max(values, axis=0, where=finite, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        spread = high - low
        within = (values - low) / np.where(spread > 0.0, spread, 1.0)
    return comparable(np.where(finite, within, 2.0))


METHOD = Method("spea2", "SPEA2", parents, survive, ("cases",), survival="by_method", survive_errors=True)
