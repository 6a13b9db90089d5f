"""The state of a search: all that one generation leaves to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilex.evolution.population import Population


@dataclass(frozen=True, slots=True)
class State:
    """Observers read it and never write.

    generation   how many have passed; 0 is the start
    population   the individuals that live
    evaluations  programs evaluated so far
    cases_used   (individuals,) share of the cases that each selection event before it used; empty for the start
    """

    generation: int
    population: Population
    evaluations: int
    cases_used: np.ndarray

    def next(self, population: Population, cases_used: np.ndarray) -> State:
        return State(self.generation + 1, population, self.evaluations + population.evaluated, cases_used)
