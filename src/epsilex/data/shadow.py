"""Shadow rows: plausible rows that the data does not have, to find formulas that go wild between or just beyond its
rows.

A shadow row is a training row with some values taken from other rows, or moved a little beyond their range. The target
is unknown there. But a formula that is undefined on such rows, or leaves the target's range by more than its whole
width, probably has a pole where new rows may fall. It is not `tame` and counts as less fit.
"""

from __future__ import annotations

import numpy as np

ROWS = 128  # run with every program; a front is scored on FINAL_ROWS
FINAL_ROWS = 4096
CELLS = 2_000_000  # shadow rows times features, at most: many features mean fewer rows, but never fewer than ROWS
UNTAMED = 1.25  # factor on the fitness of an untamed program when programs compete
EXCHANGED = 0.5  # share of a row's values that come from other rows
EXTREME = 0.15  # share of values set to an extreme of their column, at most one per row on average
QUANTILE_ROWS = 20_000  # rows, at least, from which the 5% quantiles of very many rows are taken
STRETCH = 0.25  # extremes lie beyond the data's by this share of their distance to the 5% quantiles
NOISE = 0.1  # of the largest value: how far below 0 noise may push a positive target
GROWTH = 10.0  # times its largest value: upper limit on the growth of a positive target


def shadow_rows(X: np.ndarray, seed: int, n: int = ROWS) -> np.ndarray:
    """`n` shadow rows of X (rows, features), fewer if there are very many features."""
    rng = np.random.Generator(np.random.Philox(key=[seed, 2**32]))
    n_features = X.shape[1]
    n = min(n, max(ROWS, CELLS // n_features))
    rows = X[rng.integers(len(X), size=n)]
    others = np.take_along_axis(X, rng.integers(len(X), size=(n, n_features)), axis=0)
    rows = np.where(rng.random(rows.shape) < EXCHANGED, others, rows)
    low, high = X.min(axis=0), X.max(axis=0)
    q05, q95 = np.quantile(X[:: 1 + len(X) // QUANTILE_ROWS], [0.05, 0.95], axis=0)
    chance = 0.5 * min(EXTREME, 1.0 / n_features)
    u = rng.random(rows.shape)
    rows = np.where(u < chance, low - STRETCH * (q05 - low), rows)
    return np.where(u > 1.0 - chance, high + STRETCH * (high - q95), rows)


def limits(y: np.ndarray, zero: float = 0.0) -> tuple[float, float]:
    """The range of a tame program: the target's range extended by its whole width on either side, or by more if the
    target lies on one side of the user's 0.

    Such a target may be a product of powers, and the data may not include rows where all factors are large.
    """
    low, high = float(y.min()), float(y.max())
    return low - max(high - low, _growth(zero - y)), high + max(high - low, _growth(y - zero))


def _growth(y: np.ndarray) -> float:
    """How far a positive target may exceed its largest value: up to largest / median times that value."""
    middle, high = float(np.median(y)), float(y.max())
    if middle <= 0.0 or float(y.min()) < -NOISE * high:
        return 0.0
    return high * (min(high / middle, GROWTH) - 1.0)
