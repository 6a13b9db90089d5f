"""What is compared of many methods, from tidy rows: ranks with intervals, chances against a reference, cost.

Mean ranks are of the median test errors over the problems. Their intervals are percentiles of a bootstrap over trials:
all methods of a trial see the same partition, so trials are drawn for all methods together.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from epsilex.experiments import bayes, comparisons
from epsilex.experiments.results import Results

RESAMPLES = 1000
LEVEL = 0.95
FEWEST = 3  # trials for an interval


def table(results: Results, reference: str) -> pd.DataFrame:
    """One row per method, best rank first.

    rank, low, high       mean rank over the problems, and its interval
    above, inside, below  chances that it is better than the reference, practically equal, worse
    seconds               CPU time of a trial, median over the problems of medians
    evaluations           programs run in a trial
    share                 share of the time that selection takes
    cases, diversity, length  share of the cases used per event (NaN: none), distinct outputs, mean length at the end
    """
    found = ranks(results.trials).join(chances(results.trials, reference)).join(costs(results))
    return found.sort_values("rank", kind="stable")


def ranks(rows: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Mean rank of each method, with an interval, NaN for fewer than 3 trials, for which it is meaningless; over
    problems and trials that all methods have."""
    errors = cube(rows)
    n_trials = errors.shape[2]
    rank = _mean_ranks(np.median(errors, axis=2))
    if n_trials < FEWEST:
        return pd.DataFrame({"rank": rank, "low": np.nan, "high": np.nan}, index=_methods(rows))
    rng = np.random.default_rng(seed)
    drawn = [
        _mean_ranks(np.median(errors[:, :, rng.integers(n_trials, size=n_trials)], axis=2)) for _ in range(RESAMPLES)
    ]
    low, high = np.percentile(drawn, [50 * (1 - LEVEL), 50 * (1 + LEVEL)], axis=0)
    return pd.DataFrame({"rank": rank, "low": low, "high": high}, index=_methods(rows))


def cube(rows: pd.DataFrame) -> np.ndarray:
    """Test errors (methods, problems, trials) of the trials that all methods and problems have."""
    wide = rows.pivot_table(index="trial", columns=["method", "problem"], values="test_mae", dropna=False)
    problems = [name for name, part in wide.T.groupby(level="problem") if part.notna().any(axis=1).all()]
    wide = wide.loc[:, wide.columns.get_level_values("problem").isin(problems)].dropna(axis="index")
    if wide.empty:
        raise ValueError("trials: expected at least one problem and trial that all methods have; got none")
    methods = _methods(rows)
    return np.stack([wide[method][problems].to_numpy().T for method in methods])


def chances(rows: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Bayesian signed-rank test of each method against the reference, over all paired trials; NaN without any."""
    errors = {key: part.set_index("trial")["test_mae"] for key, part in rows.groupby(["method", "problem"])}
    found = {}
    for method in _methods(rows):
        pairs = [
            comparisons.differences(errors[method, problem], errors[reference, problem])
            for problem in rows["problem"].unique()
            if (method, problem) in errors and (reference, problem) in errors
        ]
        z = np.concatenate(pairs) if pairs else np.empty(0)
        if not len(z) or method == reference:
            found[method] = (np.nan, np.nan, np.nan)
        else:
            posterior = bayes.signed_rank(z, comparisons.ROPE)
            found[method] = (posterior.above, posterior.inside, posterior.below)
    return pd.DataFrame.from_dict(found, orient="index", columns=["above", "inside", "below"])


def costs(results: Results) -> pd.DataFrame:
    """Time, selection's share of it, cases used, diversity and lengths by method: medians over problems."""
    keys = ["method", "problem", "trial"]
    last = results.history.sort_values("generation").groupby(keys).last()
    last = last.assign(share=last["seconds_select"] / last["seconds"].where(last["seconds"] > 0))
    mean = results.history[results.history["cases_used"] > 0].groupby(keys)["cases_used_mean"].mean()
    cells = pd.DataFrame({
        "share": last["share"],
        "cases": mean.reindex(last.index),
        "diversity": last["diversity"],
        "length": last["mean_length"],
    })  # fmt: skip
    spent = results.trials.set_index(keys)[["cpu_seconds", "evaluations"]]
    cells = cells.join(spent.rename(columns={"cpu_seconds": "seconds"}))
    by_problem = cells.groupby(["method", "problem"]).median()
    return by_problem.groupby("method").median()


def relative_errors(rows: pd.DataFrame) -> pd.Series:
    """By method: the geometric mean over the problems of the median test error over that of the best method."""
    medians = rows.groupby(["method", "problem"])["test_mae"].median().unstack().dropna(axis="columns")
    with np.errstate(divide="ignore"):
        return np.exp(np.log(medians / medians.min()).mean(axis="columns"))


def _mean_ranks(medians: np.ndarray) -> np.ndarray:
    """Mean over the problems of the ranks of medians (methods, problems), ties shared."""
    return pd.DataFrame(medians).rank(axis="index", method="average").mean(axis="columns").to_numpy()


def _methods(rows: pd.DataFrame) -> list[str]:
    return sorted(rows["method"].unique())
