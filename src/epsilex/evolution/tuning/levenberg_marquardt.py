"""Constants by least squares: a few Levenberg-Marquardt steps on a share of the children.

Kommenda, Burlacu, Kronberger, Affenzeller, "Parameter identification for symbolic regression using nonlinear least
squares", Genetic Programming and Evolvable Machines 21 (2020).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.population import Population
from epsilex.evolution.purposes import TUNE, generator
from epsilex.evolution.settings import Settings
from epsilex.evolution.tuning.tuner import Tuner
from epsilex.forms.tables import WIDTH, Tables
from epsilex.programs import Programs
from epsilex.programs.machine import addresses
from epsilex.programs.operators import arities

if TYPE_CHECKING:
    from epsilex.evolution.run import Run


def tune(children: Population, run: Run, generation: int) -> None:
    """Tune the constants of a share of the children, drawn at random. A child changes only if its fitness improves."""
    settings = run.settings
    rng = generator(settings.seed, generation, TUNE)
    who = np.flatnonzero(np.isfinite(children.fitness) & (rng.random(len(children)) < settings.tuning_share))
    tuned = children.programs.take(who)
    drawn = run.cases.drawn(settings.tuning_cases, rng)
    if run.form is None:
        tune_constants(tuned, drawn, settings, run.n_jobs, run.cases.through_zero)
    else:
        tune_fillings(tuned, drawn, settings, run.n_jobs, run.form)
    tried = run.attempt(tuned)
    tried.age = children.age[who]
    better = np.flatnonzero(tried.fitness < children.fitness[who])
    children.put(who[better], tried, better, run.n_jobs)
    children.evaluated += len(who)


def tune_constants(
    programs: Programs, drawn: tuple[np.ndarray, ...], settings: Settings, n_jobs: int, through_zero: bool = False
) -> None:
    """Levenberg-Marquardt on the constants of all `programs`, in place, by the cases `drawn` (see `Cases.drawn`)."""
    from epsilex.kernels import jacobian, slices

    table, slopes, arity = addresses(programs.opcode), addresses(programs.opcode, slope=True), arities()

    def part(first: int, last: int) -> None:
        jacobian.tune(
            table, slopes, arity, programs.opcode, programs.feature, programs.constant, programs.length,
            *drawn, settings.scaling, through_zero, settings.coefficients, settings.tuning_steps, first, last,
        )  # fmt: skip

    slices.run(part, len(programs), n_jobs)


def tune_fillings(
    programs: Programs, drawn: tuple[np.ndarray, ...], settings: Settings, n_jobs: int, form: Tables
) -> None:
    """As `tune_constants`, on fillings of a form: a constant that occurs in several places of the formula is one."""
    from epsilex.kernels import form_tuning, slices

    used = form.opcodes(programs)
    table, slopes = addresses(used), addresses(used, slope=True)

    def part(first: int, last: int) -> None:
        form_tuning.tune(
            form.arrays, table, slopes, programs.opcode, programs.feature, programs.constant, programs.length,
            *drawn, settings.coefficients, settings.tuning_steps, WIDTH, first, last,
        )  # fmt: skip

    slices.run(part, len(programs), n_jobs)


LEVENBERG_MARQUARDT = Tuner(children=tune)
