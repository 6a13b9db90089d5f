"""A problem: data, a rule that splits it into training and test rows, and its provenance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Split:
    """One side of a partition, z-scored unless its problem says otherwise.

    X         (rows, features) float64
    y         (rows,) float64
    weight    (rows,) of 0 and 1, or None: all rows count. A dynamic problem keeps every row in time order on
              both sides; the weight says which of them are its cases.
    measured  (rows,) bool, or None: False where the data file holds a filled-in value instead of a measured one
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None
    measured: np.ndarray | None = None

    @property
    def cases(self) -> int:
        """Number of rows that count."""
        return len(self.y) if self.weight is None else int(self.weight.sum())

    def mae(self, prediction: np.ndarray, only_measured: bool = False) -> float:
        """Mean absolute error over the rows that count; infinite when a prediction is not finite."""
        counts = np.ones(len(self.y), bool) if self.weight is None else self.weight > 0
        if only_measured and self.measured is not None:
            counts &= self.measured
        error = float(np.mean(np.abs(self.y[counts] - np.asarray(prediction, np.float64)[counts])))
        return error if np.isfinite(error) else np.inf


@dataclass(frozen=True, eq=False)
class Problem:
    """A regression problem in raw units; `split` returns its two sides, z-scored if the problem says so.

    X             (rows, features) float64, raw
    y             (rows,) float64, raw
    partition     function (problem, rng) -> (train, test)
    z_scored      splits are z-scored; else in raw units
    raw_errors    errors are reported in the target's units instead of its standard deviations
    dynamic       rows are in time order and the model reads its own last output
    measured      (rows,) bool, or None: all values were measured
    rebuilt       the data is a reconstruction: its results are not comparable with the published ones
    notes         what a reader of the results must know about the data
    """

    name: str
    title: str
    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    sha256: str
    partition: Callable[[Problem, np.random.Generator], tuple[Split, Split]]
    source: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    z_scored: bool = True
    raw_errors: bool = False
    dynamic: bool = False
    measured: np.ndarray | None = None
    rebuilt: bool = False

    def split(self, seed: int) -> tuple[Split, Split]:
        """Training and test side of the partition that `seed` draws: the same seed, the same partition."""
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise ValueError(f"seed: expected an integer of at least 0; got {seed!r}")
        return self.partition(self, np.random.default_rng(int(seed)))

    @property
    def target_scale(self) -> float:
        """Factor from the errors of a split to the reported errors."""
        return self._y_scale if self.z_scored and self.raw_errors else 1.0

    def scaled(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows in raw units converted to those of a split: z-scored by mean and standard deviation of the whole set."""
        if not self.z_scored:
            return X, y
        return (X - self.X.mean(axis=0)) / self._X_scale, (y - self.y.mean()) / self._y_scale

    # The authors use the standard deviation with n - 1.
    @cached_property
    def _X_scale(self) -> np.ndarray:
        scale = self.X.std(axis=0, ddof=1)
        return np.where(scale > 0, scale, 1.0)

    @cached_property
    def _y_scale(self) -> float:
        return float(self.y.std(ddof=1)) or 1.0
