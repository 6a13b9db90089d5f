"""Claims on the training error over the generations: Section 4.4, Figure 7."""

from __future__ import annotations

import numpy as np
import pandas as pd

from epsilex.experiments.claims.claim import Claim, Found, Outcome, counted, seen
from epsilex.experiments.claims.held_out import over_problems
from epsilex.experiments.claims.rows import ADAPTIVE, ALL, LABELS, TITLES, Rows, draws

EARLY = 250
PLACE = "Section 4.4, Figure 7"


def _curves(rows: Rows, problem: str) -> dict[str, pd.DataFrame] | None:
    """Method -> best training error, trials x (start, generation 250, end); None if the run ended before 500."""
    history = rows.history[rows.history["problem"] == problem]
    if (
        not rows.has(problem, *ALL)
        or history["generation"].max() < 2 * EARLY
        or EARLY not in set(history["generation"])
    ):
        return None
    ends = [history["generation"].min(), EARLY, history["generation"].max()]
    kept = history[history["generation"].isin(ends)]
    found = {
        m: part.pivot(index="trial", columns="generation", values="best_mae") for m, part in kept.groupby("method")
    }
    return {method: table[ends].dropna() for method, table in found.items()}


def _resampled(table: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    """Mean curves of bootstrap resamples of the trials: resamples x 3."""
    values = table.to_numpy()
    return values[rng.integers(0, len(values), (500, len(values)))].mean(axis=1)


def _shares(rows: Rows, problem: str) -> dict[str, np.ndarray] | None:
    """Method -> share of its total improvement reached by generation 250, for each resample."""
    curves = _curves(rows, problem)
    if curves is None:
        return None
    rng = np.random.default_rng(0)
    means = {method: _resampled(table, rng) for method, table in curves.items()}
    return {m: (v[:, 0] - v[:, 1]) / np.maximum(v[:, 0] - v[:, 2], 1e-30) for m, v in means.items()}


def _most_learning(rows: Rows) -> Found:
    outcomes: dict[str, Outcome] = {}
    lines = []
    for problem in rows.problems:
        shares = _shares(rows, problem)
        if shares is None:
            outcomes[TITLES[problem]] = None
            continue
        mean = np.mean(list(shares.values()), axis=0)
        least = min(shares, key=lambda method: float(np.mean(shares[method])))
        outcomes[TITLES[problem]] = seen(mean > 0.5)
        lines.append(f"{TITLES[problem]} {mean.mean():.0%}, least {LABELS[least]} {shares[least].mean():.0%}")
    return counted(outcomes), "; ".join(lines) or "no problem was run for 500 generations"


def _spread_early(rows: Rows, problem: str) -> Outcome:
    curves = _curves(rows, problem)
    if curves is None:
        return None
    rng = np.random.default_rng(0)
    means = np.array([_resampled(table, rng) for table in curves.values()])
    early, final = np.std(means[:, :, 1], axis=0), np.std(means[:, :, 2], axis=0)
    return seen(early > 0.5 * final)


def _lowest_final(rows: Rows, problem: str) -> Outcome:
    if not rows.has(problem, *ALL):
        return None
    found = draws(rows.trials[rows.trials["problem"] == problem], "method", "train_mae")
    adaptive = np.minimum(*(found[method] for method in ADAPTIVE))
    return seen(adaptive < np.min([found[method] for method in ALL if method not in ADAPTIVE], axis=0))


CLAIMS = (
    Claim(
        "most_learning_early",
        "Most of the learning on the training set happens in the first 250 generations.",
        PLACE,
        "'Most' is more than half of the fall of the mean best error from start to end, averaged over the methods, in "
        "9 of 10 bootstrap resamples. Needs 500 generations.",
        _most_learning,
        methods=ALL,
    ),
    Claim(
        "differences_early",
        "Most of the differences between methods on the training set are there after 250 generations.",
        PLACE,
        "The other reading of the same sentence: the spread of the methods at generation 250 is more than half of that "
        "at the end.",
        lambda rows: over_problems(rows, _spread_early),
        methods=ALL,
    ),
    Claim(
        "lowest_training_error",
        "On every problem Lex ε_eλ or Lex ε_yλ has the lowest final training error.",
        PLACE,
        "The figure shows means: the lower of the two below all others in 9 of 10 bootstrap resamples.",
        lambda rows: over_problems(rows, _lowest_final),
        methods=ALL,
    ),
)
