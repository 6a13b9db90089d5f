"""Survival by the selection method: everyone ages, newcomers join if the method asks for them, and its rule cuts.

A method without a rule of its own gets that of NSGA-II, on fitness and length.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.population import Population, Union
from epsilex.evolution.purposes import NEWCOMER
from epsilex.evolution.survival.age_fitness import age_of_children, options_of
from epsilex.selection import Address, nsga2

if TYPE_CHECKING:
    from epsilex.evolution.run import Run
    from epsilex.evolution.state import State
    from epsilex.evolution.variation import Offspring


def by_method(children: Population, offspring: Offspring, state: State, run: Run) -> Population:
    """The survivors of parents, children and newcomers; a child is as old as the older of its parents."""
    method = run.method if run.method.survive is not None else nsga2.METHOD
    options, n = options_of(run), len(state.population)
    older = replace(state.population, age=state.population.age + 1)
    children.age = age_of_children(older.age, offspring.parents, offspring.mate)
    joining = [older, children]
    wanted = method.newcomers(state.generation, n, **options) if method.newcomers else 0
    if wanted:
        joining.append(run.measured(run.random(wanted, state.generation, NEWCOMER)))
    everyone = Union(*joining, costs=run.costs)
    seen = everyone.measures("standing", method.survive_errors)
    assert method.survive is not None
    who = method.survive(seen, n, Address(run.settings.seed, state.generation), **options)
    survivors = everyone.take(np.sort(who))
    survivors.evaluated = children.evaluated + wanted
    return survivors
