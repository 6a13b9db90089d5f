"""Scales of the search: features and target shifted and scaled to suit float32.

Factors are powers of two, so scaling loses no digit. A feature is shifted only if its mean is far larger than its
spread. Both end up in the constants of the formula, which is always in the user's units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.data.rows import Rows
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

FAR = 1e3  # mean over spread beyond which float32 would lose too many digits
HUGE = 1e100  # magnitude whose sums of squares are still far below the largest float64
EXTREME = 1e12  # magnitude beyond which even unscaled features are scaled


@dataclass(frozen=True, slots=True)
class Scales:
    """x' = (x - x_shift) / x_scale by feature, y' = (y - y_shift) / y_scale."""

    x_shift: np.ndarray
    x_scale: np.ndarray
    y_shift: float
    y_scale: float

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, always: bool, free_target: bool = True) -> Scales:
        """Scales for data; with `always` every feature and the target are scaled, else only extreme columns.

        Without `free_target` the target keeps its zero, and its unit unless that is extreme.
        """
        x_shift, x_scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        for j in range(X.shape[1]):
            x_shift[j], x_scale[j] = _unit(X[:, j], always)
        if not free_target:
            size = float(np.abs(y).max())
            return cls(x_shift, x_scale, 0.0, 1.0 if 1.0 / EXTREME < size < EXTREME else _power_of_two(size))
        y_shift, y_scale = _unit(y, always)
        if always:
            y_shift = float(np.mean(y * 0.25) * 4.0)
            y_scale = _power_of_two(float(np.abs(y * 0.25 - y_shift * 0.25).mean() * 4.0))
        return cls(x_shift, x_scale, y_shift, y_scale)

    @classmethod
    def without_shifts(cls, X: np.ndarray, y: np.ndarray, y_shift: float | None) -> Scales:
        """Scales that keep the zero of features, and their ratios unless they are extreme; the target is shifted by
        `y_shift`, or by its mean."""
        some, all_ = cls.of(X, y, always=False), cls.of(X, y, always=True)
        return cls(np.zeros(X.shape[1]), some.x_scale, all_.y_shift if y_shift is None else y_shift, all_.y_scale)

    @classmethod
    def of_target(cls, X: np.ndarray, y: np.ndarray, free_target: bool) -> Scales:
        """Scales that keep features as they are, and divide the target by its size if it is free or that is extreme."""
        size = float(np.abs(y).max())
        scale = _power_of_two(size) if free_target or not 1.0 / EXTREME < size < EXTREME else 1.0
        return cls(np.zeros(X.shape[1]), np.ones(X.shape[1]), 0.0, scale)

    @classmethod
    def modest(cls, X: np.ndarray, y: np.ndarray) -> Scales | None:
        """Scales that keep squares and sums far from the limits of float64; None if the data needs none."""
        sizes = np.append(np.abs(X).max(axis=0), np.abs(y).max())
        extreme = (sizes > HUGE) | ((sizes > 0.0) & (sizes < 1.0 / HUGE))
        if not extreme.any():
            return None
        scales = np.array([_power_of_two(size) if e else 1.0 for size, e in zip(sizes, extreme, strict=True)])
        return cls(np.zeros(X.shape[1]), scales[:-1], 0.0, float(scales[-1]))

    def of_feature(self, j: int) -> tuple[float, float]:
        """Shift and scale of feature `j`; features beyond the columns of X are outputs fed back, in the target's
        units."""
        if j >= len(self.x_scale):
            return self.y_shift, self.y_scale
        return float(self.x_shift[j]), float(self.x_scale[j])

    def apply(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Scale first, which is exact, because differences of huge numbers would overflow.
        return X / self.x_scale - self.x_shift / self.x_scale, y / self.y_scale - self.y_shift / self.y_scale

    def scaled(self, rows: Rows) -> Rows:
        sigma = None if rows.sigma is None else rows.sigma / self.y_scale
        return Rows(*self.apply(rows.X, rows.y), rows.weight, sigma)


def unscaled(nodes: Sequence[Node], units: Scales, slope: float, intercept: float) -> list[Node]:
    """Convert a program from the search's units to the user's: scales and shifts become constants of the formula."""
    result: list[Node] = []
    for code, feature, constant in nodes:
        if code != FEATURE:
            result.append((code, feature, constant))
            continue
        shift, scale = units.of_feature(feature)
        overflows = bool(np.isinf(constant / scale))  # for subnormal data; the constant is then a separate factor
        factor = 1.0 / scale if overflows else constant / scale
        result.append((FEATURE, feature, factor))
        if shift != 0.0:
            result += [(CONSTANT, 0, factor * shift), (opcode("sub"), 0, 0.0)]
        if overflows:
            result += [(CONSTANT, 0, constant), (opcode("mul"), 0, 0.0)]
    slope, intercept = slope * units.y_scale, intercept * units.y_scale + units.y_shift
    if slope != 1.0:
        result += [(CONSTANT, 0, float(slope)), (opcode("mul"), 0, 0.0)]
    if intercept != 0.0:
        result += [(CONSTANT, 0, float(intercept)), (opcode("add"), 0, 0.0)]
    return result


def scaled(nodes: Sequence[Node], units: Scales, target: bool = True) -> list[Node]:
    """Convert a program from the user's units to the search's, the inverse of `unscaled`; without `target` the outputs
    stay in the user's units."""
    result: list[Node] = []
    for code, feature, constant in nodes:
        if code != FEATURE:
            result.append((code, feature, constant))
            continue
        shift, scale = units.of_feature(feature)
        result.append((FEATURE, feature, constant * scale))
        if shift != 0.0:
            result += [(CONSTANT, 0, constant * shift), (opcode("add"), 0, 0.0)]
    if target and units.y_shift != 0.0:
        result += [(CONSTANT, 0, units.y_shift), (opcode("sub"), 0, 0.0)]
    if target and units.y_scale != 1.0:
        result += [(CONSTANT, 0, units.y_scale), (opcode("div"), 0, 0.0)]
    return result


def _unit(x: np.ndarray, always: bool) -> tuple[float, float]:
    """Shift and scale of one column; quarters keep sums of huge values finite."""
    quarter = x * 0.25
    mean, size = float(quarter.mean()), float(np.abs(quarter).max())
    spread = float(np.abs(quarter - mean).mean())
    shift = 4.0 * mean if 0.0 < FAR * spread < abs(mean) else 0.0
    size = float(np.abs(quarter - 0.25 * shift).max())
    if not always and 1.0 / EXTREME < 4.0 * size < EXTREME:
        return shift, 1.0
    return shift, _power_of_two(4.0 * size if size < 1e300 else size) * (0.5 if always else 1.0)


def _power_of_two(size: float) -> float:
    """Largest power of two <= size, clipped so that its reciprocal is finite; 1 for 0."""
    if not 0.0 < size < np.inf:
        return 1.0 if size == 0.0 else 2.0**1000
    return float(2.0 ** np.clip(np.floor(np.log2(size)), -1000, 1000))


def size(values: np.ndarray) -> float:
    """A power of two by which squares and sums of the values stay finite; 1 unless they are huge or tiny."""
    most = float(np.abs(values).max(initial=0.0, where=np.isfinite(values)))
    return 1.0 if 1e-100 < most < 1e100 or most == 0.0 else float(np.ldexp(1.0, int(np.frexp(most)[1]) - 1))
