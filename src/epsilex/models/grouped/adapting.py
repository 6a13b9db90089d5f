"""Own constants of groups that a fit has not seen: tuned to their rows, while the shared constants stay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.data.groups import labels_of
from epsilex.data.noise import Noise, one_sign
from epsilex.data.rows import Rows
from epsilex.models.grouped.program import Grouped
from epsilex.models.grouped.spread import spread
from epsilex.models.grouped.tuning import Cells, tuned, values

if TYPE_CHECKING:
    from epsilex.models.model import Model

STEPS = 100


def adapted(m: Model, X: Any, y: Any) -> Model:
    """See `Model.adapted`."""
    own = m.own
    if own is None:
        raise ValueError("model: expected one with constants of groups; this one has none to tune")
    if own.column not in list(getattr(X, "columns", ())):
        raise ValueError(f"X: expected a DataFrame with the column of groups, {own.column!r}; it has none")
    labels, columns, y = labels_of(X[own.column], own.column), m._columns(X), np.asarray(y, np.float64)
    if y.shape != (len(columns),) or not (np.isfinite(columns).all() and np.isfinite(y).all()):
        raise ValueError(f"X, y: expected finite numbers, one of y per row of X, {len(columns)}; got {y.shape}")
    for label in sorted(set(labels.tolist())):
        rows = labels == label
        if rows.sum() < len(own.names):
            raise ValueError(
                f"groups: expected at least {len(own.names)} rows of {label!r}, one per constant; got {rows.sum()}"
            )
        m = _with_group(m, label, columns[rows], y[rows])
    return m


def _with_group(m: Model, label: str, X: np.ndarray, y: np.ndarray) -> Model:
    own = m.own
    assert own is not None
    known = next((one for one in own.known if one is not None), None)
    kind = "relative" if known is not None and known.noise == "relative" and one_sign(y) else "additive"
    noise = Noise.of(kind, Rows(X, y, np.ones(len(y))))
    cells = Cells(X, np.zeros(len(y), np.int64), np.zeros(1, np.int64))
    # Every known group is a start, because tuning ends in the valley where it begins.
    begun = np.column_stack([np.median(own.values, axis=1), own.values])
    programs = [Grouped(m.nodes, begun[:, [k]], X.shape[1]) for k in range(begun.shape[1])]
    best, least = None, np.inf
    for program in programs:
        found = tuned(program, cells, noise, (), STEPS)
        with np.errstate(all="ignore"):
            cost = float((noise.weight * noise.residuals(values(found, cells)) ** 2).sum())
        if cost < least:
            best, least = found, cost
    if best is None:
        raise ValueError(f"groups: expected rows on which the formula is finite; got others for {label!r}")
    _, (spreads,) = spread(best, cells, noise)
    kept = [k for k, other in enumerate(own.labels) if other != label]
    table = np.column_stack([own.values[:, kept], best.table])
    each = (*(own.known[k] for k in kept), spreads)
    return replace(m, own=replace(own, labels=(*(own.labels[k] for k in kept), label), values=table, known=each))
