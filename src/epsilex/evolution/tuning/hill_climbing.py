"""Parameter hill climbing, as in the paper (Section 4): every constant is perturbed, and improvements are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.population import Population
from epsilex.evolution.purposes import CLIMB
from epsilex.evolution.tuning.tuner import Tuner
from epsilex.programs import Programs
from epsilex.programs.operators import CONSTANT

if TYPE_CHECKING:
    from epsilex.evolution.run import Run

STEP = 0.1  # standard deviation of a constant's change, relative to the constant


def hill_climb(population: Population, run: Run, generation: int) -> None:
    """Perturb all constants of every individual at once by Gaussian noise, and keep changes that lower the fitness."""
    from epsilex.kernels.variation import perturb_constants

    programs = population.programs
    constant = programs.constant.copy()
    perturb_constants(
        np.uint64(run.settings.seed), generation, CLIMB, STEP, programs.opcode, programs.constant, programs.length,
        constant, 0, len(population),
    )  # fmt: skip
    used = np.arange(programs.width) < programs.length[:, None]
    who = np.flatnonzero((used & (programs.opcode == CONSTANT)).any(axis=1))
    tried = run.attempt(Programs(programs.opcode[who], programs.feature[who], constant[who], programs.length[who]))
    tried.age = population.age[who]
    better = np.flatnonzero(tried.fitness < population.fitness[who])
    population.put(who[better], tried, better, run.n_jobs)
    population.evaluated += len(who)


HILL_CLIMBING = Tuner(survivors=hill_climb)
