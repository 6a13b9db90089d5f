"""The data of the figures, as tidy rows; `figures` draws them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

POINTS = 200  # generations per curve after thinning; more would not be visible


WILD = 1e30  # replaces an infinite error, which cannot be drawn


def box_values(trials: pd.DataFrame, by: str, order: Sequence) -> list[np.ndarray]:
    """Test errors of each group of column `by`, in this order; infinite errors are replaced by WILD."""
    groups = {key: group["test_mae"].to_numpy(np.float64) for key, group in trials.groupby(by)}
    return [np.minimum(groups.get(key, np.array([])), WILD) for key in order]


def box_limit(values: Sequence[np.ndarray]) -> float:
    """Upper end of the axis: above the boxes and their whiskers, regardless of outliers."""
    tops = []
    for group in values:
        if len(group) and np.median(group) < WILD:
            low, median, high = np.percentile(group, [25, 50, 75])
            tops.append(min(group[group <= high + 1.5 * (high - low)].max(), 3 * median))
    return 1.15 * max(tops) if tops else 1.0


def curves(history: pd.DataFrame, value: str, by: str) -> pd.DataFrame:
    """Mean and standard error over trials of a history column: columns `by`, generation, mean, error, trials.

    Stored generations, all or some, are thinned; a group without any value (a method that uses no cases) is left out.
    """
    stored = np.unique(history["generation"])
    shown = np.union1d(stored[:: max(1, len(stored) // POINTS)], stored[-1:])
    kept = history[history["generation"].isin(shown)].dropna(subset=[value])
    found = kept.groupby([by, "generation"])[value].agg(mean="mean", error="sem", trials="size").reset_index()
    found["error"] = found["error"].fillna(0.0)
    return found


def training_curves(history: pd.DataFrame) -> pd.DataFrame:
    """Best training MAE by method and generation, in the reported units."""
    return curves(history.assign(mae=history["best_mae"] * history["target_scale"]), "mae", "method")


def case_curves(history: pd.DataFrame, by: str) -> pd.DataFrame:
    """Number of cases used in a selection event, by generation; zero cases means no selection by cases."""
    used = history[history["cases_used"] > 0]
    return curves(used.assign(cases=used["cases_used"] * used["training_cases"]), "cases", by)


def diversity_curves(history: pd.DataFrame, by: str) -> pd.DataFrame:
    """Share of distinct output vectors, in percent, by generation."""
    return curves(history.assign(percent=100 * history["diversity"]), "percent", by)
