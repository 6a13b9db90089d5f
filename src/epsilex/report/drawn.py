"""What the page draws of each model: its curve over the data, or its partial dependence on several features."""

from __future__ import annotations

import dataclasses
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
    """The curve of a formula of one feature with its prediction band, or `parts`: one curve per feature. A formula of
    one feature with constants per group has `groups`: a curve for each."""
    n = len(m.feature_names)
    used = [j for j in features_used(m) if j < n]
    if len(used) <= 1:
        return _curves(m, fit, used[0]) if used else {}
    X = fit.X if m.own is None else np.column_stack([fit.X, m.own.of_rows(fit.rows_for(m))])
    X = X[~fit.held_back] if not fit.held_back.all() else X
    m = dataclasses.replace(m, feature_names=m.column_names, own=None)
    parts = []
    for j, _ in [item for item in most_important(m, X, FEATURES + len(m.feature_names) - n) if item[0] < n][:FEATURES]:
        x = places_along(X[:, j], PLACES)
        parts.append({"feature": j, "x": plains(x), "y": plains(partial_dependence(m, X, j, x))})
    return {"parts": parts} if parts else {}


def columns(models: Iterable[dict[str, Any]], X: np.ndarray) -> dict[int, list[float | None]]:
    """The columns of X that any model's drawing needs."""
    needed = {model["feature"] for model in models if "feature" in model}
    needed |= {part["feature"] for model in models for part in model.get("parts", ())}
    return {j: plains(X[:, j]) for j in sorted(needed)}


def _curves(m: Model, fit: Fit, j: int) -> dict[str, Any]:
    x = places_along(fit.X[:, j], CURVE, ROOM)
    rows = np.tile(np.median(fit.X, axis=0), (CURVE, 1))
    rows[:, j] = x
    shown = {"feature": j, "x": plains(x)}
    if m.own is None:
        return shown | _curve(m, rows)
    present = set(fit.groups[1]) if fit.groups is not None else set()
    labels = [label for label in m.own.labels if label in present]
    return shown | {"groups": [{"label": label, **_curve(m.group(label), rows)} for label in labels]}


def _curve(m: Model, rows: np.ndarray) -> dict[str, Any]:
    if m.uncertainty is None or m.uncertainty.freedom < 1:
        return {"y": plains(m.predict(rows))}
    with np.errstate(all="ignore"):  # a formula may be undefined anywhere
        y, low, high = m.predict(rows, interval=LEVEL)
    return {"y": plains(y), "low": plains(low), "high": plains(high)}


def plain(value: float | None) -> float | None:
    """Rounded to the precision of a plot; None if there is nothing to show."""
    return float(f"{value:.6g}") if value is not None and np.isfinite(value) else None


def plains(values: Iterable[float]) -> list[float | None]:
    return [plain(float(value)) for value in values]
