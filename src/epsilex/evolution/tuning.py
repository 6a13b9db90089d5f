"""Constants: hill climbing as in the paper, or Levenberg-Marquardt."""

from __future__ import annotations

import numpy as np

from epsilex.evolution.cases import Cases
from epsilex.evolution.population import Population
from epsilex.evolution.settings import Settings
from epsilex.evolution.variation import CLIMB, TUNE
from epsilex.programs import Programs
from epsilex.programs.machine import addresses
from epsilex.programs.operators import CONSTANT, arities

STEP = 0.1  # standard deviation of a constant's change, relative to the constant


def hill_climb(population: Population, cases: Cases, settings: Settings, generation: int, n_jobs: int) -> int:
    """Perturb all constants of every individual at once by Gaussian noise, and keep what lowers the fitness.

    Changes `population` in place and returns how many programs were evaluated; those without constants need not be.
    """
    from epsilex.kernels.variation import perturb_constants

    programs = population.programs
    constant = programs.constant.copy()
    perturb_constants(
        np.uint64(settings.seed), generation, CLIMB, STEP, programs.opcode, programs.constant, programs.length,
        constant, 0, len(population),
    )  # fmt: skip
    used = np.arange(programs.width) < programs.length[:, None]
    who = np.flatnonzero((used & (programs.opcode == CONSTANT)).any(axis=1))
    tried = cases.attempt(
        Programs(programs.opcode[who], programs.feature[who], constant[who], programs.length[who]),
        scaling=settings.scaling, limited=settings.limit_outputs, n_jobs=n_jobs,
    )  # fmt: skip
    tried.age = population.age[who]
    better = np.flatnonzero(tried.fitness < population.fitness[who])
    population.put(who[better], tried, better, n_jobs)
    return len(who)


def levenberg_marquardt(children: Population, cases: Cases, settings: Settings, generation: int, n_jobs: int) -> int:
    """Tune the constants of a share of the children by least squares and measure those again, in place.

    Which children is drawn at random. A child is changed only where its fitness improves. Returns how many were
    evaluated.
    """
    rng = np.random.Generator(np.random.Philox(key=[settings.seed, generation * 256 + TUNE]))
    who = np.flatnonzero(np.isfinite(children.fitness) & (rng.random(len(children)) < settings.tuning_share))
    tuned = children.programs.take(who)
    tune_constants(tuned, cases.drawn(settings.tuning_cases, rng), settings, n_jobs)
    tried = cases.attempt(tuned, scaling=settings.scaling, limited=settings.limit_outputs, n_jobs=n_jobs)
    tried.age = children.age[who]
    better = np.flatnonzero(tried.fitness < children.fitness[who])
    children.put(who[better], tried, better, n_jobs)
    return len(who)


def tune_constants(programs: Programs, drawn: tuple[np.ndarray, ...], settings: Settings, n_jobs: int) -> None:
    """Levenberg-Marquardt on the constants of all `programs`, in place, by the `Cases.drawn`."""
    from epsilex.kernels import jacobian, slices

    table, slopes, arity = addresses(programs.opcode), addresses(programs.opcode, slope=True), arities()

    def part(first: int, last: int) -> None:
        jacobian.tune(
            table, slopes, arity, programs.opcode, programs.feature, programs.constant, programs.length,
            *drawn, settings.scaling, settings.coefficients, settings.tuning_steps, first, last,
        )  # fmt: skip

    slices.run(part, len(programs), n_jobs)
