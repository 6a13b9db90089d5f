"""Who lives on: the children, with the best parent; or the best of parents and children."""

from __future__ import annotations

import numpy as np

from epsilex.evolution.population import Population, Union
from epsilex.selection.methods import Method


def generational(population: Population, children: Population, elitism: bool) -> Population:
    """The children; with elitism the best parent takes the place of the worst child, unless a child is as good."""
    if elitism:
        best = population.best
        if population.fitness[best] < children.fitness.min():
            children.put(np.array([children.fitness.argmax()]), population, np.array([best]))
    return children


def pareto(population: Population, children: Population) -> Population:
    """The best of parents and children by non-dominated (fitness, length), sparse places of the last front first
    (NSGA-II).

    Of individuals with equal outputs only the shortest lives. Should fewer than the population be left, copies fill it.
    """
    from epsilex.kernels.pareto import front_ranks

    n = len(population)
    everyone = Union(population, children)
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


def by_method(method: Method, population: Population, children: Population, newcomers: Population) -> Population:
    """The survivors among parents, children and newcomers by the method's own rule (age-fitness Pareto)."""
    everyone = Union(population, children, newcomers)
    assert method.survive is not None
    survivors = method.survive(everyone.column("fitness"), everyone.column("age"), len(population))
    return everyone.take(np.sort(survivors))
