"""Run the remaining trials, store each as it ends, retry failing ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any, Protocol

from epsilex.experiments.store import Store
from epsilex.experiments.trials import Outcome, Trial, run_trial
from epsilex.pools import DaskPool, ProcessPool
from epsilex.problems import Problem

ATTEMPTS = 3  # one, and two retries


class Watcher(Protocol):
    """Receives the events of a run."""

    def started(self, trial: Trial) -> None: ...
    def ended(self, trial: Trial, outcome: Outcome, final: bool) -> None: ...
    def tick(self) -> None: ...


def run(
    left: Sequence[Trial],
    problems: Mapping[str, Problem],
    store: Store,
    pool: ProcessPool | DaskPool,
    watcher: Watcher,
    work: Callable[[Trial, Problem], Outcome] = run_trial,
) -> int:
    """Run the trials `left`; returns how many failed for good."""
    waiting = deque((trial, 1) for trial in left)
    running: dict = {}
    failed = 0
    while waiting or running:
        while waiting and pool.free:
            trial, attempt = waiting.popleft()
            running[pool.submit(work, trial, problems[trial.problem])] = trial, attempt
            watcher.started(trial)
        watcher.tick()
        for future in pool.collect(timeout=0.5):
            trial, attempt = running.pop(future)
            outcome = _outcome(future)
            store.add(trial, outcome, attempt)
            again = outcome.error is not None and attempt < ATTEMPTS
            if again:
                waiting.append((trial, attempt + 1))
            elif outcome.error is not None:
                failed += 1
            watcher.ended(trial, outcome, final=not again)
    return failed


def _outcome(future: Any) -> Outcome:
    """The trial's outcome, or the error of a worker that died."""
    error = CancelledError() if future.cancelled() else future.exception()
    return future.result() if error is None else Outcome(error=f"the worker died: {type(error).__name__}: {error}")
