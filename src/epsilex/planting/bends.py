"""Bends: functions of one column with a constant inside, such as `1 / (exp(b z) - 1)` or `1 - cos(b z)`.

The constant b is looked for on a grid and refined, for each function and each transform of the target. Errors of a
transform count as much as the errors of the target they stand for, or a few rows where 1 / y is large would decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.planting.golden import RATIO
from epsilex.planting.terms import Term, apply, constant, feature
from epsilex.planting.transforms import Factor, Transform, families
from epsilex.programs.fold import Node

GRID = 48  # values of the constant
WIDTHS = (0.1, 30.0)  # range of the largest argument of the function
BENT, STEPS = 6, 24  # programs, and steps of the refinement
ROWS = 256
CURVES = ("exp", "sin", "cos", "tanh", "log")


def bent(
    Z: np.ndarray, target: np.ndarray, j: int, names: Sequence[str], size: np.ndarray | float = 1.0
) -> list[list[Node] | None]:
    """Programs with a function of b z, where z is column j of Z (rows, columns); errors of the target (rows,) count
    times `size` (rows,)."""
    Z, target, size = Z[:ROWS], target[:ROWS], np.broadcast_to(size, len(target))[:ROWS]
    z, curves = Z[:, j], [name for name in CURVES if name in names]
    if not np.ptp(z) > 0.0:
        return []
    grid = np.geomspace(*WIDTHS, GRID) / np.abs(z).max()
    square = apply("square", feature(j)) if "square" in names else apply("mul", feature(j), feature(j))
    factors: list[Factor] = [((), ())] + [side for f in (feature(j), square) for side in (((f,), ()), ((), (f,)))]
    transforms = [
        family.transform(i)
        for family in families(Z, target, factors, names, size)
        for i in np.flatnonzero(family.usable()).tolist()
    ]
    if not transforms:
        return []
    targets = _Targets.of(transforms)
    tried: list[tuple[float, int, Transform, str, float]] = []
    for name in curves:
        at = targets.closeness(_curve(name, grid, z)[:, None]).argmax(axis=0)
        who = np.flatnonzero((at > 0) & (at < GRID - 1))
        b, r = _refined(name, z, targets.take(who), grid[at[who] - 1], grid[at[who] + 1])
        tried += [(1.0 - r[i], len(tried) + i, transforms[k], name, b[i]) for i, k in enumerate(who.tolist())]
    return [
        transform.solve([_program(name, j, b)], _curve(name, np.array([b]), z))
        for _, _, transform, name, b in sorted(tried, key=lambda t: t[:2])[:BENT]
    ]


@dataclass(frozen=True)
class _Targets:
    """Transforms of the target, (targets, rows): their weights, of sum 1, and their values, centred and of unit norm
    under these weights."""

    weight: np.ndarray
    unit: np.ndarray

    @classmethod
    def of(cls, transforms: Sequence[Transform]) -> _Targets:
        values = np.array([t.values for t in transforms])
        weight = np.array([np.broadcast_to(t.root, t.values.shape) for t in transforms]) ** 2
        weight = weight / weight.sum(axis=1, keepdims=True)
        unit = values - (weight * values).sum(axis=1, keepdims=True)
        spread = np.sqrt((weight * unit**2).sum(axis=1, keepdims=True))
        return cls(weight, unit / np.where(spread > 0.0, spread, np.inf))

    def take(self, who: np.ndarray) -> _Targets:
        return _Targets(self.weight[who], self.unit[who])

    def closeness(self, curves: np.ndarray) -> np.ndarray:
        """Absolute weighted correlations with curves (..., targets or 1, rows); 0 where a curve is undefined."""
        mean = (self.weight * curves).sum(axis=-1)
        spread = (self.weight * curves**2).sum(axis=-1) - mean**2
        along = np.abs((self.weight * self.unit * curves).sum(axis=-1))
        r = along / np.sqrt(np.maximum(spread, 1e-12 * (mean**2 + spread)))
        return np.where(np.isfinite(r), np.minimum(r, 1.0), 0.0)


def _refined(
    name: str, z: np.ndarray, targets: _Targets, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each target the b between `low` and `high` whose curve is closest to it, by golden section, and how close."""
    a, b = high - RATIO * (high - low), low + RATIO * (high - low)
    at_a, at_b = (targets.closeness(_curve(name, x, z)) for x in (a, b))
    for _ in range(STEPS):
        left = at_a > at_b
        low, high = np.where(left, low, a), np.where(left, b, high)
        new = np.where(left, high - RATIO * (high - low), low + RATIO * (high - low))
        at = targets.closeness(_curve(name, new, z))
        a, b = np.where(left, new, b), np.where(left, a, new)
        at_a, at_b = np.where(left, at, at_b), np.where(left, at_a, at)
    return np.where(at_a > at_b, a, b), np.maximum(at_a, at_b)


def _curve(name: str, b: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(any, rows) values of a function of b z, for b (any,)."""
    argument = b[:, None] * z
    return np.log(1.0 + argument) if name == "log" else getattr(np, name)(argument)


def _program(name: str, j: int, b: float) -> Term:
    argument = feature(j, b)
    return apply(name, apply("add", constant(1.0), argument) if name == "log" else argument)
