"""Generational replacement with elitism (Table 1: "keep best")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.population import Population

if TYPE_CHECKING:
    from epsilex.evolution.run import Run
    from epsilex.evolution.state import State
    from epsilex.evolution.variation import Offspring


def generational(children: Population, offspring: Offspring, state: State, run: Run) -> Population:
    """The children; with elitism the best parent takes the place of the worst child, unless a child is as good."""
    population = state.population
    if run.settings.elitism:
        best = population.best
        if population.fitness[best] < children.fitness.min():
            children.put(np.array([children.fitness.argmax()]), population, np.array([best]))
    return children
