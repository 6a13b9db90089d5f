"""Statistics on tidy rows: a DataFrame with one row per trial and the columns problem, method, test_mae, cpu_seconds.

Everything is computed from the rows only, by SciPy and scikit-posthocs where possible.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

SIGNIFICANT = 0.05
REFERENCE = "tournament"


def rebuilt(problems: pd.DataFrame) -> set[str]:
    """The problems whose data is not the paper's: those marked in the column `rebuilt`, if it exists."""
    return set(problems.index[problems["rebuilt"].astype(bool)]) if "rebuilt" in problems else set()


def medians(rows: pd.DataFrame) -> pd.DataFrame:
    """Median best-of-run test MAE; index method, columns problem, NaN where there is no trial."""
    return rows.groupby(["method", "problem"])["test_mae"].median().unstack()


def median_interval(
    values: np.ndarray, level: float = 0.95, resamples: int = 9999, seed: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap interval of a median; NaN for fewer than 3 values, for which it is meaningless."""
    from scipy.stats import bootstrap

    values = np.asarray(values, np.float64)
    if len(values) < 3:
        return np.nan, np.nan
    with np.errstate(invalid="ignore"):  # errors may be infinite
        found = bootstrap(
            (values,), np.median, n_resamples=resamples, confidence_level=level, method="percentile",
            rng=np.random.default_rng(seed), axis=-1, vectorized=True,
        )  # fmt: skip
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per cell: problem, method, trials, median, low, high (95% bootstrap interval of the median)."""
    cells = []
    for (problem, method), group in rows.groupby(["problem", "method"]):
        values = group["test_mae"].to_numpy()
        cells.append((problem, method, len(values), float(np.median(values)), *median_interval(values)))
    return pd.DataFrame(cells, columns=["problem", "method", "trials", "median", "low", "high"])


def effect_size(values: np.ndarray, others: np.ndarray) -> float:
    """Vargha and Delaney's A: chance that a trial of `values` has the lower error, ties counted half.

    0.5 is no difference, 1 always better, 0 always worse.
    """
    values, others = np.asarray(values)[:, None], np.asarray(others)[None, :]
    return float(np.mean((values < others) + 0.5 * (values == others)))


def magnitude(effect: float) -> str:
    """The usual word for an A, by its distance from 0.5 (Vargha and Delaney 2000); empty for NaN."""
    if math.isnan(effect):
        return ""
    distance = round(abs(effect - 0.5), 12)  # 0.56 - 0.5 is a little more than 0.06
    return "negligible" if distance < 0.06 else "small" if distance < 0.14 else "medium" if distance < 0.21 else "large"


def pairwise(rows: pd.DataFrame) -> pd.DataFrame:
    """Every ordered pair of methods on every problem: problem, method, other, p, better, effect.

    `p` is of the two-sided Wilcoxon rank-sum test, with Holm's correction over all pairs of one problem.
    `better`: the method's median is lower and p < 0.05. `effect` is A (see `effect_size`).
    """
    from scikit_posthocs import posthoc_mannwhitney

    pairs = []
    for problem, group in rows.groupby("problem"):
        errors = {method: part["test_mae"].to_numpy() for method, part in group.groupby("method")}
        if len(errors) < 2:
            continue
        p = posthoc_mannwhitney(group, val_col="test_mae", group_col="method", p_adjust="holm")
        for method in errors:
            for other in errors:
                if method != other:
                    lower = np.median(errors[method]) < np.median(errors[other])
                    better = bool(lower and p.loc[method, other] < SIGNIFICANT)
                    effect = effect_size(errors[method], errors[other])
                    pairs.append((problem, method, other, float(p.loc[method, other]), better, effect))
    return pd.DataFrame(pairs, columns=["problem", "method", "other", "p", "better", "effect"])


def can_be_significant(rows: pd.DataFrame) -> list[str]:
    """The problems with enough trials for significance: the smallest possible p, 2 / C(2n, n), passes Holm's first
    step."""
    pairs = math.comb(rows["method"].nunique(), 2)
    trials = rows.groupby(["problem", "method"]).size().groupby("problem").min()
    return [problem for problem, n in trials.items() if pairs * 2 / math.comb(2 * n, n) < SIGNIFICANT]


def letters(pairs: pd.DataFrame, letter: dict[str, str]) -> dict[tuple[str, str], str]:
    """(problem, method) -> letters of the significantly worse methods, as in the paper's table."""
    found = {}
    for (problem, method), group in pairs.groupby(["problem", "method"]):
        found[problem, method] = "".join(sorted(letter[other] for other in group.loc[group["better"], "other"]))
    return found


def counted_medians(medians: pd.DataFrame, rebuilt: Collection[str]) -> pd.DataFrame:
    """The medians used for ranks: without problems with rebuilt data, unless there are no others."""
    kept = [name for name in medians if name not in rebuilt]
    return medians[kept] if kept else medians


def mean_ranks(medians: pd.DataFrame) -> pd.Series:
    """Mean rank of each method over the problems that all methods have; ties share their mean rank."""
    return medians.dropna(axis="columns").rank(axis="index", method="average").mean(axis="columns")


@dataclass(frozen=True)
class Friedman:
    """Friedman test over problems, with Nemenyi's multiple comparison.

    mean_ranks   by method
    difference   critical difference: methods whose mean ranks differ by more differ significantly (5%)
    p_pairs      Nemenyi's p-values, methods x methods
    """

    statistic: float
    p: float
    problems: int
    mean_ranks: pd.Series
    difference: float
    p_pairs: pd.DataFrame

    @property
    def intervals(self) -> pd.DataFrame:
        """low and high by method: mean rank +- half the critical difference. No overlap is significant."""
        half = self.difference / 2
        return pd.DataFrame({"low": self.mean_ranks - half, "high": self.mean_ranks + half})


def friedman(medians: pd.DataFrame) -> Friedman | None:
    """The test on medians (methods x problems); None with fewer than 3 methods or 2 problems complete."""
    from scikit_posthocs import posthoc_nemenyi_friedman
    from scipy.stats import friedmanchisquare

    complete = medians.dropna(axis="columns")
    methods, problems = complete.shape
    if methods < 3 or problems < 2:
        return None
    test = friedmanchisquare(*complete.to_numpy())
    return Friedman(
        statistic=float(test.statistic),
        p=float(test.pvalue),
        problems=problems,
        mean_ranks=mean_ranks(complete),
        difference=critical_difference(methods, problems),
        p_pairs=posthoc_nemenyi_friedman(complete.T),
    )


def critical_difference(methods: int, problems: int) -> float:
    """Nemenyi's critical difference of mean ranks at 5%."""
    from scipy.stats import studentized_range

    q = studentized_range.ppf(1 - SIGNIFICANT, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * problems)))


def times(rows: pd.DataFrame) -> pd.DataFrame:
    """By method: `total`, the median over problems of the time for all trials (seconds), and `ratio` to tournament's.

    A cell with fewer trials than another is scaled up to the same number. Only problems that all methods have count,
    because problems differ more in time than methods do.
    """
    cells = rows.groupby(["method", "problem"])["cpu_seconds"].agg(["mean", "size"])
    table = (cells["mean"] * cells["size"].max()).unstack()
    total = (table.dropna(axis="columns") if table.notna().all().any() else table).median(axis="columns")
    ratio = total / total[REFERENCE] if REFERENCE in total else total * np.nan
    return pd.DataFrame({"total": total, "ratio": ratio})
