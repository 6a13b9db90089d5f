"""When a search stops: after a number of generations or seconds, or once its formula is good enough."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epsilex.evolution.observers.archive import Archive
    from epsilex.evolution.state import State

PATIENCE = 100  # generations in which an exact formula may still be found in a shorter form


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop after `generations`, after `seconds`, at a fitness of `target` or less, or once the best mean absolute error
    has been `exact` or less, which is rounding only, for PATIENCE generations."""

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


class Stopping:
    """Watches a search and says why to stop. `before`: seconds already spent; `rows`: the history so far."""

    def __init__(self, stop: Stop, before: float = 0.0, rows: list[dict[str, float]] | None = None):
        self.stop = stop
        self._began = time.perf_counter() - before
        rows = rows or []
        self._exact_for = next((k for k, row in enumerate(reversed(rows)) if row["best_mae"] > stop.exact), len(rows))

    def see(self, state: State, archive: Archive) -> str | None:
        best = float(state.population.mae[state.population.best])
        self._exact_for = self._exact_for + 1 if best <= self.stop.exact else 0
        return self.reason(state)

    def reason(self, state: State) -> str | None:
        """Why to stop at this state."""
        stop = self.stop
        if stop.generations is not None and state.generation >= stop.generations:
            return "generations"
        if stop.seconds is not None and time.perf_counter() - self._began >= stop.seconds:
            return "time"
        if state.population.fitness.min() <= stop.target:
            return "target"
        return "exact" if self._exact_for >= PATIENCE else None

    def end(self, state: State, archive: Archive) -> None:
        pass
