"""Whether the held-back rows agree with the choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epsilex.data.scales import size
from epsilex.models import Model

CLEAR = 3.0  # standard errors of the difference
MATTERS = 0.8  # of the squared error: less than a fifth better is no disagreement
LEAST = 5  # held-back rows needed to say anything


def disagreement(models: Sequence[Model], chosen: int, X: Any, y: np.ndarray, held_back: np.ndarray) -> str:
    """A sentence if another model of the front has a clearly smaller error on the held-back rows, else ""."""
    if held_back.sum() < LEAST:
        return ""
    squares = [_squares(m, X[held_back], y[held_back], size(y)) for m in models]
    mine = squares[chosen]
    if not np.isfinite(mine).all():
        return "On the held-back rows it is not defined everywhere."
    best, gain = chosen, 0.0
    for i, theirs in enumerate(squares):
        difference = mine - theirs
        if not np.isfinite(difference).all() or not theirs.mean() < MATTERS * mine.mean():
            continue
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        if difference.mean() > CLEAR * error and difference.mean() > gain:
            best, gain = i, float(difference.mean())
    if best == chosen:
        return ""
    less = 1.0 - np.sqrt(squares[best].mean() / mine.mean())
    return f"The held-back rows disagree: on them {models[best].formula} errs {less:.0%} less."


def _squares(m: Model, X: Any, y: np.ndarray, unit: float) -> np.ndarray:
    with np.errstate(all="ignore"):
        return (y / unit - m.predict(X) / unit) ** 2
