"""A search from start to stop: the loop and its consumers."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from epsilex.evolution import history
from epsilex.evolution.archive import Archive
from epsilex.evolution.cases import Cases
from epsilex.evolution.checkpoint import Checkpoint, load_checkpoint
from epsilex.evolution.loop import Generation, evolve
from epsilex.evolution.settings import Settings

PATIENCE = 100  # generations in which an exact formula may still be found in a shorter form
REHEARSING = 100  # programs, enough for every part of the search to have its turn
_REHEARSED: set[tuple[type, str]] = set()


@dataclass(frozen=True, slots=True)
class Stop:
    """When to stop: after so many generations, so many seconds, at a fitness of `target` or less, or once the best mean
    absolute error has been `exact` or less for PATIENCE generations, so that only rounding is left of it."""

    generations: int | None = None
    seconds: float | None = None
    target: float = 0.0
    exact: float = -1.0

    def __post_init__(self) -> None:
        if self.generations is not None and not self.generations >= 0:
            raise ValueError(f"generations: expected at least 0; got {self.generations}")
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError(f"time_limit: expected more than 0 seconds; got {self.seconds}")
        if self.generations is None and self.seconds is None:
            raise ValueError("generations, time_limit: expected at least one of them; got None for both")

    def reason(self, generation: Generation, elapsed: float, rows: Sequence[dict[str, float]] = ()) -> str | None:
        """Why to stop after this generation, the last of the history's rows; None to go on."""
        if self.generations is not None and generation.index >= self.generations:
            return "generations"
        if self.seconds is not None and elapsed >= self.seconds:
            return "time"
        if generation.population.fitness.min() <= self.target:
            return "target"
        if len(rows) >= PATIENCE and all(row["best_mae"] <= self.exact for row in rows[-PATIENCE:]):
            return "exact"
        return None


@dataclass(slots=True)
class Search:
    """What a search found: the last generation, the best program of each length, the history, and why it stopped."""

    generation: Generation
    archive: Archive
    rows: list[dict[str, float]]
    reason: str


def search(
    cases: Cases,
    settings: Settings,
    stop: Stop,
    *,
    n_jobs: int = 1,
    callbacks: Sequence[Callable[[Generation, Archive], object]] = (),
    checkpoint: Checkpoint | None = None,
    resume: Path | None = None,
    begin: Search | None = None,
) -> Search:
    """Run the loop until `stop` says so, a signal arrives, or a callback returns True.

    SIGINT and SIGTERM let the generation finish and return the best so far. With `checkpoint`, the state is written
    every so often; `resume` continues from such a file, bit for bit. `begin` continues a search that is still in
    memory.
    """
    archive, rows, last = Archive(settings.max_length), [], None
    if begin is not None:
        last, archive, rows = begin.generation, begin.archive, list(begin.rows)
    if resume is not None:
        last, archive, rows = load_checkpoint(resume, settings, cases)
    if settings.scaling:
        archive.watch(cases.y, cases.zero)
    before = rows[-1]["seconds"] if rows else 0.0
    if stop.seconds is not None:
        rehearse(cases, settings)
    started = time.perf_counter()
    limited = before if begin is None else 0.0  # the clock of a resumed search runs on, that of a continued one anew
    reason = stop.reason(last, limited, rows) if last is not None else None
    with interrupts() as interrupted:
        loop = evolve(cases, settings, last, n_jobs)
        while reason is None:
            last = next(loop)
            elapsed = time.perf_counter() - started
            archive.update(last.population)
            rows.append(history.row(last, before + elapsed))
            reason = stop.reason(last, limited + elapsed, rows)
            for callback in callbacks:
                if callback(last, archive) is True:
                    reason = reason or getattr(callback, "reason", "callback")
            if interrupted:
                reason = "interrupt"
            if checkpoint is not None:
                checkpoint.tick(last, archive, rows, settings, cases, final=reason is not None)
    assert last is not None
    assert reason is not None
    return Search(last, archive, rows, reason)


def rehearse(cases: Cases, settings: Settings) -> None:
    """Have all kernels compiled or loaded, by two generations of a few programs, the first time in a process.

    So a limit of time is one of searching: compiling takes half a minute, once on a machine.
    """
    few = replace(settings, population_size=min(settings.population_size, REHEARSING), sums=False, seed=0)
    if (type(cases), repr(few)) not in _REHEARSED:
        _REHEARSED.add((type(cases), repr(few)))
        for generation in evolve(cases, few):
            if generation.index == 2:
                break


def continued(found: Search, cases: Cases, settings: Settings, n_jobs: int = 1) -> Search:
    """A search as the beginning of another one; everyone is measured again, for the cases may be others."""
    population, archive = found.generation.population, Archive(settings.max_length)
    if (len(population), population.programs.width) != (settings.population_size, settings.max_length):
        raise ValueError(
            "population_size, max_length: expected those of the search that is continued, "
            f"{len(population)} and {population.programs.width}; "
            f"got {settings.population_size} and {settings.max_length}"
        )
    population.programs.validate(cases.n_features)
    how: dict[str, Any] = {"scaling": settings.scaling, "limited": settings.limit_outputs, "n_jobs": n_jobs}
    measured = cases.measure(population.programs, **how)
    measured.age = population.age.copy()
    same = measured.fitness == population.fitness
    measured.tame = np.where(same, population.tame, measured.tame)
    best = cases.measure(found.archive.programs.take(found.archive.taken), **how)
    cases.audit(best, n_jobs)
    archive.update(best)
    if same.all():
        archive.shelves = found.archive.shelves
    elif settings.scaling:
        archive.watch(cases.y, cases.zero)
        for shelf in found.archive.shelves:
            archive.update(cases.measure(shelf.programs.take(shelf.taken), **how))
    return Search(replace(found.generation, population=measured), archive, list(found.rows), found.reason)


@contextmanager
def interrupts():
    """A list that is not empty once SIGINT or SIGTERM has come; a second SIGINT is as usual."""
    seen: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number, frame):
        if seen and number == signal.SIGINT:
            raise KeyboardInterrupt
        seen.append(number)

    for number in before:
        signal.signal(number, note)
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not set from Python
