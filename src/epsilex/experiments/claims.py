"""What the paper says in words, held against our rows: each claim holds, holds in part, or does not hold.

A claim of significance is judged on the problems that have so many trials that a difference could be significant.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from epsilex.experiments import published, statistics
from epsilex.experiments.methods import PAPER
from epsilex.experiments.results import Results

HOLDS, IN_PART, FAILS, TOO_FEW = "holds", "holds in part", "does not hold", "too few trials"
ADAPTIVE = ("lex_y_mad", "lex_e_mad")
_EPSILON = ("lex_y", "lex_e", *ADAPTIVE)
_LABELS = {method.id: method.label for method in PAPER}


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, our verdict and the figures behind it."""

    text: str
    verdict: str
    evidence: str


def of_table(results: Results) -> list[Claim]:
    """Claims of the comparison (Section 4.4); those whose methods were not all run are left out."""
    rows, methods = results.trials, set(results.trials["method"])
    found = []
    if set(published.TABLE) <= methods:
        rows = rows[rows["method"].isin(published.TABLE)]
        medians, pairs = statistics.medians(rows), statistics.pairwise(rows)
        judged = pairs[pairs["problem"].isin(statistics.can_be_significant(rows))]
        found += [
            _best_on_test(medians),
            *(_better_than(judged, other) for other in ("random", "tournament", "lex", "lex_e", "afp")),
            _rank_order(medians),
            *_friedman(medians),
            _lowest_training(rows),
            _times(rows),
        ]
    if {"lex"} <= methods:
        found.append(_one_case(results.history))
    if {"random", "lex", *_EPSILON} <= methods:
        found.append(_diversity(results.history))
    return found


def of_epsilon(results: Results) -> list[Claim]:
    """Claims of the parameter study (Section 4.3)."""
    found = []
    for method, name, best in (("lex_e", "ε_e", 5.0), ("lex_y", "ε_y", 0.10)):
        rows = results.trials[results.trials["method"] == method]
        if not rows.empty:
            medians = rows.groupby("epsilon")["test_mae"].median()
            found.append(
                Claim(
                    f"The lowest median test MAE is that of {name} = {best:g}.",
                    HOLDS if medians.idxmin() == best else FAILS,
                    ", ".join(f"{epsilon:g}: {value:.3f}" for epsilon, value in medians.items()),
                )
            )
    history = results.history[results.history["method"] == "lex_e"]
    history = history.assign(
        cases=history["cases_used"] * history["training_cases"], percent=100 * history["diversity"]
    )
    for column, text in (
        ("cases", "The larger ε_e, the more cases are used in a selection event."),
        ("percent", "The larger ε_e, the more distinct outputs in the population (%)."),
    ):
        if not history.empty:
            means = history.groupby("epsilon")[column].mean()
            correlation = means.index.to_series().corr(means, method="spearman")
            figures = ", ".join(f"{epsilon:g}: {value:.1f}" for epsilon, value in means.items())
            found.append(Claim(text, _grade(correlation, 0.9, 0.5), f"rank correlation {correlation:.2f}; {figures}"))
    return found


def _best_on_test(medians: pd.DataFrame) -> Claim:
    best = medians.idxmin()
    hits = best.isin(ADAPTIVE).sum()
    return Claim(
        "Lex ε_eλ or Lex ε_yλ has the lowest median test MAE on every problem.",
        _share(hits, len(best)),
        "; ".join(f"{problem}: {_LABELS[method]}" for problem, method in best.items()),
    )


def _better_than(pairs: pd.DataFrame, other: str) -> Claim:
    chosen = pairs[pairs["method"].isin(ADAPTIVE) & (pairs["other"] == other)]
    better = chosen.groupby("problem")["better"].any()
    expected = "5 of 6 problems" if other == "afp" else "all problems"
    aim = round(5 / 6 * len(better)) if other == "afp" else len(better)
    return Claim(
        f"Lex ε_eλ or Lex ε_yλ is significantly better than {_LABELS[other]} on {expected}.",
        _share(better.sum(), aim) if len(better) else TOO_FEW,
        f"on {better.sum()} of {len(better)}" + (f": {', '.join(better.index[better])}" if better.any() else ""),
    )


def _rank_order(medians: pd.DataFrame) -> Claim:
    ranks = statistics.mean_ranks(medians)
    theirs = pd.Series({method: row.mean_rank for method, row in published.TABLE.items()})
    correlation = ranks.corr(theirs, method="spearman")
    order = ", ".join(f"{_LABELS[method]} {rank:.2f}" for method, rank in ranks.sort_values().items())
    return Claim(
        "The methods rank Lex ε_eλ and Lex ε_yλ, Lex ε_y, AFP, Lex ε_e, Tourn, Lex, Rand Sel.",
        _grade(correlation, 0.9, 0.5),
        f"rank correlation with the paper's mean ranks {correlation:.2f}; ours: {order}",
    )


def _friedman(medians: pd.DataFrame) -> list[Claim]:
    test = statistics.friedman(medians)
    if test is None:
        return []
    p = test.p_pairs.loc[list(ADAPTIVE), ["tournament", "lex", "random"]]
    hits = int((p < statistics.SIGNIFICANT).to_numpy().sum())
    return [
        Claim(
            "Across all problems both are significantly better than Tourn, Lex and Rand Sel (Friedman, multiple "
            "comparison).",
            _share(hits, p.size),
            f"{hits} of {p.size} comparisons; Friedman p = {test.p:.2g} over {test.problems} problems",
        )
    ]


def _lowest_training(rows: pd.DataFrame) -> Claim:
    best = rows.groupby(["problem", "method"])["train_mae"].mean().unstack().idxmin(axis="columns")
    return Claim(
        "Lex ε_eλ or Lex ε_yλ has the lowest final training error on every problem.",
        _share(best.isin(ADAPTIVE).sum(), len(best)),
        "; ".join(f"{problem}: {_LABELS[method]}" for problem, method in best.items()),
    )


def _times(rows: pd.DataFrame) -> Claim:
    ratio = statistics.times(rows)["ratio"]
    mean = ratio[list(_EPSILON)].mean()
    figures = ", ".join(
        f"{_LABELS[method]} {value:.2f} ({published.time_ratio(method):.2f})" for method, value in ratio.items()
    )
    return Claim(
        "ε-lexicase takes about the time of tournament selection: 105% on average.",
        HOLDS if mean <= 1.1 else IN_PART if mean <= 1.3 else FAILS,
        f"{mean:.0%} on average; time over tournament's, the paper's in brackets: {figures}",
    )


def _one_case(history: pd.DataFrame) -> Claim:
    lex = history[history["method"] == "lex"]
    cases = (lex["cases_used"] * lex["training_cases"]).groupby(lex["problem"]).median()
    return Claim(
        "Lex uses only one case for each parent.",
        _share((cases.round() <= 1).sum(), len(cases)),
        "median: " + ", ".join(f"{problem} {value:.0f}" for problem, value in cases.items()),
    )


def _diversity(history: pd.DataFrame) -> Claim:
    means = history[history["method"].isin(_LABELS)].groupby("method")["diversity"].mean()
    lexicase = ["lex", *_EPSILON]
    return Claim(
        "Diversity is higher with lexicase than with random selection.",
        _share((means[lexicase] > means["random"]).sum(), len(lexicase)),
        ", ".join(f"{_LABELS[method]} {value:.1%}" for method, value in means.sort_values(ascending=False).items()),
    )


def _share(hits: int, aim: int) -> str:
    return HOLDS if hits >= aim else IN_PART if 2 * hits >= aim else FAILS


def _grade(value: float, high: float, middle: float) -> str:
    return HOLDS if value >= high else IN_PART if value >= middle else FAILS
