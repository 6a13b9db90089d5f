"""Survival by non-dominated fronts of fitness and length (NSGA-II).

Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE Transactions on
Evolutionary Computation 6 (2002).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.population import Population, Union
from epsilex.programs.costs import Costs

if TYPE_CHECKING:
    from epsilex.evolution.run import Run
    from epsilex.evolution.state import State
    from epsilex.evolution.variation import Offspring


def pareto(children: Population, offspring: Offspring, state: State, run: Run) -> Population:
    """The best of parents and children by front; of the last front, the least crowded."""
    survivors = best_of(state.population, children, run.costs)
    survivors.evaluated = children.evaluated
    return survivors


def best_of(population: Population, children: Population, costs: Costs = ()) -> Population:
    """The best of both, as many as the population holds.

    Of individuals with equal outputs only the shortest survives. If too few are left, copies fill the population.
    """
    from epsilex.kernels.pareto import front_ranks

    n = len(population)
    everyone = Union(population, children, costs=costs)
    length, standing, outputs = everyone.length, everyone.column("standing"), everyone.column("outputs")
    order = np.lexsort((standing, length, outputs))
    first = np.ones(len(order), bool)
    first[1:] = outputs[order[1:]] != outputs[order[:-1]]
    distinct = order[first]
    distinct = distinct[np.isfinite(standing[distinct])]
    f, g = standing[distinct], length[distinct].astype(np.float64)
    rank = np.empty(len(distinct), np.int64)
    front_ranks(f, g, np.lexsort((g, f)), rank)
    by_rank = np.lexsort((distinct, rank))
    kept = distinct[by_rank[:n]]
    if len(distinct) > n:
        cut = rank[by_rank[n - 1]]
        last = np.flatnonzero(rank == cut)
        distance = crowding(np.log(np.maximum(f[last], 1e-30)), g[last])
        whole = np.flatnonzero(rank < cut)
        chosen = last[np.lexsort((distinct[last], -distance))[: n - len(whole)]]
        kept = distinct[np.concatenate([whole, chosen])]
    elif len(distinct) < n:
        rest = np.setdiff1d(np.arange(len(everyone)), distinct)
        kept = np.concatenate([distinct, rest[np.argsort(standing[rest], kind="stable")][: n - len(distinct)]])
    return everyone.take(np.sort(kept))


def crowding(f: np.ndarray, g: np.ndarray) -> np.ndarray:
    """NSGA-II's crowding distance of the members of one front, by their two objectives."""
    distance = np.zeros(len(f))
    for x in (f, g):
        order = np.argsort(x, kind="stable")
        ordered = x[order]
        distance[order[[0, -1]]] = np.inf
        if ordered[-1] > ordered[0]:
            distance[order[1:-1]] += (ordered[2:] - ordered[:-2]) / (ordered[-1] - ordered[0])
    return distance
