"""The state of a search: everything one generation passes on to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilex.evolution.population import Population


@dataclass(frozen=True, slots=True)
class State:
    """Observers read it and never write.

    generation   number of generations done; 0 is the start
    population   the current individuals
    evaluations  programs evaluated so far
    cases_used   (individuals,) share of the cases that each selection event before this state used; empty at the start
    """

    generation: int
    population: Population
    evaluations: int
    cases_used: np.ndarray

    def next(self, population: Population, cases_used: np.ndarray) -> State:
        return State(self.generation + 1, population, self.evaluations + population.evaluated, cases_used)
