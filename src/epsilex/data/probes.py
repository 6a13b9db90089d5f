"""Probes: rows on which a search looks for violations of statements, in its own units and in float32.

Each statement has some rows: one per point for values, two for a slope, three for the slope of a slope.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilex.data.scales import Scales
from epsilex.shapes.knowledge import Shapes
from epsilex.shapes.statements import Statement
from epsilex.shapes.verdict import points

EACH = 48  # points per statement
TOLERANCE = 1e-4  # of the target's largest value: smaller violations may be float32's


@dataclass(frozen=True, eq=False)
class Probes:
    """Rows, and which statement uses which.

    X      (rows, features) in the units of the search
    parts  statement, its value in the units of the search, and where its rows begin
    slack  violation that may be rounding
    text   differs if the statements or the box do
    """

    X: np.ndarray
    parts: tuple[tuple[Statement, float, int], ...]
    slack: float
    text: str

    @property
    def through_zero(self) -> bool:
        """Whether some value is fixed: a free offset would miss it."""
        return any(one.equal for one, _, _ in self.parts)

    def violated(self, outputs: np.ndarray) -> np.ndarray:
        """(programs,) bool, from outputs (programs, rows) on X, linear scaling included."""
        bad = np.zeros(len(outputs), bool)
        with np.errstate(all="ignore"):
            for one, value, first in self.parts:
                blocks = [outputs[:, first + EACH * k : first + EACH * (k + 1)] for k in range(one.order + 1)]
                moved = np.diff(np.stack(blocks), n=one.order, axis=0)[0]
                change = one.sign * moved - value
                good = np.abs(change) <= self.slack if one.equal else change >= -self.slack
                bad |= ~good.all(axis=1)  # NaN is never good
        return bad


def probes_of(shapes: Shapes, X: np.ndarray, units: Scales) -> Probes:
    """The probes of statements, for a search in these units; columns of X after those of the statements stand for
    groups, one of which each probe belongs to."""
    rows: list[np.ndarray] = []
    parts = []
    d = len(shapes.box)
    base = points(shapes.box, X[:, :d], EACH)
    if X.shape[1] > d:
        groups = np.unique(X[:, d:], axis=0)
        base = np.column_stack([base, groups[np.arange(EACH) % len(groups)]])
    rng = np.random.default_rng(1)
    for one in shapes.known:
        first = EACH * len(rows)
        if one.order == 0:
            at = base.copy()
            for column, value in one.pins:
                at[:, column] = value
            rows.append(at)
        else:
            side = shapes.box[one.feature]
            ends = np.sort(side.lo + (side.hi - side.lo) * rng.random((2, EACH)), axis=0)
            for share in (0.0, 1.0) if one.order == 1 else (0.0, 0.5, 1.0):
                at = base.copy()
                at[:, one.feature] = ends[0] + share * (ends[1] - ends[0])
                rows.append(at)
        sign = 1.0 if one.equal else one.sign
        bound = sign * (one.value * sign / units.y_scale - units.y_shift / units.y_scale) if one.order == 0 else 0.0
        parts.append((one, bound, first))
    scaled = units.apply(np.vstack(rows), np.zeros(1))[0]
    text = repr((shapes.known, shapes.box))
    return Probes(scaled, tuple(parts), TOLERANCE * shapes.size / units.y_scale, text)
