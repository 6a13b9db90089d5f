"""Survival: which individuals form the next population.

generational  the children, and the best parent where elitism is on (the paper)
pareto        the best of parents and children by non-dominated fronts of fitness and length (NSGA-II)
age_fitness   the best of parents, children and a newcomer by age and fitness (SPEA2; the paper's AFP)
by_method     those of parents, children and newcomers that the selection method chooses

A rule is a function of (children, offspring, state, run) that returns the next population, in the registry `SURVIVALS`;
the setting `survival` names it. A selection method may bring its own rule.
"""

from __future__ import annotations

from collections.abc import Callable

from epsilex.evolution.survival.age_fitness import age_fitness
from epsilex.evolution.survival.by_method import by_method
from epsilex.evolution.survival.generational import generational
from epsilex.evolution.survival.pareto import pareto
from epsilex.registry import Registry

SURVIVALS: Registry[Callable] = Registry(
    "survival", pareto=pareto, generational=generational, age_fitness=age_fitness, by_method=by_method
)

__all__ = ["SURVIVALS"]
