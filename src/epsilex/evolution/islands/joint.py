"""All islands seen as one: one state, one archive, one history."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from epsilex.evolution.islands.epoch import Rows
from epsilex.evolution.islands.island import Packed
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.history import PARTS
from epsilex.evolution.population import Population, Union
from epsilex.evolution.state import State


def joined(islands: Sequence[Packed], max_length: int) -> tuple[State, Archive]:
    """The state of all islands, whose individuals follow each other, and the best programs of all.

    The state has no errors: those of an island stay where they were measured.
    """
    parts = [packed.island() for packed in islands]
    archive = Archive(max_length)
    for part in parts:
        archive.merge(part.archive if part.archive.programs.width == max_length else part.archive.widened(max_length))
    populations = [_widened(part.state.population, max_length) for part in parts]
    together = Union(*populations)
    used = np.concatenate([part.state.cases_used for part in parts])
    evaluations = sum(part.state.evaluations for part in parts)
    everyone = together.take(np.arange(len(together)))
    return State(islands[0].generation, everyone, evaluations, used), archive


def _widened(population: Population, width: int) -> Population:
    if population.programs.width == width:
        return population
    return replace(population, programs=population.programs.widened(width))


class JointHistory:
    """One row per generation, of all islands: the best of their best, the means or sums of all else.

    `island` is the island of the best individual. `seconds` are interpolated between two meetings of the islands.
    """

    def __init__(self, rows: Rows):
        self.rows = list(rows)
        self._began = time.perf_counter() - self.seconds
        self._spent: list[dict[str, float]] = []

    @property
    def seconds(self) -> float:
        """Time of the last row."""
        return self.rows[-1]["seconds"] if self.rows else 0.0

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self._began

    def add(self, found: Sequence[Rows]) -> None:
        """Add the generations that all islands have done since; `found` has the rows of each."""
        before, now, n = self.seconds, self.elapsed, len(found[0])
        spent = {part: self.rows[-1][f"seconds_{part}"] if self.rows else 0.0 for part in PARTS}
        for k, rows in enumerate(zip(*found, strict=True), 1):
            self.rows.append(_together(rows, before + (now - before) * k / n, spent))


def _together(rows: Sequence[dict[str, float]], seconds: float, spent: dict[str, float]) -> dict[str, float]:
    best = [row["best_mae"] for row in rows]
    mean = {
        name: float(np.mean([row[name] for row in rows]))
        for name in ("cases_used", "cases_used_mean", "diversity", "mean_length")
    }
    return {
        "generation": rows[0]["generation"],
        "best_mae": min(best),
        "median_mae": float(np.median([row["median_mae"] for row in rows])),
        **mean,
        "evaluations": sum(row["evaluations"] for row in rows),
        "island": best.index(min(best)),
        "seconds": seconds,
        **{f"seconds_{part}": spent[part] + sum(row[f"seconds_{part}"] for row in rows) for part in PARTS},
    }
