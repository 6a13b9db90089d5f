"""NSGA-II: tournaments of two by non-dominated fronts, then by crowding; survival of the best of parents and children
by the same.

Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE Transactions on
Evolutionary Computation 6 (2002). Objectives are fitness and length; with `cases` the errors on that many cases, which
are drawn again each generation.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.fronts import by_fronts, crowding, ranks
from epsilex.selection.methods import Address, Measures, Method, Selected, alive, at_least_one, generator

OBJECTIVES = 9  # purpose


def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, cases: int | None = None) -> Selected:
    living = np.flatnonzero(alive(measures.fitness))
    return Selected(living[by_fronts(objectives(measures, address, cases)[living], n, address)], np.zeros(n))


def survive(measures: Measures, n: int, address: Address, cases: int | None = None) -> np.ndarray:
    values = objectives(measures, address, cases)
    rank = ranks(values)
    return np.lexsort((-crowding(values, rank), rank))[:n]


def objectives(measures: Measures, address: Address, cases: int | None) -> np.ndarray:
    """(individuals, objectives) float64."""
    wanted, n_cases = at_least_one("cases", cases), measures.errors.shape[1]
    if not wanted:
        return np.column_stack([measures.fitness, measures.length]).astype(np.float64)
    some = generator(address, OBJECTIVES).choice(n_cases, size=min(wanted, n_cases), replace=False)
    return measures.errors[:, some].astype(np.float64)


METHOD = Method("nsga2", "NSGA-II", parents, survive, ("cases",), survival="by_method", survive_errors=True)
