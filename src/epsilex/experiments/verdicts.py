"""Ours against the published: a verdict for each cell of the paper's table.

reproduced      the published median lies in our 95% bootstrap interval, or ours is within 10% of it
same direction  else, if the cell stands to tournament as in the paper: its median on the same side, or significantly
                different neither there nor here. Tournament itself is held against random selection.
differs         else
not judged      no trial yet, no published value, or nothing to hold it against
"""

from __future__ import annotations

import math

import pandas as pd

from epsilex.experiments import published, statistics

REPRODUCED, SAME_DIRECTION, DIFFERS, NOT_JUDGED = "reproduced", "same direction", "differs", "not judged"
CLOSE = 0.10


def cells(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a cell: problem, method, trials, median, low, high, published, ratio, p, effect, verdict.

    `ratio` is our median over the published one; `p` and `effect` compare with tournament (`statistics.pairwise`).
    """
    found = statistics.summary(rows)
    pairs = statistics.pairwise(rows).set_index(["problem", "method", "other"])
    medians = statistics.medians(rows)
    found["published"] = [published.median(p, m) for p, m in zip(found["problem"], found["method"], strict=True)]
    found["published"] = found["published"].astype("float64")
    found["ratio"] = found["median"] / found["published"]
    against = [(p, m, statistics.REFERENCE) for p, m in zip(found["problem"], found["method"], strict=True)]
    found["p"] = [pairs["p"].get(key, math.nan) for key in against]
    found["effect"] = [pairs["effect"].get(key, math.nan) for key in against]
    found["verdict"] = [verdict(cell, medians, pairs) for cell in found.itertuples()]
    return found


def verdict(cell, medians: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """Of one row of `cells`; `pairs` has the index (problem, method, other)."""
    if math.isnan(cell.published) or math.isnan(cell.median):
        return NOT_JUDGED
    if cell.low <= cell.published <= cell.high or abs(cell.ratio - 1) <= CLOSE:
        return REPRODUCED
    other = "random" if cell.method == statistics.REFERENCE else statistics.REFERENCE
    key = cell.problem, cell.method, other
    if key not in pairs.index:
        return NOT_JUDGED
    ours = cell.median - medians.loc[other, cell.problem]
    theirs = cell.published - published.median(cell.problem, other)
    same_side = (ours < 0) == (theirs < 0)
    neither = pairs.loc[key, "p"] >= statistics.SIGNIFICANT and not _published_difference(*key)
    return SAME_DIRECTION if same_side or neither else DIFFERS


def _published_difference(problem: str, method: str, other: str) -> bool:
    """Whether the paper's letters mark a significant difference between two methods."""
    from epsilex.experiments.methods import PAPER

    letter = {known.id: known.letter for known in PAPER}
    marks = published.letters()
    return letter[other] in marks.loc[method, problem] or letter[method] in marks.loc[other, problem]
