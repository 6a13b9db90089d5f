"""Scaling: seconds a generation by population size, and two threads against one."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.populations import uball5d
from benchmarks.timing import Section, table
from epsilex import programs
from epsilex.evolution.cases import Cases
from epsilex.evolution.loop import evolve
from epsilex.evolution.settings import Settings

POPULATIONS = (250, 500, 1000, 2000, 4000, 8000)
CASES, GENERATIONS, REPEATS = 4000, 5, 4
NOTE = f"""\
Wall-clock milliseconds a generation of the paper's system with `lex_e_mad` on UBall5D with {CASES} cases, mean of the
first {GENERATIONS} generations; and of one call of `programs.evaluate` on as many random programs. Best of {REPEATS},
with one thread and with two in turns.

"""


def seconds_per_generation(population_size: int, n_jobs: int) -> float:
    X, y = uball5d(CASES)
    search = evolve(Cases.from_arrays(X, y), Settings.paper(population_size=population_size, seed=0), n_jobs=n_jobs)
    next(search)
    start = time.perf_counter()
    for _ in range(GENERATIONS):
        next(search)
    return (time.perf_counter() - start) / GENERATIONS


def seconds_evaluating(population_size: int, n_jobs: int) -> float:
    X, _ = uball5d(CASES)
    p = programs.random_programs(population_size, X.shape[1], np.random.default_rng(0))
    start = time.perf_counter()
    programs.evaluate(p, X, n_jobs=n_jobs)
    return time.perf_counter() - start


def best_of_one_and_two(function, population_size: int) -> tuple[float, float]:
    """Least seconds with one thread and with two, measured in turns."""
    turns = [(function(population_size, 1), function(population_size, 2)) for _ in range(REPEATS)]
    return min(one for one, _ in turns), min(two for _, two in turns)


def run() -> Section:
    lines, figures = [], []
    seconds_per_generation(250, 2)
    for size in POPULATIONS:
        line = [f"{size:,}"]
        for function in (seconds_per_generation, seconds_evaluating):
            one, two = best_of_one_and_two(function, size)
            line += [f"{1e3 * one:.1f}", f"{1e3 * two:.1f}", f"{one / two:.2f} x"]
        lines.append(line)
        if size == 1000:
            figures.append(("two threads against one, a generation of 1000", ">= 1.8 x", line[3]))
    columns = ["1 thread", "2 threads", "speed-up"]
    headers = ["population", *(f"{what}, {c}" for what in ("a generation", "evaluate") for c in columns)]
    return Section("Scaling", NOTE + table(headers, lines), figures)


if __name__ == "__main__":
    print(run())
