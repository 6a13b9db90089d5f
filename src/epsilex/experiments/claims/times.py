"""Claims on the run times: Section 4.4 and the last column of Table 2."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epsilex.experiments.claims.claim import FAILS, HOLDS, INCONCLUSIVE, Claim, Found, interval, seen, within
from epsilex.experiments.claims.rows import ALL, EPSILON, LABELS, Rows, draws

PLACE = "Section 4.4, Table 2"
NEAR = 1.25  # the paper calls 82 to 120% "nearly the same time": a factor of at most 1.25
FAR = 2.0
RULE = (
    "95% interval of the ratio within a factor of 1.25 of the paper's, which calls 82 to 120% nearly the same; within "
    "a factor of 2 in part."
)


def totals(rows: Rows) -> dict[str, np.ndarray]:
    """Method -> median over problems of the mean CPU time, for each bootstrap resample of the trials."""
    found = draws(rows.trials[rows.trials["problem"].isin(rows.problems)], ["problem", "method"], "cpu_seconds")
    return {method: np.median([found[problem, method] for problem in rows.problems], axis=0) for method in ALL}


def _ratio(methods: tuple[str, ...], theirs: float) -> Callable[[Rows], Found]:
    def judge(rows: Rows) -> Found:
        found = totals(rows)
        low, high = interval(np.mean([found[m] for m in methods], axis=0) / found["tournament"])
        bands = [(theirs / factor, theirs * factor) for factor in (NEAR, FAR)]
        return within((low, high), *bands), f"{low:.0%} to {high:.0%} of tournament's time"

    return judge


def _extreme(method: str, fastest: bool) -> Callable[[Rows], Found]:
    def judge(rows: Rows) -> Found:
        found = totals(rows)
        others = [found[other] for other in ALL if other != method]
        outcome = seen(found[method] < np.min(others, axis=0) if fastest else found[method] > np.max(others, axis=0))
        order = sorted(ALL, key=lambda name: float(np.mean(found[name])))
        figures = ", ".join(f"{LABELS[m]} {np.mean(found[m] / found['tournament']):.0%}" for m in order)
        return {True: HOLDS, False: FAILS, None: INCONCLUSIVE}[outcome], f"time over tournament's: {figures}"

    return judge


def _ratio_claim(method: str, theirs: float) -> Claim:
    text = f"{LABELS[method]} takes {theirs:.0%} of the time of tournament selection."
    return Claim(f"time_{method}", text, PLACE, RULE, _ratio((method,), theirs), methods=ALL, whole=True)


CLAIMS = (
    *(
        _ratio_claim(method, theirs)
        for method, theirs in (
            ("lex_y", 0.96),
            ("lex_e", 0.82),
            ("lex_y_mad", 1.20),
            ("lex_e_mad", 1.20),
            ("lex", 0.41),
        )
    ),
    Claim(
        "time_epsilon",
        "On average ε-lexicase selection takes 105% of the time of tournament selection: nearly the same.",
        PLACE,
        RULE,
        _ratio(EPSILON, 1.05),
        methods=ALL,
        whole=True,
    ),
    Claim(
        "random_fastest",
        "Random selection is the fastest.",
        PLACE,
        "Below all others in 9 of 10 bootstrap resamples.",
        _extreme("random", fastest=True),
        methods=ALL,
        whole=True,
    ),
    Claim(
        "afp_slowest",
        "AFP is the slowest.",
        PLACE,
        "Above all others in 9 of 10 bootstrap resamples.",
        _extreme("afp", fastest=False),
        methods=ALL,
        whole=True,
    ),
)
