"""Rows of data to score models on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of data in float64, to score models on.

    sigma  (rows,) standard errors of y, where they are known
    """

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    sigma: np.ndarray | None = None

    def take(self, index: np.ndarray) -> Rows:
        """The rows at `index`."""
        sigma = None if self.sigma is None else self.sigma[index]
        return Rows(self.X[index], self.y[index], self.weight[index], sigma)
