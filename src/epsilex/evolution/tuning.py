"""Constants: hill climbing as in the paper, or Levenberg-Marquardt."""

from __future__ import annotations

import numpy as np

from epsilex.evolution.cases import Cases
from epsilex.evolution.population import Population
from epsilex.evolution.settings import Settings
from epsilex.evolution.variation import CLIMB
from epsilex.programs import Programs
from epsilex.programs.operators import CONSTANT

STEP = 0.1  # standard deviation of a constant's change, relative to the constant


def hill_climb(population: Population, cases: Cases, settings: Settings, generation: int, n_jobs: int) -> int:
    """Perturb all constants of every individual at once by Gaussian noise, and keep what lowers the fitness.

    Changes `population` in place and returns how many programs were evaluated; those without constants need not be.
    """
    from epsilex.kernels.variation import perturb_constants

    programs = population.programs
    constant = programs.constant.copy()
    perturb_constants(
        np.uint64(settings.seed), generation, CLIMB, STEP, programs.opcode, programs.constant, programs.length, constant,
        0, len(population),
    )  # fmt: skip
    used = np.arange(programs.width) < programs.length[:, None]
    who = np.flatnonzero((used & (programs.opcode == CONSTANT)).any(axis=1))
    tried = cases.measure(
        Programs(programs.opcode[who], programs.feature[who], constant[who], programs.length[who]),
        scaling=settings.scaling, limited=settings.limit_outputs, n_jobs=n_jobs,
    )  # fmt: skip
    tried.age = population.age[who]
    better = np.flatnonzero(tried.fitness < population.fitness[who])
    population.put(who[better], tried, better)
    return len(who)
