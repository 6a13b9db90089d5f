"""The tidy rows on which claims are judged, and the bootstrap over trials that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from epsilex.experiments import published, statistics
from epsilex.experiments.methods import PAPER
from epsilex.experiments.results import Results

RESAMPLES = 2000
FEW = 5  # a cell with fewer trials decides nothing
LABELS = {method.id: method.label for method in PAPER}
TITLES = {
    "housing": "Housing", "tower": "Tower", "wind": "Wind", "enh": "ENH", "enc": "ENC", "uball5d": "UBall5D",
}  # fmt: skip
ADAPTIVE = ("lex_y_mad", "lex_e_mad")
EPSILON = ("lex_y", "lex_e", *ADAPTIVE)
LEXICASE = ("lex", *EPSILON)
ALL = tuple(published.TABLE)


@dataclass(frozen=True)
class Rows:
    """Trials and histories of both studies, only of the paper's methods and problems; an absent study is empty.

    rebuilt  problems whose data is not the paper's
    """

    trials: pd.DataFrame
    history: pd.DataFrame
    epsilon_trials: pd.DataFrame
    epsilon_history: pd.DataFrame
    rebuilt: frozenset[str] = frozenset()

    @cached_property
    def enough(self) -> Rows:
        """The same without cells of fewer than `FEW` trials, on which a bootstrap is meaningless."""
        table = _large(self.trials, self.history, ["problem", "method"])
        epsilon = _large(self.epsilon_trials, self.epsilon_history, ["problem", "method", "epsilon"])
        return Rows(*table, *epsilon, rebuilt=self.rebuilt)

    @cached_property
    def problems(self) -> list[str]:
        """The paper's problems whose data is the paper's, run or not."""
        return [name for name in published.PROBLEMS if name not in self.rebuilt]

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """`statistics.pairwise`, indexed by problem, method, other."""
        return statistics.pairwise(self.trials).set_index(["problem", "method", "other"]).sort_index()

    @cached_property
    def medians(self) -> pd.DataFrame:
        """Median test errors on the problems with the paper's data that all methods have; methods x problems."""
        found = statistics.medians(self.trials)
        return found[[name for name in self.problems if name in found]].dropna(axis="columns")

    def has(self, problem: str, *methods: str) -> bool:
        """Whether each of the methods has a trial on the problem."""
        known = self.trials.loc[self.trials["problem"] == problem, "method"]
        return set(methods) <= set(known)

    def size(self, problem: str, *methods: str) -> int:
        """Number of trials of the method that has the fewest."""
        counts = self.trials[self.trials["problem"] == problem]["method"].value_counts()
        return int(min(counts.get(method, 0) for method in methods))

    def missing(self, studies: Sequence[str], methods: Sequence[str], problems: Sequence[str]) -> list[str]:
        """The parts of a claim that have no trial."""
        found = []
        for study in studies:
            trials = self.trials if study == "table" else self.epsilon_trials
            wanted = [m for m in methods if study == "table" or m in ("lex_e", "lex_y")]
            if trials.empty:
                found.append(f"study {study}")
                continue
            found += [LABELS[method] for method in wanted if method not in set(trials["method"])]
            if study == "table":
                found += [TITLES[problem] for problem in problems if not self.has(problem, *wanted)]
        return list(dict.fromkeys(found))


def of(results: Mapping[str, Results]) -> Rows:
    """Rows of the available studies."""
    empty = pd.DataFrame({"problem": [], "method": [], "epsilon": []})
    tables: dict[str, Any] = {}
    rebuilt: set[str] = set()
    for study, prefix in (("table", ""), ("epsilon", "epsilon_")):
        one = results.get(study)
        tables[f"{prefix}trials"] = empty if one is None else _papers(one.trials)
        tables[f"{prefix}history"] = empty if one is None else _papers(one.history)
        rebuilt |= set() if one is None else statistics.rebuilt(one.problems)
    return Rows(**tables, rebuilt=frozenset(rebuilt))


def _papers(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["problem"].isin(published.PROBLEMS) & rows["method"].isin(ALL)]


def _large(trials: pd.DataFrame, history: pd.DataFrame, by: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    if trials.empty:
        return trials, history
    sizes = trials.groupby(by).size()
    kept = sizes[sizes >= FEW].index
    return tuple(rows[rows.set_index(by).index.isin(kept)] for rows in (trials, history))


def draws(
    rows: pd.DataFrame, by: str | list[str], column: str, statistic: Callable = np.mean, seed: int = 0
) -> dict[Any, np.ndarray]:
    """Bootstrap over trials: group -> the statistic of each of `RESAMPLES` resamples of the group's values."""
    rng = np.random.default_rng(seed)
    found = {}
    for key, group in rows.groupby(by):
        values = group[column].to_numpy(np.float64)
        with np.errstate(invalid="ignore"):  # errors may be infinite
            found[key] = statistic(values[rng.integers(0, len(values), (RESAMPLES, len(values)))], axis=1)
    return found


def over_generations(history: pd.DataFrame, column: str, by: list[str]) -> pd.DataFrame:
    """One row per trial: the mean of a history column over the generations, without the start.

    Because not all generations may be stored, the mean is an integral by the trapezoidal rule.
    """
    kept = history[(history["generation"] > 0) & history[column].notna()].sort_values("generation")
    keys = [*by, "trial"]
    found = [
        (*(key if isinstance(key, tuple) else (key,)), _mean_height(part["generation"], part[column]))
        for key, part in kept.groupby(keys)
    ]
    return pd.DataFrame(found, columns=[*keys, column])


def _mean_height(generation: pd.Series, value: pd.Series) -> float:
    x, y = generation.to_numpy(np.float64), value.to_numpy(np.float64)
    return float(y.mean() if x[-1] == x[0] else np.trapezoid(y, x) / (x[-1] - x[0]))


def with_cases(history: pd.DataFrame) -> pd.DataFrame:
    """The history with `cases`: the median number of cases that a selection event used."""
    return history.assign(cases=history["cases_used"] * history["training_cases"])
