"""Columns of errors for the kernels of selection."""

from __future__ import annotations

import numpy as np

KINDS = [np.float32, np.float64]


def shapes(n, kind, seed=0):
    """Errors as populations have them: spread, tied, concentrated, of all magnitudes, with outliers."""
    rng = np.random.default_rng(seed)
    outliers = rng.random(n)
    outliers[:: max(1, n // 3)] = float(np.finfo(np.float32).max)
    everything = {
        "uniform": rng.random(n),
        "tied": rng.integers(0, 4, n) * 0.25,
        "constant": np.full(n, 0.7),
        "zeros": np.where(rng.random(n) < 0.6, 0.0, rng.random(n)),
        "magnitudes": 10.0 ** rng.uniform(-44, 38, n),
        "outliers": outliers,
        "ascending": np.arange(n) / n,
        "descending": np.arange(n)[::-1] / n,
        "close": 1.0 + np.arange(n) * float(np.finfo(kind).eps),
    }
    return {name: v.astype(kind) for name, v in everything.items()}
