"""From an estimator's parameters to a search: its limits, its observers, and the workers it runs on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joblib import effective_n_jobs

from epsilex.data.rows import Rows
from epsilex.data.scales import Scales
from epsilex.evolution import Cases, Checkpoint, Search, Settings, Stop, continued, search
from epsilex.evolution.islands.plan import Islands, islands_of
from epsilex.evolution.islands.search import continued_islands, search_islands
from epsilex.evolution.observers import settling
from epsilex.evolution.observers.observer import Callback, Observer
from epsilex.evolution.observers.signals import Interrupt
from epsilex.interrupts import heard
from epsilex.models.choice.rules import rule_of
from epsilex.models.effort import seconds_to_answer
from epsilex.parameters import Parameters
from epsilex.pools import DaskPool, HerePool, Pool, kept_processes
from epsilex.programs.operators import own_operators

LATE, LATE_SHARE = 1.0, 0.05  # seconds, or share of the time limit: how late a fit may end
PLANNED = 0.8  # share of that lateness that the answer may take
EXACT = 1e-6  # of the target's standard deviation: error of an exact formula in float32


class Searching(Parameters):
    """The part of an estimator that runs the search."""

    search_: Search
    checkpoint_every: float
    on_interrupt: str
    progress: bool
    n_jobs: int | None
    islands: int | Islands
    dask: Any

    if TYPE_CHECKING:

        def _seen(self) -> list[str]: ...
        def _watchers(self, names: Sequence[str], units: Scales, loss: str | Callable) -> list[Callback]: ...

    def _seconds(self, began: float, rows: Rows) -> float | None:
        """Seconds for the search of a fit that began at `began`, so that the answer is there when the time is over.

        A fit may end late by LATE seconds, or by LATE_SHARE of the limit if that is more, and a part of this is planned
        for. The search has at least half of the time.
        """
        if self.time_limit is None:
            return None
        late = max(LATE, LATE_SHARE * self.time_limit)
        answer = max(0.0, seconds_to_answer(rows) - PLANNED * late)
        return max(0.5 * self.time_limit, self.time_limit - answer - (time.perf_counter() - began))

    def _search(self, cases: Cases, settings: Settings, units: Scales, target: float, seconds: float | None) -> Search:
        plan = islands_of(self.islands)
        n_jobs = effective_n_jobs(self.n_jobs or 1)
        begin = self._begin(cases, settings, plan, n_jobs)
        done = begin.state.generation if begin else 0
        generations = None if self.generations is None else self.generations + done
        exact = EXACT * float(cases.y.std()) if settings.scaling else -1.0
        stop = Stop(generations, seconds, target, exact)
        checkpoint = Checkpoint(Path(self.checkpoint), self.checkpoint_every) if self.checkpoint is not None else None
        own: list[Observer] = [*self._watchers(self._seen(), units, settings.loss)]
        settles = self.generations is None and rule_of(self.choose).settles
        if settles and settings.scaling and len(cases) <= settling.ROWS:
            own.append(settling.Settling(len(cases), len(settings.operators), max(exact, 1e-30)))
        interrupt = Interrupt(heard(), self.on_interrupt == "return")  # first, to know of the result; last, to see all
        how: dict[str, Any] = {"checkpoint": checkpoint, "resume": self._resumed(), "begin": begin}
        if plan.n == 1:
            with self._progress(stop, units) as bars:
                return search(
                    cases, settings, stop, n_jobs=n_jobs, observers=[interrupt, *bars, *own, interrupt], **how
                )
        with (
            workers(plan.n, n_jobs, self.dask) as (pool, threads),
            self._progress(stop, units, lambda: f"{plan.n} islands on {pool.slots} workers") as bars,
        ):
            return search_islands(
                cases, settings, plan, stop, pool, n_jobs=threads,
                observers=[interrupt, *bars, *own, interrupt], **how,
            )  # fmt: skip

    def _begin(self, cases: Cases, settings: Settings, plan: Islands, n_jobs: int) -> Search | None:
        """The search that this one continues."""
        if not self._continues():
            return None
        before = len(self.search_.islands) or 1
        if before != plan.n:
            raise ValueError(f"islands: expected {before}, as in the search that is continued; got {plan.n}")
        if plan.n == 1:
            return continued(self.search_, cases, settings, n_jobs)
        return continued_islands(self.search_, cases, settings, plan, n_jobs)

    def _progress(
        self, stop: Stop, units: Scales, crew: Callable[[], str] | None = None
    ) -> AbstractContextManager[Sequence[Observer]]:
        if not self.progress:
            return nullcontext(())
        from epsilex.evolution.observers.progress import progress_bar

        return progress_bar(stop, self._seen(), units, crew)


def shared_out(islands: int, n_jobs: int) -> tuple[int, int]:
    """Processes, and threads in each, for so many islands: processes first, because islands share nothing."""
    processes = min(islands, n_jobs)
    return processes, n_jobs // processes


@contextmanager
def workers(islands: int, n_jobs: int, dask: Any) -> Iterator[tuple[Pool, int]]:
    """The pool that islands run on, and threads per island: Dask's workers, processes, or this process alone."""
    processes, threads = shared_out(islands, n_jobs)
    if dask is not None:
        pool = DaskPool(dask)
        try:
            yield pool, 1
        finally:
            pool.close()
    elif processes == 1:
        yield HerePool(), threads
    else:
        with kept_processes(processes, tuple(row.name for row in own_operators())) as kept:
            yield kept, threads
