"""Shadow rows: likely rows that the data does not have, to find formulas that go wild between and just beyond the rows
it has.

A shadow row is a training row some of whose values are exchanged for those of other rows, or put a little beyond their
range. Nothing is known of the target there, but a formula that is undefined on such rows, or leaves the target's range
by more than its whole width, has a pole or an explosion waiting where the next rows may fall: it is not `tame`, and
counts as less fit.
"""

from __future__ import annotations

import numpy as np

ROWS = 128  # run with every program; a front is scored on FINAL_ROWS
FINAL_ROWS = 4096
CELLS = 2_000_000  # of shadow rows times features, so that many features mean fewer rows, but not fewer than ROWS
UNTAMED = 1.25  # what the fitness of an untamed program is multiplied by, where programs compete
EXCHANGED = 0.5  # share of a row's values that come from other rows
EXTREME = 0.15  # share that is an extreme of its column, at most one a row on average
STRETCH = 0.25  # extremes lie beyond the data's by this share of the distance to the 5% quantiles
NOISE = 0.1  # of the largest value: how far on the other side of 0 a target may be that is positive but for noise
GROWTH = 10.0  # times its largest value, that a positive target may grow to at most


def shadow_rows(X: np.ndarray, seed: int, n: int = ROWS) -> np.ndarray:
    """`n` shadow rows of X (rows, features), fewer where the features are very many."""
    rng = np.random.Generator(np.random.Philox(key=[seed, 2**32]))
    n_features = X.shape[1]
    n = min(n, max(ROWS, CELLS // n_features))
    rows = X[rng.integers(len(X), size=n)]
    others = np.take_along_axis(X, rng.integers(len(X), size=(n, n_features)), axis=0)
    rows = np.where(rng.random(rows.shape) < EXCHANGED, others, rows)
    low, q05, q95, high = np.quantile(X, [0.0, 0.05, 0.95, 1.0], axis=0)
    chance = 0.5 * min(EXTREME, 1.0 / n_features)
    u = rng.random(rows.shape)
    rows = np.where(u < chance, low - STRETCH * (q05 - low), rows)
    return np.where(u > 1.0 - chance, high + STRETCH * (high - q95), rows)


def limits(y: np.ndarray, zero: float = 0.0) -> tuple[float, float]:
    """The values a tame program keeps to: the target's range, with its whole width on either side, or more where it
    lies on one side of the user's 0.

    Such a target may be a product of powers, and what it is where all factors are large the data may not have seen.
    """
    low, high = float(y.min()), float(y.max())
    return low - max(high - low, _growth(zero - y)), high + max(high - low, _growth(y - zero))


def _growth(y: np.ndarray) -> float:
    """By how much a positive target may go beyond its largest value: to as many times that as it is the median."""
    middle, high = float(np.median(y)), float(y.max())
    if middle <= 0.0 or float(y.min()) < -NOISE * high:
        return 0.0
    return high * (min(high / middle, GROWTH) - 1.0)
