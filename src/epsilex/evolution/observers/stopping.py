"""When a search stops: after a number of generations or seconds, or once its formula is good enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

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


class Timed(Protocol):
    """A history: its rows, and the time of the last one."""

    rows: list[dict[str, float]]

    @property
    def seconds(self) -> float: ...


class Stopping:
    """Watches a search by its history and says why to stop. With `anew`, time spent before does not count."""

    def __init__(self, stop: Stop, history: Timed, anew: bool = False):
        self.stop, self._history = stop, history
        self._since = history.seconds if anew else 0.0

    def see(self, state: State, archive: Archive) -> str | None:
        return self.reason(state)

    def reason(self, state: State) -> str | None:
        """Why to stop at this state."""
        stop, rows = self.stop, self._history.rows
        if stop.generations is not None and state.generation >= stop.generations:
            return "generations"
        if stop.seconds is not None and self._history.seconds - self._since + 0.5 * self._pace >= stop.seconds:
            return "time"  # one more generation would end farther from the limit than this one has
        if state.population.fitness.min() <= stop.target:
            return "target"
        if len(rows) >= PATIENCE and all(row["best_mae"] <= stop.exact for row in rows[-PATIENCE:]):
            return "exact"
        return None

    @property
    def _pace(self) -> float:
        """Seconds of the last generation."""
        rows = self._history.rows
        return rows[-1]["seconds"] - rows[-2]["seconds"] if len(rows) > 1 else 0.0

    def end(self, state: State, archive: Archive) -> None:
        pass
