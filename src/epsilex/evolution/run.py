"""What a search runs with: its cases, its settings, and the parts of a generation that the settings name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from epsilex import selection
from epsilex.dimensions.law import law_of
from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.measuring.redrawing import draw_of, redrawn
from epsilex.evolution.measuring.tameness import look_closer
from epsilex.evolution.observers.clock import Clock
from epsilex.evolution.population import Population
from epsilex.evolution.purposes import START
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.evolution.survival import SURVIVALS
from epsilex.evolution.tuning import TUNERS
from epsilex.evolution.variation import VARIATIONS, Offspring
from epsilex.evolution.variation.formed import Formed
from epsilex.evolution.variation.niches import niches
from epsilex.evolution.variation.offspring import Brood, keep_allowed
from epsilex.evolution.variation.pairs import vary
from epsilex.evolution.variation.start import REDRAWN, start, within_limits
from epsilex.models.choice.language import Language
from epsilex.planting import PLANTERS, Limits, plant
from epsilex.planting.groups import groups
from epsilex.programs import Programs
from epsilex.programs.costs import costs_of, sizes
from epsilex.selection import Address, Measures

TUNED_AT_START = 3  # times that the constants of the first fillings of a form are tuned


def in_rows(X: np.ndarray) -> np.ndarray:
    """Rows in blocks, as the kernels want them."""
    from epsilex.kernels.evaluating import in_blocks

    return in_blocks(X)


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
        self._first, self._number = cases, 0  # draw of the cases
        self.method = selection.method(settings.selection)
        self.tuner = TUNERS.find(settings.tuning)
        self.survival = SURVIVALS.find(settings.survival)
        rule = cases.prior.rule
        self.law = None
        if rule is not None:
            own = cases.n_features - len(rule.features)
            self.law = law_of(rule, settings.operators, settings.max_length, own)
        self.form = cases.prior.form
        self.formed = None if self.form is None else Formed(self.form, settings)
        self.structure = cases.prior.structure
        self.costs = costs_of(settings.costs)
        self.probe_rows = None if cases.prior.probes is None else in_rows(cases.prior.probes.X)
        self.clock = Clock()
        scaling = settings.scaling and self.form is None  # a form says where factors and offsets are
        self._how: dict[str, Any] = {"scaling": scaling, "limited": settings.limit_outputs, "n_jobs": n_jobs}

    def at(self, generation: int) -> Run:
        """This run, with the cases on which the state of a generation was measured."""
        every = self.settings.fresh_cases
        self._draw(0 if every is None else draw_of(generation, every))
        return self

    def _draw(self, number: int) -> None:
        if self._first.rows_X is not None and number != self._number:
            self.cases, self._number = redrawn(self._first, number) if number else self._first, number

    def redrawn_for(self, generation: int) -> bool:
        """Whether the state of a generation was measured on other cases than the one before it."""
        every = self.settings.fresh_cases
        return (
            every is not None and self._first.rows_X is not None and generation % every == 1 % every and generation > 1
        )

    def renewed(self, state: State) -> State:
        """The state on the cases of the generation that it begins: where they are new, everyone is measured anew."""
        self.at(state.generation + 1)
        if not self.redrawn_for(state.generation + 1):
            return state
        with self.clock("evaluate"):
            population = self.refused(self.measured(state.population.programs))
            population.age = state.population.age.copy()
            look_closer(population, self.cases, self.n_jobs)
        # What a selection method remembers is about earlier cases.
        return replace(state, population=population, evaluations=state.evaluations + len(population), memory={})

    @property
    def language(self) -> Language:
        """The language of the formulas."""
        return Language(tuple(self.settings.operators), self.cases.n_features, self.costs)

    def start(self) -> State:
        """Random programs, some of them planted, the first of them the user's guesses."""
        self.at(0)
        if self.formed is not None:
            return self._formed_start(self.formed)
        programs = self.random(self.settings.population_size, 0, START)
        with self.clock("vary"):
            self._plant(programs)
            programs.put(0, self.cases.prior.guesses[: len(programs) // 2])
        with self.clock("evaluate"):
            population = self.refused(self.measured(programs))
            look_closer(population, self.cases, self.n_jobs)
        return State(0, population, len(population), np.empty(0))

    def _formed_start(self, formed: Formed) -> State:
        """Random fillings, their constants tuned."""
        with self.clock("vary"):
            programs = formed.start(self.settings.population_size)
        with self.clock("evaluate"):
            population = self.refused(self.measured(programs))
        if self.tuner.children is not None:
            for _ in range(TUNED_AT_START):
                self.tuner.children(population, self, 0)
        look_closer(population, self.cases, self.n_jobs)
        return State(0, self.refused(population), len(population) + population.evaluated, np.empty(0))

    @timed("select")
    def select(self, state: State) -> list[Brood]:
        """The parents of each niche."""
        population = state.population
        length = sizes(population.programs, self.costs)
        seen = Measures(population.errors, population.fitness, population.age, length)
        broods = []
        fixed = 0 if self.form is None else self.form.outline.fixed
        for niche in niches(population.programs.length, self.settings, fixed):
            measures = seen if len(niche.members) == len(seen) else seen.take(niche.members)
            if state.memory:
                measures = replace(measures, memory=state.remembered(niche.name))
            address = Address(niche.seed, state.generation)
            options = self.settings.selection_options
            found = self.method.parents(measures, niche.n_parents, address, self.n_jobs, **options)
            broods.append(Brood(niche, niche.members[found.parents], found.cases_used, found.memory))
        return broods

    @timed("vary")
    def vary(self, state: State, broods: list[Brood]) -> Offspring:
        """Children of pairs, a share of which the further variations remake."""
        if self.formed is not None:
            return self.formed.vary(state.population, broods, state.generation, self.n_jobs)
        population, n_features = state.population, self.cases.n_features
        offspring = vary(population, broods, self.settings, n_features, state.generation, self.n_jobs, self.law)
        for name, share in self.settings.variations.items():
            VARIATIONS.find(name)(offspring, share, state, self)
        if self.law is not None:
            keep_allowed(self.law.consistent(offspring.programs), offspring, population.programs)
        if self.structure is not None:
            self.structure.repair(offspring.programs)
            keep_allowed(~self.structure.violated(offspring.programs), offspring, population.programs)
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
        return self.refused(children)

    @timed("survive")
    def survive(self, state: State, children: Population, offspring: Offspring) -> Population:
        return self.survival(children, offspring, state, self)

    @timed("tune")
    def tune_survivors(self, state: State, survivors: Population) -> Population:
        if self.tuner.survivors is not None:
            self.tuner.survivors(survivors, self, state.generation)
            self.refused(survivors)
        look_closer(survivors, self.cases, self.n_jobs)
        return survivors

    def refused(self, population: Population) -> Population:
        """The population, with an infinite fitness where a program violates a structural limit or a known shape."""
        if self.structure is not None:
            population.fitness[self.structure.violated(population.programs)] = np.inf
        probes = self.cases.prior.probes
        if probes is not None and self.probe_rows is not None:
            out = self.cases.values(population.programs, self.probe_rows, self.n_jobs)[:, : len(probes.X)]
            with np.errstate(all="ignore"):
                out = population.slope[:, None] * out + population.intercept[:, None]
            population.fitness[probes.violated(out)] = np.inf
        return population

    def measured(self, programs: Programs) -> Population:
        """New programs as a population of age 0."""
        return self.cases.measure(programs, **self._how)

    def judged(self, population: Population) -> Population:
        """A population measured again by what is known now. Ages stay; so does the close look at an individual whose
        fitness does."""
        found = self.refused(self.measured(population.programs))
        found.age = population.age.copy()
        found.tame = np.where(found.fitness == population.fitness, population.tame, found.tame)
        return found

    def random(self, n: int, generation: int, purpose: int) -> Programs:
        """Random programs that keep what is known; of a form, random fillings."""
        if self.formed is not None:
            return self.formed.start(n, generation, purpose)
        draw = functools.partial(start, self.settings, n_features=self.cases.n_features, law=self.law)
        if self.structure is None:
            return draw(n, generation=generation, purpose=purpose)
        return within_limits(
            self.structure, draw(REDRAWN * n, generation=generation, purpose=purpose), n, self.settings
        )

    def attempt(self, programs: Programs) -> Population:
        """Trial programs as a population; the next attempt overwrites their errors."""
        if self.structure is not None:  # tuning has moved the exponents
            self.structure.repair(programs)
        return self.cases.attempt(programs, **self._how)

    def _plant(self, programs: Programs) -> None:
        """Plant if linear scaling and feature coefficients are on, but not for a time series, whose fed-back features
        exist only during a run."""
        settings, cases = self.settings, self.cases
        if settings.scaling and settings.coefficients and cases.n_features == cases.inputs.shape[1]:
            limits = Limits(settings.operators, settings.max_length, settings.population_size, cases.prior.allows)
            planters = [PLANTERS.find(name) for name in settings.planters]
            if self.law is not None:
                planters.insert(0, functools.partial(groups, self.law))
            y = (cases.y.astype(np.float64) - cases.zero) * cases.y_scale
            plant(programs, cases.inputs, y, planters, limits, cases.x_scale)
