"""The search of an estimator: its parameters to stop, watch, resume and continue by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from joblib import effective_n_jobs

from epsilex.data.scales import Scales
from epsilex.evolution import Cases, Checkpoint, Search, Settings, Stop, continued, search
from epsilex.evolution.observers import settling
from epsilex.evolution.observers.observer import Callback, Observer
from epsilex.evolution.observers.signals import Interrupt
from epsilex.interrupts import heard
from epsilex.models.choice.rules import rule_of
from epsilex.parameters import Parameters

EXACT = 1e-6  # of the target's standard deviation: error of an exact formula in float32


class Searching(Parameters):
    """The part of an estimator that runs a search."""

    search_: Search
    target_error: float
    n_jobs: int | None
    callbacks: Sequence[Callable]
    checkpoint_every: float
    on_interrupt: str
    progress: bool

    def _seen(self) -> list[str]:
        raise NotImplementedError

    def _watchers(self, names: Sequence[str], units: Scales, loss: str | Callable) -> list[Callback]:
        raise NotImplementedError

    def _search(self, cases: Cases, settings: Settings, units: Scales, target: float) -> Search:
        n_jobs = effective_n_jobs(self.n_jobs or 1)
        begin = continued(self.search_, cases, settings, n_jobs) if self._continues() else None
        done = begin.state.generation if begin else 0
        generations = None if self.generations is None else self.generations + done
        exact = EXACT * float(cases.y.std()) if settings.scaling else -1.0
        stop = Stop(generations, self.time_limit, target, exact)
        checkpoint = Checkpoint(Path(self.checkpoint), self.checkpoint_every) if self.checkpoint is not None else None
        own: list[Observer] = [*self._watchers(self._seen(), units, settings.loss)]
        settles = self.generations is None and rule_of(self.choose).settles
        if settles and settings.scaling and len(cases) <= settling.ROWS:
            own.append(settling.Settling(len(cases), len(settings.operators), max(exact, 1e-30)))
        interrupt = Interrupt(heard(), self.on_interrupt == "return")  # first, to know of the result; last, to see all
        with self._progress(stop, units) as bars:
            return search(
                cases, settings, stop, n_jobs=n_jobs, observers=[interrupt, *bars, *own, interrupt],
                checkpoint=checkpoint, resume=self._resumed(), begin=begin,
            )  # fmt: skip

    def _progress(self, stop: Stop, units: Scales) -> AbstractContextManager:
        if not self.progress:
            return nullcontext(())
        from epsilex.evolution.observers.progress import progress_bar

        return progress_bar(stop, self._seen(), units)
