"""A helper that compiles kernels while this process compiles others: once per machine, half of the wait.

Both work through the parts of a generation, this process from the first to the last and the helper from the last to the
first. Each finds in the cache on disk what the other has finished, so they meet in the middle and need not talk.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np

from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.observers.structures import described
from epsilex.evolution.population import Population
from epsilex.evolution.run import Run
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.evolution.survival.pareto import best_of
from epsilex.evolution.variation.niches import niches
from epsilex.evolution.variation.offspring import Brood
from epsilex.programs import Programs
from epsilex.programs.operators import FEATURE, opcode

CODE = "from epsilex.evolution.ahead import help_out; help_out()"
ROWS, SIZE = 40, 20


@contextmanager
def helped() -> Iterator[None]:
    """Within it a helper compiles, too, if that is worth it; without one nothing else changes."""
    helper = None
    if _worth_it():
        command = [sys.executable, "-P", "-c", CODE]  # -P: no module of the working folder is ever imported
        with suppress(OSError):
            helper = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
    try:
        yield
    finally:
        if helper is not None:
            helper.kill()
            helper.communicate()


def _worth_it() -> bool:
    """Whether the last kernel of a generation is still to be compiled, and there is a core to do it on."""
    from epsilex.kernels.caching import to_be_kept
    from epsilex.kernels.jacobian import tune

    main = multiprocessing.parent_process() is None  # workers start together, and each would have a helper
    return main and _cores() > 1 and bool(sys.executable) and to_be_kept(tune)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def help_out() -> None:
    """The helper's work. It ends at once when the other process does, however that ends: then its input is closed."""

    def leave() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=leave, daemon=True).start()
    compile_backwards()


def compile_backwards() -> None:
    """The parts of a generation of the default settings from the last to the first, on programs of made-up errors."""
    rng = np.random.default_rng(0)
    settings = Settings(population_size=SIZE, planters=(), seed=0)
    cases = Cases.from_arrays(rng.normal(size=(ROWS, 2)), rng.normal(size=ROWS))
    run = Run(cases, settings)
    population = _made_up(rng, settings.max_length)
    described(population.programs, run.language)
    best_of(population, _made_up(rng, settings.max_length))
    state = State(0, population, 0, np.empty(0))
    run.tune_children(state, _made_up(rng, settings.max_length))
    drawn = niches(population.programs.length, settings)
    run.vary(state, [Brood(niche, rng.integers(SIZE, size=niche.n_parents), np.empty(0)) for niche in drawn])


def _made_up(rng: np.random.Generator, width: int) -> Population:
    """Programs `c*x0 + d*x1`, and random numbers for what would be measured."""
    nodes = [[(FEATURE, 0, c), (FEATURE, 1, d), (opcode("add"), 0, 0.0)] for c, d in rng.normal(size=(SIZE, 2))]
    programs = Programs.from_nodes(nodes, np.float32).widened(width)
    population = Population.unmeasured(programs, rng.random((SIZE, ROWS), np.float32))
    population.fitness[:] = population.mae[:] = population.errors.mean(axis=1)
    population.slope[:], population.intercept[:], population.tame[:] = 1.0, 0.0, 2
    population.outputs[:] = np.arange(SIZE)
    return population
