"""The adaptive methods against all others: significance, effect size, and the Bayesian signed-rank test.

Trials are paired by their number, because all methods of a trial see the same partition. Differences are relative to
the other method's median; up to 5% of it counts as practically equal.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from epsilex.experiments import bayes, published, statistics

ADAPTIVE = ("lex_e_mad", "lex_y_mad")
ROPE = 0.05
OVER_PROBLEMS = "over problems"
COLUMNS = ["problem", "method", "other", "pairs", "p", "effect", "magnitude", "better", "alike", "worse"]


def adaptive(rows: pd.DataFrame, rebuilt: Collection[str] = ()) -> pd.DataFrame:
    """One row per problem and pair, and one per pair over the problems' medians (without rebuilt problems).

    `pairs` counts paired differences; `better`, `alike` and `worse` are posterior probabilities for `method`.
    """
    tested = statistics.pairwise(rows)
    errors = {key: part.set_index("trial")["test_mae"] for key, part in rows.groupby(["problem", "method"])}
    found = []
    for one in tested.itertuples():
        if _wanted(one.method, one.other):
            z = differences(errors[one.problem, one.method], errors[one.problem, one.other])
            row = (one.problem, one.method, one.other, len(z), one.p, one.effect, statistics.magnitude(one.effect))
            found.append((*row, *_posterior(z)))
    medians = statistics.medians(rows)
    medians = medians[[name for name in published.PROBLEMS if name in medians and name not in rebuilt]]
    for method in medians.index:
        for other in medians.index:
            if _wanted(method, other):
                both = medians.loc[[method, other]].dropna(axis="columns")
                z = relative(both.loc[method], both.loc[other], both.loc[other])
                found.append((OVER_PROBLEMS, method, other, len(z), np.nan, np.nan, "", *_posterior(z)))
    return pd.DataFrame(found, columns=COLUMNS)


def differences(errors: pd.Series, others: pd.Series) -> np.ndarray:
    """Paired differences of two methods' trials, over the other's median; positive where the first is better."""
    both = pd.concat({"ours": errors, "theirs": others}, axis="columns", join="inner")
    return relative(both["ours"], both["theirs"], np.median(both["theirs"]))


def relative(ours: Any, theirs: Any, unit: Any) -> np.ndarray:
    """(theirs - ours) / unit; two infinite errors do not differ."""
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(ours == theirs, 0.0, (theirs - ours) / np.asarray(unit, np.float64))


def _wanted(method: str, other: str) -> bool:
    """Each adaptive method against the others; the pair of adaptive methods once."""
    if method not in ADAPTIVE or other == method or other not in published.TABLE:
        return False
    return (method, other) != ADAPTIVE[::-1]


def _posterior(z: np.ndarray) -> tuple[float, float, float]:
    if len(z) == 0:
        return np.nan, np.nan, np.nan
    found = bayes.signed_rank(z, ROPE)
    return found.above, found.inside, found.below
