"""The loop: Sections 2 and 4 of the paper, one `Generation` at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilex import selection
from epsilex.evolution import survival, tuning, variation
from epsilex.evolution.cases import Cases
from epsilex.evolution.clock import Clock
from epsilex.evolution.grafting import graft
from epsilex.evolution.planting import plant
from epsilex.evolution.population import Population
from epsilex.evolution.schools import School, schools
from epsilex.evolution.settings import Settings
from epsilex.selection import Address, Measures, Method, Selected


@dataclass(frozen=True, slots=True)
class Generation:
    """What one turn of the loop left behind. Consumers read it and never write.

    cases_used   (individuals,) share of the cases each selection event used; empty for the start
    evaluations  programs evaluated so far
    seconds      spent so far on each part: select, vary, evaluate, tune, survive
    """

    index: int
    population: Population
    cases_used: np.ndarray
    evaluations: int
    seconds: dict[str, float]


def select(
    method: Method, population: Population, school: School, address: Address, settings: Settings, n_jobs: int
) -> Selected:
    """Parents of a school, as indices of the population."""
    who = school.members
    seen = Measures(population.errors, population.fitness, population.age, population.programs.length)
    if len(who) < len(population):
        seen = seen.take(who)
    found = method.parents(seen, school.n_parents, address, n_jobs, **settings.selection_options)
    return Selected(who[found.parents], found.cases_used)


def evolve(cases: Cases, settings: Settings, resume: Generation | None = None, n_jobs: int = 1) -> Iterator[Generation]:
    """Yield the start, then one generation after another, for as long as it is asked; a `resume`d one is not repeated.

    The same seed gives the same generations, whatever `n_jobs`.
    """
    method = selection.method(settings.selection)
    clock = Clock(resume.seconds if resume else {})
    measure: dict[str, Any] = {"scaling": settings.scaling, "limited": settings.limit_outputs, "n_jobs": n_jobs}
    n = settings.population_size
    if resume is None:
        programs = variation.start(settings, n, cases.n_features)
        if settings.sums:
            with clock("vary"):
                plant(programs, cases, settings)
        with clock("evaluate"):
            population = cases.measure(programs, **measure)
            cases.audit(population, n_jobs)
        index, evaluations = 0, n
        yield Generation(0, population, np.empty(0), n, clock.seconds())
    else:
        population, index, evaluations = resume.population, resume.index, resume.evaluations
    while True:
        groups = schools(population.programs.length, settings)
        with clock("select"):
            chosen = [
                select(method, population, school, Address(school.seed, index), settings, n_jobs) for school in groups
            ]
            parents = np.concatenate([c.parents for c in chosen])
        with clock("vary"):
            programs, origin, mate = variation.vary_schools(
                population, chosen, groups, settings, cases.n_features, index, n_jobs
            )
            if settings.graft_share > 0:
                limits = np.repeat([s.max_length for s in groups], [len(c.parents) for c in chosen])
                graft(programs, origin, parents, limits, population, cases, settings, index, n_jobs)
        with clock("evaluate"):
            children = cases.measure_new(programs, origin, population, **measure)
            evaluations += int((origin < 0).sum())
        if settings.tuning == "levenberg_marquardt":
            with clock("tune"):
                evaluations += tuning.levenberg_marquardt(children, cases, settings, index, n_jobs)
        with clock("survive"):
            if method.survive is not None:  # everyone ages, and one newcomer of age 0 joins  (Section 4, AFP)
                newcomer = variation.start(settings, 1, cases.n_features, index, variation.NEWCOMER)
                older = replace(population, age=population.age + 1)
                children.age = variation.age_of_children(older.age, parents, mate)
                population = survival.by_method(method, older, children, cases.measure(newcomer, **measure))
            elif settings.survival == "generational":
                population = survival.generational(population, children, settings.elitism)
            else:
                population = survival.pareto(population, children)
        if settings.tuning == "hill_climbing":
            with clock("tune"):
                evaluations += tuning.hill_climb(population, cases, settings, index, n_jobs)
        with clock("evaluate"):
            cases.audit(population, n_jobs)
        index += 1
        used = np.concatenate([c.cases_used for c in chosen])
        yield Generation(index, population, used, evaluations, clock.seconds())
