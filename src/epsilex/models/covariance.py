"""The covariance of fitted constants, from the slopes of the outputs by them."""

from __future__ import annotations

import numpy as np

SMALLEST = 1e-12  # of the largest eigenvalue: directions below it are not determined by the rows


@np.errstate(all="ignore")
def covariance_of(slopes: np.ndarray) -> np.ndarray:
    """Inverse (constants, constants) of slopes.T @ slopes, for finite slopes (rows, constants) in units of the noise.

    They are scaled to equal norm first, because constants have all sizes. The covariance of a constant is 0 if its
    slopes are, or if their norm is beyond float64.
    """
    size = np.sqrt((slopes**2).sum(axis=0))
    size[size == 0.0] = 1.0
    unit = slopes / size
    return np.linalg.pinv(unit.T @ unit, rcond=SMALLEST, hermitian=True) / size / size[:, None]
