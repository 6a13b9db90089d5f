"""How a formula depends on single features: its curve, and its partial dependence.

J. Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001, section 8.2.
"""

from __future__ import annotations

import numpy as np

from epsilex.models.model import Model
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import FEATURE

ROWS = 200  # over which a prediction is averaged


def features_used(m: Model) -> list[int]:
    """Columns that the formula contains, ascending."""
    return sorted({feature for code, feature, _ in m.nodes if code == FEATURE})


def most_important(m: Model, X: np.ndarray, most: int) -> list[tuple[int, float]]:
    """Columns that change the predictions on X, with their importance, the greatest first."""
    found = m.importance(some_of(X), n_repeats=2)
    values = [(j, found[name]) for j, name in enumerate(m.feature_names) if found[name] > 0.0]
    return sorted(values, key=lambda item: -item[1])[:most]


def partial_dependence(m: Model, X: np.ndarray, feature: int, places: np.ndarray) -> np.ndarray:
    """(places,) mean prediction over rows of X with one feature set to each place; NaN where one is not finite."""
    rows = some_of(X)
    grid = np.tile(rows, (len(places), 1))
    grid[:, feature] = np.repeat(places, len(rows))
    with np.errstate(all="ignore"):  # a formula may be undefined anywhere
        means = evaluate64(m.nodes, grid).reshape(len(places), len(rows)).mean(axis=1)
    return np.where(np.isfinite(means), means, np.nan)


def some_of(X: np.ndarray) -> np.ndarray:
    """At most ROWS rows, evenly spread."""
    return X[np.unique(np.linspace(0, len(X) - 1, min(ROWS, len(X))).astype(int))]


def places_along(x: np.ndarray, n: int, room: float = 0.0) -> np.ndarray:
    """(n,) places over the range of a column, with this share of it as room at both ends; the room does not reach
    beyond zero, where a column of one sign may make no sense."""
    low, high = float(x.min()), float(x.max())
    more = room * (high - low) or (0.5 if room and low == high else 0.0)
    first = max(low - more, 0.0) if low >= 0.0 else low - more
    last = min(high + more, 0.0) if high <= 0.0 else high + more
    return np.linspace(first, last, n)
