"""What a search runs with: its cases, its settings, and the parts of a generation that the settings name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from epsilex import selection
from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.measuring.tameness import look_closer
from epsilex.evolution.observers.clock import Clock
from epsilex.evolution.population import Population
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.evolution.survival import SURVIVALS
from epsilex.evolution.tuning import TUNERS
from epsilex.evolution.variation import VARIATIONS, Offspring
from epsilex.evolution.variation.niches import niches
from epsilex.evolution.variation.offspring import Brood
from epsilex.evolution.variation.pairs import vary
from epsilex.evolution.variation.start import start
from epsilex.planting import PLANTERS, Limits, plant
from epsilex.programs import Programs
from epsilex.selection import Address, Measures


def timed(part: str) -> Callable:
    """Decorate a method so that its time counts towards that part of a generation."""

    def decorate(method: Callable) -> Callable:
        @functools.wraps(method)
        def timed_method(self: Run, *arguments: Any) -> Any:
            with self.clock(part):
                return method(self, *arguments)

        return timed_method

    return decorate


class Run:
    """The parts of a generation. They depend only on their arguments, not on `n_jobs`; the clock only watches."""

    def __init__(self, cases: Cases, settings: Settings, n_jobs: int = 1):
        self.cases, self.settings, self.n_jobs = cases, settings, n_jobs
        self.method = selection.method(settings.selection)
        self.tuner = TUNERS.find(settings.tuning)
        self.survival = SURVIVALS.find(settings.survival)
        self.clock = Clock()
        self._how: dict[str, Any] = {"scaling": settings.scaling, "limited": settings.limit_outputs, "n_jobs": n_jobs}

    def start(self) -> State:
        """Random programs, some of them planted."""
        programs = start(self.settings, self.settings.population_size, self.cases.n_features)
        with self.clock("vary"):
            self._plant(programs)
        with self.clock("evaluate"):
            population = self.measured(programs)
            look_closer(population, self.cases, self.n_jobs)
        return State(0, population, len(population), np.empty(0))

    @timed("select")
    def select(self, state: State) -> list[Brood]:
        """The parents of each niche."""
        population = state.population
        seen = Measures(population.errors, population.fitness, population.age, population.programs.length)
        broods = []
        for niche in niches(population.programs.length, self.settings):
            measures = seen if len(niche.members) == len(seen) else seen.take(niche.members)
            address = Address(niche.seed, state.generation)
            options = self.settings.selection_options
            found = self.method.parents(measures, niche.n_parents, address, self.n_jobs, **options)
            broods.append(Brood(niche, niche.members[found.parents], found.cases_used))
        return broods

    @timed("vary")
    def vary(self, state: State, broods: list[Brood]) -> Offspring:
        """Children of pairs, a share of which the further variations remake."""
        offspring = vary(state.population, broods, self.settings, self.cases.n_features, state.generation, self.n_jobs)
        for name, share in self.settings.variations.items():
            VARIATIONS.find(name)(offspring, share, state, self)
        return offspring

    @timed("evaluate")
    def measure(self, state: State, offspring: Offspring) -> Population:
        """The children's errors and fitness; a copy of a parent is not run again."""
        children = self.cases.measure_new(offspring.programs, offspring.origin, state.population, **self._how)
        children.evaluated = int((offspring.origin < 0).sum())
        return children

    @timed("tune")
    def tune_children(self, state: State, children: Population) -> Population:
        if self.tuner.children is not None:
            self.tuner.children(children, self, state.generation)
        return children

    @timed("survive")
    def survive(self, state: State, children: Population, offspring: Offspring) -> Population:
        return self.survival(children, offspring, state, self)

    @timed("tune")
    def tune_survivors(self, state: State, survivors: Population) -> Population:
        if self.tuner.survivors is not None:
            self.tuner.survivors(survivors, self, state.generation)
        look_closer(survivors, self.cases, self.n_jobs)
        return survivors

    def measured(self, programs: Programs) -> Population:
        """New programs as a population of age 0."""
        return self.cases.measure(programs, **self._how)

    def attempt(self, programs: Programs) -> Population:
        """Trial programs as a population; the next attempt overwrites their errors."""
        return self.cases.attempt(programs, **self._how)

    def _plant(self, programs: Programs) -> None:
        """Plant if linear scaling and feature coefficients are on, but not for a time series, whose fed-back features
        exist only during a run."""
        settings, cases = self.settings, self.cases
        if settings.scaling and settings.coefficients and cases.n_features == cases.inputs.shape[1]:
            limits = Limits(settings.operators, settings.max_length, settings.population_size)
            planters = [PLANTERS.find(name) for name in settings.planters]
            plant(programs, cases.inputs, cases.y.astype(np.float64) - cases.zero, planters, limits)
