"""The state of a search: everything one generation passes on to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.population import Population
from epsilex.selection.methods import Memory

if TYPE_CHECKING:
    from epsilex.evolution.variation.offspring import Brood


@dataclass(frozen=True, slots=True)
class State:
    """Observers read it and never write.

    generation   number of generations done; 0 is the start
    population   the current individuals
    evaluations  programs evaluated so far
    cases_used   (individuals,) share of the cases that each selection event before this state used; empty at the start
    memory       arrays by which the selection method remembers earlier generations, as `niche.name`; most have none
    """

    generation: int
    population: Population
    evaluations: int
    cases_used: np.ndarray
    memory: Memory = field(default_factory=dict)

    def next(self, population: Population, broods: Sequence[Brood]) -> State:
        """The state after this one; a niche without a brood keeps its memory."""
        evaluations = self.evaluations + population.evaluated
        niches = {brood.niche.name for brood in broods}
        memory = {name: array for name, array in self.memory.items() if name.partition(".")[0] not in niches}
        for brood in broods:
            memory |= {f"{brood.niche.name}.{name}": array for name, array in brood.memory.items()}
        used = np.concatenate([brood.cases_used for brood in broods])
        return State(self.generation + 1, population, evaluations, used, memory)

    def remembered(self, niche: str) -> Memory:
        """What the selection method left behind in this niche."""
        return {name.partition(".")[2]: a for name, a in self.memory.items() if name.partition(".")[0] == niche}
