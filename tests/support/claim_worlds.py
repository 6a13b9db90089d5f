"""Synthetic rows for the claims: a world as the paper describes it, and ways to change it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import norm

from epsilex.experiments import published
from epsilex.experiments.claims.rows import Rows
from epsilex.experiments.studies import EPSILONS

CASES = {"housing": 354, "tower": 2195, "wind": 4200, "enh": 538, "enc": 538, "uball5d": 1024}
STORED = (0, 1, 20, 60, 100, 250, 500, 750, 910, 950, 1000)
DIVERSITY = {"random": 0.8, "tournament": 0.6, "afp": 0.5, "lex": 0.85}
SHARES = {  # of the cases: Tower and Wind, ENH and ENC, the others
    "lex_y": (0.02, 0.3, 0.1),
    "lex_e": (0.2, 0.05, 0.1),
    "lex_y_mad": (0.04, 0.06, 0.05),
    "lex_e_mad": (0.041, 0.061, 0.051),
}


def noise(trials: int, spread: float, seed: int) -> np.ndarray:
    """Factors with the median 1: the quantiles of a lognormal distribution, shuffled."""
    quantiles = norm.ppf((np.arange(trials) + 0.5) / trials)
    return np.exp(spread * np.random.default_rng(seed).permutation(quantiles))


def paper(trials: int = 30, spread: float = 0.01, rebuilt: Sequence[str] = ()) -> Rows:
    """Rows in which most claims hold; a test that needs other rows changes them."""
    cells, histories = [], []
    for number, (problem, method) in enumerate((p, m) for p in published.PROBLEMS for m in published.TABLE):
        level, seconds = published.median(problem, method), published.TABLE[method].seconds / 30
        key = {"problem": problem, "method": method, "epsilon": np.nan}
        share = _share(problem, method)
        growth = 1.0 if method == "lex" else 1.3
        cell, history = _cell(key, level, seconds, share, growth, CASES[problem], trials, spread, number)
        histories.append(history.assign(diversity=DIVERSITY.get(method, 0.93)))
        cells.append(cell)
    return Rows(pd.concat(cells), pd.concat(histories), *_epsilon_study(trials, spread), rebuilt=frozenset(rebuilt))


def _share(problem: str, method: str) -> float:
    place = 0 if problem in ("tower", "wind") else 1 if problem in ("enh", "enc") else 2
    return 1 / CASES[problem] if method == "lex" else SHARES.get(method, (np.nan,) * 3)[place]


def _epsilon_study(trials: int, spread: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    cells, histories = [], []
    for number, (method, epsilon) in enumerate((m, e) for m in ("lex_e", "lex_y") for e in EPSILONS):
        best = 5.0 if method == "lex_e" else 0.1
        level = 0.26 * (1 + 0.2 * abs(np.log10(epsilon / best)))
        share, growth, seconds = max(1.0, 60 * (epsilon - 0.9)) / 2195, 1.0, 10.0
        if epsilon == 1.0:
            growth = 4.0
        if method == "lex_y":
            share = 1.0 if epsilon >= 1 else 0.02
            growth = 1.0
            if epsilon >= 1:
                level, seconds = published.median("tower", "random"), 40.0
        key = {"problem": "tower", "method": method, "epsilon": epsilon}
        cell, history = _cell(key, level, seconds, share, growth, 2195, trials, spread, 1000 + number)
        histories.append(history.assign(diversity=0.6 + 0.1 * np.log10(epsilon * 100)))
        cells.append(cell)
    return pd.concat(cells), pd.concat(histories)


def _cell(key, level, seconds, share, growth, cases, trials, spread, seed) -> tuple[pd.DataFrame, pd.DataFrame]:
    errors, training, time = (noise(trials, spread, 3 * seed + k) for k in range(3))
    cell = pd.DataFrame({"trial": np.arange(1, trials + 1), "test_mae": level * errors, "cpu_seconds": seconds * time})
    cell = cell.assign(**key, train_mae=0.9 * level * training, training_cases=cases)
    generation = np.array(STORED)
    fall = np.exp(-generation / 80)
    history = pd.DataFrame(
        {
            "trial": np.repeat(cell["trial"].to_numpy(), len(STORED)),
            "generation": np.tile(generation, trials),
            "best_mae": (training[:, None] * (0.9 * level + (2 - 0.9 * level) * fall)).ravel(),
            "cases_used": np.tile(share * (1 + (growth - 1) * generation / 1000), trials),
        }
    )
    return cell, history.assign(**key, training_cases=cases, target_scale=1.0)


def change(rows: Rows, frame: str, column: str, value, **where) -> Rows:
    """The rows with a column of one frame set (a number) or mapped (a function), where the columns of `where` agree."""
    table = getattr(rows, frame).reset_index(drop=True).copy()
    chosen = np.ones(len(table), bool)
    for name, allowed in where.items():
        chosen &= table[name].isin(allowed if isinstance(allowed, (tuple, list)) else [allowed]).to_numpy()
    assert chosen.any(), where
    table.loc[chosen, column] = value(table.loc[chosen, column]) if callable(value) else value
    return Rows(**{**{name: getattr(rows, name) for name in Rows.__dataclass_fields__}, frame: table})


def swap_levels(rows: Rows, method: str, other: str, column: str = "test_mae", **where) -> Rows:
    """The values of two methods exchanged, on the problems of `where` or on all."""
    table = rows.trials.reset_index(drop=True).copy()
    for problem in where.get("problem", published.PROBLEMS):
        at = table["problem"] == problem
        one, two = at & (table["method"] == method), at & (table["method"] == other)
        table.loc[one, column], table.loc[two, column] = (
            table.loc[two, column].to_numpy(),
            table.loc[one, column].to_numpy(),
        )
    return Rows(**{**{name: getattr(rows, name) for name in Rows.__dataclass_fields__}, "trials": table})
