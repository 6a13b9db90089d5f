"""Islands: generations per second by threads and by islands, what that means for more cores, and what fits gain.

`python -m benchmarks.islands` makes the runs that are missing (half an hour) and writes benchmarks/ISLANDS.md.
"""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import island_fits
from benchmarks.populations import uball5d
from benchmarks.runs import Row, arguments, carry_out
from benchmarks.timing import Section, page, table
from epsilex.evolution import Cases, Islands, Settings, State, Stop, search
from epsilex.evolution.islands.search import search_islands
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.history import PARTS
from epsilex.pools import ProcessPool

CASES, EPOCHS, REPEATS = 1000, 3, 5
PLAN = Islands(2)
GENERATIONS = EPOCHS * PLAN.every
SETTINGS = Settings(planters=(), seed=0)  # planting is done once, before the first generation
PAGE = Path(__file__).with_name("ISLANDS.md")
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


class Watch:
    """Clocks at each look at a search: of the wall, of this process and of its workers."""

    def __init__(self, pids: Callable[[], Sequence[int]] = tuple):
        self.pids, self.seen = pids, list[tuple[float, float, float]]()

    def see(self, state: State, archive: Archive) -> None:
        self.seen.append((time.perf_counter(), time.process_time(), sum(map(cpu_of, self.pids()))))

    def end(self, state: State, archive: Archive) -> None:
        pass

    @property
    def spent(self) -> tuple[float, float, float]:
        """From the first look to the last."""
        wall, own, workers = np.subtract(self.seen[-1], self.seen[0])
        return wall, own, workers


def one_search(seed: int, n_jobs: int) -> tuple[float, float, dict[str, float]]:
    """Wall-clock and CPU seconds of the generations of one population, and the seconds of each part."""
    X, y = uball5d(CASES)
    settings, watch = replace(SETTINGS, seed=seed), Watch()
    found = search(Cases.from_arrays(X, y), settings, Stop(GENERATIONS), n_jobs=n_jobs, observers=[watch])
    first, last = found.rows[0], found.rows[-1]
    wall, own, _ = watch.spent
    return wall, own, {part: last[f"seconds_{part}"] - first[f"seconds_{part}"] for part in PARTS}


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
    watch = Watch(pool.pids)
    search_islands(Cases.from_arrays(X, y), SETTINGS, PLAN, Stop(GENERATIONS), pool, observers=[watch])
    wall, driver, workers = watch.spent
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


def measure(problem: str, method: str) -> Row:
    """The section of the rates."""
    section = run()
    return {"title": section.title, "text": section.text, "figures": section.figures}


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    options.jobs = 1  # a run uses two cores
    rates = carry_out("islands", ("problem", "method"), [{"problem": "uball5d", "method": "rates"}], options).rows()
    fits = carry_out("island_fits", island_fits.KEY, island_fits.tasks(options.quick), options)
    sections = [Section(row["title"], row["text"], [tuple(f) for f in row["figures"]]) for row in rates]
    sections.append(island_fits.section(fits))
    print(*sections, sep="\n")
    if not options.quick:
        PAGE.write_text(page(HEAD, ("epsilex", "numba", "numpy", "joblib"), sections), encoding="utf-8")


if __name__ == "__main__":
    main()
