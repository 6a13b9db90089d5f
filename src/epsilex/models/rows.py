"""Rows of data to score models on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of data in float64, to score models on."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
