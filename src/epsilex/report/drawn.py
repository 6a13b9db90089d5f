"""What the page draws of each model: its curve over the data, or its partial dependence on several features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from epsilex.models import Model
from epsilex.models.dependence import features_used, most_important, partial_dependence, places_along
from epsilex.report.fit import Fit

CURVE, PLACES = 121, 41  # points of a curve, and of each of several
ROOM = 0.02  # how far a curve goes beyond the data, in its range
FEATURES = 6  # at most drawn of a model
LEVEL = 0.95


def drawn(m: Model, fit: Fit) -> dict[str, Any]:
    """The curve of a formula of one feature with its prediction band, or `parts`: one curve per feature; nothing of a
    formula with own constants per group, which has a curve for each."""
    if m.own is not None:
        return {}
    used = features_used(m)
    if len(used) <= 1:
        return _curve(m, fit, used[0]) if used else {}
    X = fit.X[~fit.held_back] if not fit.held_back.all() else fit.X
    parts = []
    for j, _ in most_important(m, X, FEATURES):
        x = places_along(X[:, j], PLACES)
        parts.append({"feature": j, "x": plains(x), "y": plains(partial_dependence(m, X, j, x))})
    return {"parts": parts} if parts else {}


def columns(models: Iterable[dict[str, Any]], X: np.ndarray) -> dict[int, list[float | None]]:
    """The columns of X that any model's drawing needs."""
    needed = {model["feature"] for model in models if "feature" in model}
    needed |= {part["feature"] for model in models for part in model.get("parts", ())}
    return {j: plains(X[:, j]) for j in sorted(needed)}


def _curve(m: Model, fit: Fit, j: int) -> dict[str, Any]:
    x = places_along(fit.X[:, j], CURVE, ROOM)
    rows = np.tile(np.median(fit.X, axis=0), (CURVE, 1))
    rows[:, j] = x
    if m.uncertainty is None or m.uncertainty.freedom < 1:
        return {"feature": j, "x": plains(x), "y": plains(m.predict(rows))}
    with np.errstate(all="ignore"):  # a formula may be undefined anywhere
        y, low, high = m.predict(rows, interval=LEVEL)
    return {"feature": j, "x": plains(x), "y": plains(y), "low": plains(low), "high": plains(high)}


def plain(value: float | None) -> float | None:
    """Rounded to the precision of a plot; None if there is nothing to show."""
    return float(f"{value:.6g}") if value is not None and np.isfinite(value) else None


def plains(values: Iterable[float]) -> list[float | None]:
    return [plain(float(value)) for value in values]
