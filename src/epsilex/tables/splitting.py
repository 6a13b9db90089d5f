"""Rows held back from a search."""

from __future__ import annotations

import numpy as np

LEAST = 4  # rows of a group that are not held back
FEW = 40  # rows, below which none are held back: a quarter says little, and the choice of a formula needs them all


def held_back_rows(n: int, share: float, seed: int, labels: np.ndarray | None = None) -> np.ndarray:
    """Which of `n` rows are held back, drawn at random, (n,) bool; none if `n` is below FEW.

    With `labels` of groups (n,), the search knows LEAST rows of each group, if it has so many.
    """
    held_back = np.zeros(n, bool)
    if n < FEW:
        return held_back
    held_back[np.random.default_rng(seed).permutation(n)[: round(share * n)]] = True
    for label in () if labels is None else sorted(set(labels.tolist())):
        rows = np.flatnonzero(labels == label)
        taken = rows[held_back[rows]]
        held_back[taken[: max(0, LEAST - (len(rows) - len(taken)))]] = False
    return held_back
