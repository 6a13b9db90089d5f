"""A search from start to stop: the loop and its observers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from epsilex.evolution.ahead import helped
from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.measuring.tameness import look_closer
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.checkpoint import Checkpoint, load_checkpoint, write_checkpoint
from epsilex.evolution.observers.history import History
from epsilex.evolution.observers.observer import Observer
from epsilex.evolution.observers.renewing import take_in, watch
from epsilex.evolution.observers.stopping import Stop, Stopping
from epsilex.evolution.observers.structures import described
from epsilex.evolution.run import Run
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.evolution.step import evolve

if TYPE_CHECKING:
    from epsilex.evolution.islands.island import Packed

REHEARSING = 100  # programs, enough to run every part of the search
_REHEARSED: set[tuple[type, bool, str]] = set()


@dataclass(slots=True)
class Search:
    """What a search found: the last state, the best program of each length, the history, and why it stopped.

    If it ran on islands, the state is theirs together, and `islands` has them one by one.
    """

    state: State
    archive: Archive
    rows: list[dict[str, float]]
    reason: str
    islands: tuple[Packed, ...] = ()


def search(
    cases: Cases,
    settings: Settings,
    stop: Stop,
    *,
    n_jobs: int = 1,
    observers: Sequence[Observer] = (),
    checkpoint: Checkpoint | None = None,
    resume: Path | None = None,
    begin: Search | None = None,
) -> Search:
    """Run the loop until `stop` or one of the `observers` ends it.

    With `checkpoint`, the state is written every so often; `resume` continues from such a file, bit for bit. `begin`
    continues a search that is still in memory.
    """
    from epsilex.kernels.slices import threads

    with threads(n_jobs), nullcontext() if checkpoint is None else checkpoint.claimed():
        return _search(cases, settings, stop, n_jobs, observers, checkpoint, resume, begin)


def _search(
    cases: Cases, settings: Settings, stop: Stop, n_jobs: int, observers: Sequence[Observer],
    checkpoint: Checkpoint | None, resume: Path | None, begin: Search | None,
) -> Search:  # fmt: skip
    run = Run(cases, settings, n_jobs)
    state, archive, rows = None, Archive(settings.max_length), []
    if begin is not None:
        state, archive, rows = begin.state, begin.archive, begin.rows
    if resume is not None:
        state, archive, rows = load_checkpoint(resume, settings, cases)
    archive.form = cases.prior.form
    watch(archive, run.at(0 if state is None else state.generation))
    if stop.seconds is not None:
        rehearse(cases, settings)
    history = History(run.clock, rows)
    # The clock of a resumed search runs on; that of a continued search starts at 0.
    stopping = Stopping(stop, history, anew=begin is not None)
    watching: list[Observer] = [history, stopping, *observers]
    if checkpoint is not None:
        path = Path(checkpoint.path)
        watching.append(
            checkpoint.of(lambda state, archive: write_checkpoint(path, state, archive, history.rows, settings, cases))
        )
    if state is not None and (reason := stopping.reason(state)):
        return Search(state, archive, history.rows, reason)
    last, reason = _watched(evolve(run, state), archive, watching, run)
    return Search(last, archive, history.rows, reason)


def _watched(states: Iterator[State], archive: Archive, observers: Sequence[Observer], run: Run) -> tuple[State, str]:
    """The state at which an observer stops the search, and the reason; an interrupt comes before all others."""
    for state in states:
        take_in(archive, state, run)
        said = [word for observer in observers if (word := observer.see(state, archive))]
        if said:
            break
    for observer in observers:
        observer.end(state, archive)
    return state, "interrupt" if "interrupt" in said else said[0]


def rehearse(cases: Cases, settings: Settings) -> None:
    """Compile or load all kernels, by two generations of a few programs, the first time in a process.

    So a time limit counts only the search: compiling takes half a minute, once per machine.
    """
    few = replace(settings, population_size=min(settings.population_size, REHEARSING), planters=(), seed=0)
    kind = (type(cases), cases.prior.form is not None, repr(few))
    if kind not in _REHEARSED:
        run = Run(cases, few)
        with helped():
            for state in evolve(run):
                if state.generation == 2:
                    break
            described(state.population.programs, run.language)
        _REHEARSED.add(kind)  # not before: an interrupt leaves kernels to compile


def continued(found: Search, cases: Cases, settings: Settings, n_jobs: int = 1) -> Search:
    """A search as the beginning of another; everyone is measured again because the cases may differ."""
    population, archive = found.state.population, Archive(settings.max_length)
    if (len(population), population.programs.width) != (settings.population_size, settings.max_length):
        raise ValueError(
            "population_size, max_length: expected those of the search that is continued, "
            f"{len(population)} and {population.programs.width}; "
            f"got {settings.population_size} and {settings.max_length}"
        )
    population.programs.validate(cases.n_leaves)
    if cases.prior.form is not None:
        cases.prior.form.check(population.programs)
    run = Run(cases, settings, n_jobs).at(found.state.generation)
    measured = run.judged(population)
    same = measured.fitness == population.fitness
    best = run.refused(run.measured(found.archive.programs.take(found.archive.taken)))
    look_closer(best, run.cases, n_jobs)
    archive.update(best)
    if same.all():
        archive.shelves = found.archive.shelves
    elif settings.scaling:
        watch(archive, run)
        for shelf in found.archive.shelves:
            archive.update(run.refused(run.measured(shelf.programs.take(shelf.taken))))
    memory = found.state.memory if same.all() else {}  # of other cases there is nothing to remember
    return Search(replace(found.state, population=measured, memory=memory), archive, list(found.rows), found.reason)
