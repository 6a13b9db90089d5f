"""Who lives on: the children, with the best parent; or the best of parents and children."""

from __future__ import annotations

import numpy as np

from epsilex.evolution.population import Population, joined
from epsilex.selection.methods import Method


def generational(population: Population, children: Population, elitism: bool) -> Population:
    """The children; with elitism the best parent takes the place of the worst child, unless a child is as good."""
    if elitism:
        best = population.best
        if population.fitness[best] < children.fitness.min():
            children.put(int(np.argmax(children.fitness)), population, best)
    return children


def by_method(method: Method, population: Population, children: Population, newcomers: Population) -> Population:
    """The survivors among parents, children and newcomers by the method's own rule (age-fitness Pareto)."""
    everyone = joined([population, children, newcomers])
    assert method.survive is not None
    return everyone.take(method.survive(everyone.fitness, everyone.age, len(population)))
