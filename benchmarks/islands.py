"""Islands: generations per second by threads and by islands, and what that means for more cores.

`python -m benchmarks.islands` measures for some minutes and writes benchmarks/ISLANDS.md.
"""

from __future__ import annotations

import heapq
import os
import time
from pathlib import Path

import numpy as np

from benchmarks.populations import uball5d
from benchmarks.timing import Section, page, table
from epsilex.evolution import Cases, Islands, Run, Settings, Stop, evolve
from epsilex.evolution.islands.search import search_islands
from epsilex.evolution.observers.history import PARTS
from epsilex.pools import ProcessPool

CASES, EPOCHS, REPEATS = 1000, 3, 5
PLAN = Islands(2)
GENERATIONS = EPOCHS * PLAN.every
SETTINGS = Settings(planters=(), seed=0)  # planting is done once, before the first generation
RESULTS = Path(__file__).with_name("ISLANDS.md")
CORES = (2, 8, 64)
NAMES = ("1 thread", "2 threads", "2 islands on 2 processes", "2 processes that share nothing")
HEAD = """\
# Islands

Written by `python -m benchmarks.islands` on {made}.

{figures}"""
NOTE = """\
UBall5D with {cases} cases, default settings without planting, populations of 1000, the first {generations} generations.
All contenders take turns, {repeats} times; the best wall-clock rate counts, and the least CPU time of all processes per
generation of one population. The load of the machine was {before:.1f} at the start and {after:.1f} at the end, on
{cores} cores: where others were at work, the CPU times say more than the rates.

"""

CONCLUSION = """\
Two threads reach {speed_up:.2f} x where two processes that share nothing reach {ceiling:.2f} x: by Amdahl's law,
{serial:.0%} of a generation is serial. The driver of the islands uses {driver:.1f} ms of CPU per epoch of an island,
which takes {epoch:.0f} ms. What follows for more cores: threads by Amdahl's law; islands, one per core, by a simulation
in which they queue for the driver.

{more}
At 2 cores the simulation says {said:.0%} of two processes that share nothing. The rates above say {clock:.0%}, the CPU
times {work:.0%}.
"""


def one_search(seed: int, n_jobs: int) -> tuple[float, float, dict[str, float]]:
    """Wall-clock and CPU seconds of the generations of one population, and the seconds of each part."""
    X, y = uball5d(CASES)
    run = Run(Cases.from_arrays(X, y), Settings(**{**SETTINGS.get_params(), "seed": seed}), n_jobs)
    states = evolve(run)
    next(states)
    run.clock.begin_with({})
    began, used = time.perf_counter(), time.process_time()
    for _ in range(GENERATIONS):
        next(states)
    return time.perf_counter() - began, time.process_time() - used, run.clock.seconds()


def apart(pool: ProcessPool) -> tuple[float, float]:
    """Generations per second of two populations on two processes that share nothing, and CPU seconds of each."""
    futures = [pool.submit(one_search, seed, 1) for seed in range(2)]
    while any(not future.done() for future in futures):
        pool.collect(0.1)
    pool.collect(0.0)
    found = [future.result() for future in futures]
    return sum(GENERATIONS / wall for wall, _, _ in found), sum(cpu for _, cpu, _ in found) / (2 * GENERATIONS)


def as_islands(pool: ProcessPool) -> tuple[float, float, float]:
    """The same with an exchange: generations of both, CPU seconds of each, and of the driver per epoch."""
    X, y = uball5d(CASES)
    seen: list[tuple[float, float, float]] = []

    class Watch:
        """Clocks at each meeting of the islands."""

        def see(self, state, archive):
            seen.append((time.perf_counter(), time.process_time(), sum(map(cpu_of, pool.pids()))))

        def end(self, state, archive):
            pass

    search_islands(Cases.from_arrays(X, y), SETTINGS, PLAN, Stop(GENERATIONS), pool, observers=[Watch()])
    wall, driver, workers = np.subtract(seen[-1], seen[0])
    return 2 * GENERATIONS / wall, (driver + workers) / (2 * GENERATIONS), driver / (2 * EPOCHS)


def cpu_of(pid: int) -> float:
    """CPU seconds that a process has used."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def simulated(cores: int, epoch: float, driver: float, epochs: int = 50) -> float:
    """Epochs per second of as many islands as cores: an island works, then waits for the driver, which serves one at a
    time. A tenth of an epoch's time is chance."""
    rng = np.random.default_rng(0)
    ready = [(epoch * rng.uniform(0.9, 1.1), island, 1) for island in range(cores)]
    heapq.heapify(ready)
    free = now = 0.0
    while ready:
        when, island, done = heapq.heappop(ready)
        free = now = max(when, free) + driver
        if done < epochs:
            heapq.heappush(ready, (now + epoch * rng.uniform(0.9, 1.1), island, done + 1))
    return cores * epochs / now


def amdahl(serial: float, cores: int) -> float:
    return 1.0 / (serial + (1.0 - serial) / cores)


def measured() -> tuple[list, list, list, list]:
    """Turns with one thread, with two, with two islands, and with two processes that share nothing."""
    pool = ProcessPool(2)
    turns: tuple[list, list, list, list] = ([], [], [], [])
    try:
        pool.everywhere(one_search, 0, 1)
        one_search(0, 2)
        for _ in range(REPEATS):
            turns[0].append(one_search(0, 1))
            turns[1].append(one_search(0, 2))
            turns[2].append(as_islands(pool))
            turns[3].append(apart(pool))
    finally:
        pool.close()
    return turns


def table_of_parts(one: dict[str, float], two: dict[str, float], rest: list[float]) -> str:
    """Milliseconds of each part of a generation with one thread and with two, from seconds of all generations."""
    each = 1e3 / GENERATIONS
    lines = [
        [part, f"{each * one[part]:.2f}", f"{each * two[part]:.2f}", f"{one[part] / two[part]:.2f} x"] for part in PARTS
    ]
    lines.append(["between the parts", f"{each * rest[0]:.2f}", f"{each * rest[1]:.2f}", f"{rest[0] / rest[1]:.2f} x"])
    return table(["part", "1 thread", "2 threads", "speed-up"], lines)


def run() -> Section:
    before = os.getloadavg()[0]
    ones, twos, shared, separate = measured()
    one, two = (min(turns, key=lambda found: found[0]) for turns in (ones, twos))
    rates = [GENERATIONS / one[0], GENERATIONS / two[0], *(max(t[0] for t in turns) for turns in (shared, separate))]
    cpu = [min(t[1] for t in turns) / GENERATIONS for turns in (ones, twos)]
    cpu += [min(t[1] for t in turns) for turns in (shared, separate)]
    ceiling, speed_up = rates[3] / rates[0], rates[1] / rates[0]
    serial = float(np.clip((ceiling / speed_up - 1.0) / max(ceiling - 1.0, 1e-9), 0.0, 1.0))
    epoch, driver = PLAN.every * cpu[3], min(found[2] for found in shared)
    predicted = {cores: simulated(cores, epoch, driver) * epoch for cores in CORES}
    lines = [
        [name, f"{rate:.1f}", f"{rate / rates[0]:.2f} x", f"{1e3 * seconds:.1f}"]
        for name, rate, seconds in zip(NAMES, rates, cpu, strict=True)
    ]
    more = [
        [cores, f"{amdahl(serial, cores):.1f} x", f"{predicted[cores]:.1f} x", f"{predicted[cores] / cores:.0%}"]
        for cores in CORES
    ]
    clock, work = rates[2] / rates[3], cpu[3] / cpu[2]
    rest = [found[0] - sum(found[2].values()) for found in (one, two)]
    loads = {"before": before, "after": os.getloadavg()[0], "cores": os.cpu_count()}
    text = NOTE.format(cases=CASES, generations=GENERATIONS, repeats=REPEATS, **loads)
    text += table(["", "generations per second", "", "CPU ms per generation"], lines)
    text += f"\nWall-clock milliseconds of a generation, in the fastest turn:\n\n{table_of_parts(one[2], two[2], rest)}"
    text += "\n" + CONCLUSION.format(
        speed_up=speed_up, ceiling=ceiling, serial=serial, driver=1e3 * driver, epoch=1e3 * epoch,
        more=table(["cores", "threads", "islands", "of all cores"], more), said=predicted[2] / 2, clock=clock,
        work=work,
    )  # fmt: skip
    figures = [
        (f"{NAMES[2]} over {NAMES[3]}", ">= 95%", f"{clock:.0%} by the clock, {work:.0%} by CPU time"),
        ("serial share of a generation", "", f"{serial:.0%}"),
    ]
    return Section("Generations per second", text, figures)


if __name__ == "__main__":
    section = run()
    RESULTS.write_text(page(HEAD, ("epsilex", "numba", "numpy", "joblib"), [section]), encoding="utf-8")
    print(section)
