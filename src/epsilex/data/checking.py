"""What only data can tell about parameters: names of features, weights of rows, standard errors of the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from epsilex.data.noise import one_sign


def check_names(names: Sequence[str]) -> None:
    """Check that names are unique, because formulas refer to features by name only."""
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise ValueError(f"X: expected columns of different names; got {', '.join(map(repr, repeated))} more than once")


def checked_weights(sample_weight: Any, X: np.ndarray) -> np.ndarray:
    """Weights (rows,) in float64, one of which is above 0; extreme ones are scaled."""
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weight.max() > 0:
        raise ValueError("sample_weight: expected at least one weight above 0; got all zero")
    return weight if 1e-100 < weight.max() < 1e100 else weight / weight.max()


def standard_errors(noise: Any, y: np.ndarray) -> np.ndarray | None:
    """Standard errors of y, if `noise` gives them; a ValueError if that noise is impossible."""
    if not isinstance(noise, str):
        sigma = np.asarray(noise, np.float64)
        if sigma.shape != y.shape:
            raise ValueError(f"noise: expected one standard error per row, shape {y.shape}; got {sigma.shape}")
        bad = np.flatnonzero(~(np.isfinite(sigma) & (sigma > 0.0)))
        if len(bad):
            raise ValueError(
                f"noise: expected standard errors above 0; got {sigma[bad[0]]} at row {bad[0]}, "
                f"{len(bad)} of {len(y)} such"
            )
        return sigma
    if noise == "relative" and not one_sign(y):
        raise ValueError(
            f"noise: expected a target of one sign for relative noise; got values from {y.min():g} to {y.max():g}"
        )
    return None
