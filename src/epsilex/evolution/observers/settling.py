"""Settling: on few rows a search soon finds what there is to find, and later improvements are chance."""

from __future__ import annotations

import math

import numpy as np

from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.state import State

ROWS = 500  # at most, for a search to settle
PATIENCE = 300  # generations without a shorter description
NATS = 1.0  # by which a description must be shorter to count


class Settling:
    """Ends the search once the shortest description in the archive has not improved for PATIENCE generations.

    The description is approximate: residuals by the mean error, plus the structure.
    """

    def __init__(self, n_rows: int, n_operators: int, rounding: float):
        self.n_rows, self.node, self.rounding = n_rows, math.log(n_operators + 3.0), rounding
        self.best, self.since = math.inf, 0

    def see(self, state: State, archive: Archive) -> str | None:
        taken = archive.taken
        if not len(taken):
            return None
        error = np.maximum(archive.fitness[taken], self.rounding)
        shortest = float((self.n_rows * np.log(error) + self.node * taken).min())
        if shortest < self.best - NATS:
            self.best, self.since = shortest, state.generation
        return "settled" if state.generation - self.since >= PATIENCE else None

    def end(self, state: State, archive: Archive) -> None:
        pass
