"""History: one row per generation, recorded during the search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.observers.clock import Clock
from epsilex.evolution.state import State

if TYPE_CHECKING:
    import pandas as pd

    from epsilex.evolution.observers.archive import Archive

PARTS = ("select", "vary", "evaluate", "tune", "survive")


class History:
    """The rows of a search, after those of the search it continues."""

    def __init__(self, clock: Clock, rows: list[dict[str, float]] | None = None):
        self.rows = list(rows or [])
        self._clock = clock
        clock.begin_with({part: self.rows[-1][f"seconds_{part}"] for part in PARTS} if self.rows else {})
        self._began = time.perf_counter() - self.seconds

    @property
    def seconds(self) -> float:
        """Time of the last row."""
        return self.rows[-1]["seconds"] if self.rows else 0.0

    def see(self, state: State, archive: Archive) -> None:
        self.rows.append(row(state, time.perf_counter() - self._began, self._clock.seconds()))

    def end(self, state: State, archive: Archive) -> None:
        pass


def row(state: State, seconds: float, spent: dict[str, float]) -> dict[str, float]:
    """The history row of a state.

    cases_used is the median over selection events of the share of cases used, cases_used_mean the mean; diversity is
    the share of distinct output vectors; `spent` are the seconds spent on each part so far.
    """
    population = state.population
    used = state.cases_used
    return {
        "generation": state.generation,
        "best_mae": float(population.mae[population.best]),
        "median_mae": float(np.median(population.mae)),
        "cases_used": float(np.median(used)) if used.size else 0.0,
        "cases_used_mean": float(used.mean()) if used.size else 0.0,
        "diversity": len(np.unique(population.outputs)) / len(population),
        "mean_length": float(population.programs.length.mean()),
        "evaluations": state.evaluations,
        "seconds": seconds,
        **{f"seconds_{part}": spent.get(part, 0.0) for part in PARTS},
    }


def frame(rows: list[dict[str, float]]) -> pd.DataFrame:
    """The rows as a DataFrame."""
    import pandas as pd

    return pd.DataFrame(rows).astype({"generation": int, "evaluations": int})
