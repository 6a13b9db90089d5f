"""Noise: how measured values scatter around a formula, as a density of the target.

additive  y = f + s e          the same scatter s everywhere
relative  log y = log f + s e  the same share of each value, as with most instruments; y and f of one sign
given     y = f + s_i e        standard errors s_i known to the user; the scatter may be larger by a common factor,
                              never smaller

All three are densities of y, so their lengths in nats are comparable: the shortest decides which noise it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epsilex.data.rows import Rows

KINDS = ("additive", "relative", "given")
ROUNDING = 1e-24  # share of the variance that is rounding, not information


@dataclass(frozen=True, eq=False)
class Noise:
    """Noise of one kind on rows of data.

    weight  (rows,) of mean 1, or inverse variances if standard errors are given
    """

    kind: str
    y: np.ndarray
    weight: np.ndarray
    floor: float

    @classmethod
    def of(cls, kind: str, rows: Rows) -> Noise:
        weight = rows.weight / rows.weight.mean()
        if kind == "given":
            assert rows.sigma is not None
            weight = weight / rows.sigma**2
        middle = np.average(rows.y, weights=weight)
        variance = float(np.average((rows.y - middle) ** 2, weights=weight))
        floor = ROUNDING * (variance if kind == "additive" else 1.0)
        return cls(kind, rows.y, weight, floor if floor > 0.0 else 1e-300)

    def take(self, rows: np.ndarray | slice) -> Noise:
        """The noise on some of the rows."""
        return Noise(self.kind, self.y[rows], self.weight[rows], self.floor)

    def residuals(self, out: np.ndarray) -> np.ndarray:
        """(rows,) residuals on the noise's scale; NaN where relative noise is impossible."""
        if self.kind != "relative":
            return self.y - out
        with np.errstate(all="ignore"):
            return np.log(self.y / out)

    def predicted(self, residuals: np.ndarray) -> np.ndarray:
        """(rows,) predictions that leave these residuals."""
        if self.kind != "relative":
            return self.y - residuals
        with np.errstate(all="ignore"):
            return self.y * np.exp(-residuals)

    def slopes(self, out: np.ndarray, jacobian: np.ndarray) -> np.ndarray:
        """Derivatives (rows, constants) of the prediction on the noise's scale."""
        if self.kind != "relative":
            return jacobian
        with np.errstate(all="ignore"):
            return jacobian / out[:, None]

    def variance(self, residuals: np.ndarray) -> float:
        """Maximum-likelihood variance of the scatter, per unit of weight."""
        return max(self._mean_square(residuals), 1.0 if self.kind == "given" else self.floor)

    def _mean_square(self, residuals: np.ndarray) -> float:
        """Infinite where the squares overflow."""
        with np.errstate(over="ignore"):
            return float((self.weight * residuals**2).mean())

    def nats(self, residuals: np.ndarray) -> float:
        """Negative logarithm of the density of y."""
        n, square = len(residuals), self._mean_square(residuals)
        variance = max(square, 1.0 if self.kind == "given" else self.floor)
        if not np.isfinite(variance):
            return np.inf
        square = max(square, self.floor if self.kind != "given" else 0.0)
        total = 0.5 * n * (np.log(2.0 * np.pi * variance) + square / variance) - 0.5 * self._log_weight
        return float(total + self._log_size) if self.kind == "relative" else float(total)

    @cached_property
    def _log_weight(self) -> float:
        return np.log(self.weight).sum()

    @cached_property
    def _log_size(self) -> float:
        return np.log(np.abs(self.y)).sum()


def possible(wanted: str, rows: Rows) -> list[Noise]:
    """The kinds of noise that are requested and that the target allows, additive before relative."""
    if rows.sigma is not None:
        return [Noise.of("given", rows)]
    kinds = ["additive", "relative"] if wanted == "auto" else [wanted]
    if wanted == "auto" and not one_sign(rows.y):
        kinds = ["additive"]
    return [Noise.of(kind, rows) for kind in kinds]


def search_weight(rows: Rows, wanted: str) -> np.ndarray:
    """Weights (rows,) in a search that knows only additive noise, from what is known of the scatter of each row."""
    if rows.sigma is not None:
        return rows.weight * (rows.sigma.min() / rows.sigma) ** 2
    if wanted == "relative":
        return rows.weight * (np.abs(rows.y).min() / rows.y) ** 2
    return rows.weight


def one_sign(y: np.ndarray) -> bool:
    """Whether the target has one sign, which relative noise requires."""
    return bool((y > 0.0).all() or (y < 0.0).all())
