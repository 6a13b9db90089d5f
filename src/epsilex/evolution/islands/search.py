"""A search on islands from start to stop: the loop and its observers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from epsilex.evolution.islands.checkpoint import load_islands, write_islands
from epsilex.evolution.islands.description import described, prepare
from epsilex.evolution.islands.island import Island, Packed
from epsilex.evolution.islands.joint import JointHistory, joined
from epsilex.evolution.islands.legs import Legs
from epsilex.evolution.islands.plan import Islands
from epsilex.evolution.islands.voyage import Voyage
from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.checkpoint import Checkpoint
from epsilex.evolution.observers.observer import Observer
from epsilex.evolution.observers.signals import Interrupt
from epsilex.evolution.observers.stopping import Stop, Stopping
from epsilex.evolution.search import Search, continued
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.forms.tables import Tables
from epsilex.pools import Gone, Pool


def search_islands(
    cases: Cases,
    settings: Settings,
    plan: Islands,
    stop: Stop,
    pool: Pool,
    *,
    n_jobs: int = 1,
    observers: Sequence[Observer] = (),
    checkpoint: Checkpoint | None = None,
    resume: Path | None = None,
    begin: Search | None = None,
) -> Search:
    """Run all islands until `stop` or one of the `observers` ends the search.

    Observers see the joint state at the end of each epoch. If the pool is gone, the best so far is returned, with a
    warning and the reason "cluster".
    """
    islands, rows = ([], []) if begin is None else (list(begin.islands), begin.rows)
    if resume is not None:
        islands, rows = load_islands(resume, plan, settings, cases)
    every = plan.settings_of(settings)
    with (
        nullcontext() if checkpoint is None else checkpoint.claimed(),
        described(cases, plan, every, n_jobs, pool) as description,
    ):
        if stop.seconds is not None:
            pool.everywhere(prepare, description)
        course = _Course(Voyage(pool, description, plan, islands), settings.max_length, islands, cases.prior.form)
        history = JointHistory(rows)
        stopping = Stopping(stop, history, anew=begin is not None)
        watching: list[Observer] = [stopping, *observers]
        if checkpoint is not None:
            path = Path(checkpoint.path)
            watching.append(
                checkpoint.of(lambda *_: write_islands(path, course.islands, history.rows, plan, settings, cases))
            )
        if islands and (reason := stopping.reason(course.state)):
            return course.found(history, reason)
        since = history.seconds if begin is not None else 0.0
        reason = course.run(history, Legs(stop, course.generation, history.seconds - since), watching, since)
        for observer in watching:
            observer.end(course.state, course.archive)
        return course.found(history, reason)


class _Course:
    """The islands at their last round, and what they are together."""

    state: State
    archive: Archive

    def __init__(self, voyage: Voyage, max_length: int, islands: Sequence[Packed], form: Tables | None):
        self.voyage, self.max_length, self.form = voyage, max_length, form
        self.islands: Sequence[Packed] = islands
        if islands:
            self._join()

    def _join(self) -> None:
        self.state, self.archive = joined(self.islands, self.max_length)
        self.archive.form = self.form

    @property
    def generation(self) -> int | None:
        return self.islands[0].generation if self.islands else None

    def run(self, history: JointHistory, legs: Legs, watching: Sequence[Observer], since: float) -> str:
        """Go leg by leg until somebody says stop; returns the reason."""
        interrupts = [observer for observer in watching if isinstance(observer, Interrupt)]

        def wanted() -> bool:
            return not self.islands or not any(one.see(self.state, self.archive) for one in interrupts)

        try:
            while (horizon := legs.horizon()) is not None:
                left = None if legs.latest is None or not self.islands else legs.latest - history.elapsed + since
                for islands, rows in self.voyage.rounds(horizon, wanted, left):
                    self.islands = islands
                    self._join()
                    history.add(rows)
                    said = [word for observer in watching if (word := observer.see(self.state, self.archive))]
                    if said:
                        return "interrupt" if "interrupt" in said else said[0]
                if self.generation != horizon:
                    break
                legs.reached(horizon, history.elapsed - since)
        except Gone as gone:
            if not self.islands:
                raise
            warnings.warn(f"{gone}; the best so far is returned", stacklevel=2)
            return "cluster"
        return "time" if wanted() else "interrupt"

    def found(self, history: JointHistory, reason: str) -> Search:
        return Search(self.state, self.archive, history.rows, reason, tuple(self.islands))


def continued_islands(found: Search, cases: Cases, settings: Settings, plan: Islands, n_jobs: int = 1) -> Search:
    """A search on islands as the beginning of another; everyone is measured again because the cases may differ."""
    if len(found.islands) != plan.n:
        raise ValueError(f"islands: expected {len(found.islands)}, as in the search that is continued; got {plan.n}")
    islands = []
    for packed, own in zip(found.islands, plan.settings_of(settings), strict=True):
        old = packed.island()
        new = continued(Search(old.state, old.archive, [], found.reason), cases, own, n_jobs)
        islands.append(Island(new.state, new.archive, old.parcels).packed())
    state, archive = joined(islands, settings.max_length)
    return replace(found, state=state, archive=archive, islands=tuple(islands))
