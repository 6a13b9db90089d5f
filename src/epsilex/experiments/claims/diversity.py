"""Claims on the share of distinct outputs in the population: Section 4.4, Figure 9."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from epsilex.experiments.claims.claim import Claim, Found, counted, seen
from epsilex.experiments.claims.rows import ALL, LABELS, LEXICASE, Rows, draws, over_generations

PLACE = "Section 4.4, Figure 9"


def levels(rows: Rows) -> dict[str, np.ndarray]:
    """Method -> mean over problems, generations and trials, for each resample."""
    history = rows.history[rows.history["problem"].isin(rows.problems)]
    keys = ["problem", "method"]
    found = draws(over_generations(history, "diversity", keys), keys, "diversity")
    return {method: np.mean([found[problem, method] for problem in rows.problems], axis=0) for method in ALL}


def _above(others: tuple[str, ...]) -> Callable[[Rows], Found]:
    def judge(rows: Rows) -> Found:
        found = levels(rows)
        bound = np.max([found[other] for other in others], axis=0)
        outcomes = {LABELS[method]: seen(found[method] > bound) for method in LEXICASE}
        order = sorted(ALL, key=lambda method: -float(np.mean(found[method])))
        return counted(outcomes), ", ".join(f"{LABELS[method]} {np.mean(found[method]):.1%}" for method in order)

    return judge


CLAIMS = (
    Claim(
        "more_diverse_than_random",
        "Every lexicase method has a more diverse population than random selection.",
        PLACE,
        "Mean over problems and generations, higher in 9 of 10 bootstrap resamples, for all five methods.",
        _above(("random",)),
        methods=ALL,
        whole=True,
    ),
    Claim(
        "exceptionally_diverse",
        "The lexicase methods have exceptionally high diversity.",
        PLACE,
        "'Exceptionally' is above every method that is not lexicase: Rand Sel, Tourn and AFP.",
        _above(("random", "tournament", "afp")),
        methods=ALL,
        whole=True,
    ),
)
