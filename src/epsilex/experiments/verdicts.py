"""Our results against the published ones: a verdict for each cell of the paper's table.

v is the published median, [l, h] our 95% bootstrap interval of the median. The reference is tournament selection, or
random selection for tournament itself; r is its median here, s its published median.

reproduced      0.9 v <= l and h <= 1.1 v: the whole interval is within 10% of the published value
same direction  else, if the interval excludes r on the side the paper has it (h < r where v < s, l > r where v > s),
                or if neither the paper's letters nor our test (p < 0.05) tell the method and the reference apart
differs         else, if the interval excludes r on the other side and our test tells the two apart
inconclusive    else: the interval is too wide to tell on which side of r the median lies, or has fewer than 5 trials
not judged      no published value, or no trial of the reference

Why: the interval covers our true median in 95% of repetitions. If the true median differs from the published value by
more than 10%, an interval within the 10% misses it, so a cell is falsely called reproduced in at most about 5% of
repetitions. More noise widens the interval, so it leads away from reproduced, never to it. The same holds for the side
of r.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import pandas as pd

from epsilex.experiments import published, statistics
from epsilex.experiments.methods import PAPER

REPRODUCED, SAME_DIRECTION, DIFFERS, INCONCLUSIVE, NOT_JUDGED = (
    "reproduced", "same direction", "differs", "inconclusive", "not judged",
)  # fmt: skip
VERDICTS = (REPRODUCED, SAME_DIRECTION, DIFFERS, INCONCLUSIVE, NOT_JUDGED)
CLOSE = 0.10
FEW = 5
_LETTERS = {method.id: method.letter for method in PAPER}


def cells(rows: pd.DataFrame, rebuilt: Collection[str] = ()) -> pd.DataFrame:
    """One row per cell: problem, method, trials, median, low, high, published, ratio, p, effect, magnitude, rebuilt,
    verdict.

    `ratio` is our median over the published one; `p`, `effect` and `magnitude` compare with tournament
    (`statistics.pairwise`); `rebuilt` marks problems whose data is not the paper's.
    """
    found = statistics.summary(rows)
    pairs = statistics.pairwise(rows).set_index(["problem", "method", "other"])
    medians = statistics.medians(rows)
    keys = list(zip(found["problem"], found["method"], strict=True))
    found["published"] = pd.Series([published.median(*key) for key in keys], dtype="float64")
    found["ratio"] = found["median"] / found["published"]
    found["p"] = [pairs["p"].get((*key, statistics.REFERENCE), math.nan) for key in keys]
    found["effect"] = [pairs["effect"].get((*key, statistics.REFERENCE), math.nan) for key in keys]
    found["magnitude"] = found["effect"].map(statistics.magnitude)
    found["rebuilt"] = found["problem"].isin(rebuilt)
    found["verdict"] = [verdict(cell, medians, pairs) for cell in found.itertuples()]
    return found


def verdict(cell: Any, medians: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """The verdict of one row of `cells`; `pairs` has the index (problem, method, other)."""
    if math.isnan(cell.published) or math.isnan(cell.median):
        return NOT_JUDGED
    if cell.trials < FEW:
        return INCONCLUSIVE
    if (1 - CLOSE) * cell.published <= cell.low and cell.high <= (1 + CLOSE) * cell.published:
        return REPRODUCED
    other = "random" if cell.method == statistics.REFERENCE else statistics.REFERENCE
    key = cell.problem, cell.method, other
    if key not in pairs.index:
        return NOT_JUDGED
    reference = medians.loc[other, cell.problem]
    ours = -1 if cell.high < reference else 1 if cell.low > reference else 0
    theirs = 1 if cell.published > published.TABLE[other].medians[published.PROBLEMS.index(cell.problem)] else -1
    apart = pairs.loc[key, "p"] < statistics.SIGNIFICANT
    if ours == theirs or not (apart or _published_difference(*key)):
        return SAME_DIRECTION
    return DIFFERS if ours == -theirs and apart else INCONCLUSIVE


def _published_difference(problem: str, method: str, other: str) -> bool:
    """Whether the paper's letters mark a significant difference between two methods."""
    marks = published.letters()
    return _LETTERS[other] in marks.loc[method, problem] or _LETTERS[method] in marks.loc[other, problem]
