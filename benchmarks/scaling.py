"""Scaling: seconds a generation by population size, and two threads against one."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from benchmarks.populations import uball5d
from benchmarks.timing import Section, table
from epsilex import programs
from epsilex.evolution import Cases, Run, Settings, evolve
from epsilex.kernels.evaluating import in_blocks
from epsilex.programs.evaluation import evaluate_blocks

POPULATIONS = (250, 500, 1000, 2000, 4000, 8000)
CASES, GENERATIONS, REPEATS = 4000, 5, 10
SINES = 512
NOTE = f"""\
Wall-clock milliseconds on UBall5D with {CASES} cases: a generation of the paper's system with `lex_e_mad` and with
`tournament`, which leaves nearly all the time to evaluation, mean of the first {GENERATIONS} generations; and the
evaluation alone of as many random programs. Best of {REPEATS}, with one thread and with two in turns. Two threads that
share nothing, each computing chains of sines of its own {SINES} numbers, show the most that the machine can give:
{{ceiling:.2f}} x.

"""


def seconds_per_generation(population_size: int, n_jobs: int, method: str) -> float:
    X, y = uball5d(CASES)
    settings = Settings.paper(population_size=population_size, selection=method, seed=0)
    search = evolve(Run(Cases.from_arrays(X, y), settings, n_jobs))
    next(search)
    start = time.perf_counter()
    for _ in range(GENERATIONS):
        next(search)
    return (time.perf_counter() - start) / GENERATIONS


def seconds_evaluating(population_size: int, n_jobs: int) -> float:
    X, _ = uball5d(CASES)
    p = programs.random_programs(population_size, X.shape[1], np.random.default_rng(0))
    blocks = in_blocks(X)
    room = evaluate_blocks(p, blocks, n_jobs)
    start = time.perf_counter()
    evaluate_blocks(p, blocks, n_jobs, room)
    return time.perf_counter() - start


def seconds_of_sines(_: int, n_jobs: int) -> float:
    """Two equal pieces of work, one after the other or side by side."""
    x = in_blocks(np.random.default_rng(0).normal(size=(SINES, 1)))
    chains = {"min_length": 50, "max_length": 50, "operators": ("sin",), "constant_share": 0.0}
    p = programs.random_programs(2000, 1, np.random.default_rng(0), **chains)
    p.constant[:, 0] = 1.0 + np.arange(len(p)) / len(p)  # no two alike: nothing to share
    half = [p.take(np.arange(k, len(p), 2)) for k in range(2)]
    rooms = [np.empty((len(h), x.shape[2]), np.float32) for h in half]
    start = time.perf_counter()
    with ThreadPoolExecutor(n_jobs) as pool:
        list(pool.map(lambda k: evaluate_blocks(half[k], x, 1, rooms[k]), range(2)))
    return time.perf_counter() - start


def best_of_one_and_two(function, population_size: int) -> tuple[float, float]:
    """Least seconds with one thread and with two, measured in turns."""
    turns = [(function(population_size, 1), function(population_size, 2)) for _ in range(REPEATS)]
    return min(one for one, _ in turns), min(two for _, two in turns)


def run() -> Section:
    measured = {
        "`lex_e_mad`": partial(seconds_per_generation, method="lex_e_mad"),
        "`tournament`": partial(seconds_per_generation, method="tournament"),
        "evaluation": seconds_evaluating,
    }
    lines, figures = [], []
    for function in measured.values():
        function(250, 2)
    one, two = best_of_one_and_two(seconds_of_sines, 0)
    ceiling = one / two
    for size in POPULATIONS:
        line = [f"{size:,}"]
        for name, function in measured.items():
            one, two = best_of_one_and_two(function, size)
            line += [f"{1e3 * one:.1f}", f"{1e3 * two:.1f}", f"{one / two:.2f} x"]
            if size == 2000 and name == "`tournament`":
                best = f"{one / two:.2f} x (two threads that share nothing: {ceiling:.2f} x)"
                figures.append(("two threads against one, evaluation-bound run", ">= 1.8 x", best))
        lines.append(line)
    headers = ["population", *(f"{name}, {c}" for name in measured for c in ("1 thread", "2 threads", "speed-up"))]
    return Section("Scaling", NOTE.format(ceiling=ceiling) + table(headers, lines), figures)


if __name__ == "__main__":
    print(run())
