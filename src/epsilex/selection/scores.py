"""Tournaments on a score, which is minimised: the part that methods with a fitness of their own share."""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, alive, generator

DRAW = 0  # purpose


def by_tournament(score: np.ndarray, n: int, address: Address, tournament_size: int, eligible=None) -> np.ndarray:
    """Indices of `n` winners: the least score of `tournament_size` individuals, drawn with replacement from those with
    a finite score, or from the `eligible` (individuals,) bool."""
    if not isinstance(tournament_size, (int, np.integer)) or tournament_size < 1:
        raise ValueError(f"tournament_size: expected an integer of at least 1; got {tournament_size!r}")
    who = np.flatnonzero(alive(score) if eligible is None else eligible)
    drawn = generator(address, DRAW).choice(who, size=(n, tournament_size))
    winner = np.argmin(np.where(np.isfinite(score), score, np.inf)[drawn], axis=1)
    return drawn[np.arange(n), winner]
