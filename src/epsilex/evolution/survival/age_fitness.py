"""Age-fitness Pareto survival (AFP): everyone ages, a newcomer joins, and the rule of the selection method cuts.

Schmidt, Lipson, "Age-fitness Pareto optimization", Genetic Programming Theory and Practice VIII (2011).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.evolution.population import Population, Union
from epsilex.evolution.purposes import NEWCOMER
from epsilex.selection import Address, afp

if TYPE_CHECKING:
    from epsilex.evolution.run import Run
    from epsilex.evolution.state import State
    from epsilex.evolution.variation import Offspring


def age_fitness(children: Population, offspring: Offspring, state: State, run: Run) -> Population:
    """The survivors by age and fitness; a child is as old as the older of its parents."""
    older = replace(state.population, age=state.population.age + 1)
    children.age = age_of_children(older.age, offspring.parents, offspring.mate)
    newcomer = run.measured(run.random(1, state.generation, NEWCOMER))
    everyone = Union(older, children, newcomer, costs=run.costs)
    survive = run.method.survive or afp.survivors
    address = Address(run.settings.seed, state.generation)
    who = survive(everyone.measures("fitness"), len(older), address, **options_of(run))
    survivors = everyone.take(np.sort(who))
    survivors.evaluated = children.evaluated
    return survivors


def options_of(run: Run) -> dict[str, Any]:
    """The options of the selection method, if it brings the survival rule."""
    return dict(run.settings.selection_options) if run.method.survive is not None else {}


def age_of_children(age: np.ndarray, parents: np.ndarray, mate: np.ndarray) -> np.ndarray:
    """The age of each child's older parent, or of its only parent."""
    return np.maximum(age[parents], age[mate])
