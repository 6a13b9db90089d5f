"""Every quantitative sentence of the paper's Sections 4 to 6, compared with our rows.

| file              | sentences on                                               |
|-------------------|------------------------------------------------------------|
| `parameter_study` | fixed values of epsilon (Section 4.3)                      |
| `held_out`        | test errors, ranks, Friedman test (Section 4.4)            |
| `letters`         | the letters of Table 2                                     |
| `training`        | training error over generations                            |
| `times`           | run times                                                  |
| `case_usage`      | cases used by a selection event                            |
| `diversity`       | distinct outputs in the population                         |
| `claim`           | the claim class; the rules by which all claims are judged  |
| `rows`            | the rows of the claims; the bootstrap over trials          |

The rules and thresholds come from the paper's wording and were fixed before the results existed.
"""

from __future__ import annotations

from collections.abc import Mapping

from epsilex.experiments.claims import (
    case_usage,
    diversity,
    held_out,
    letters,
    parameter_study,
    rows,
    times,
    training,
)
from epsilex.experiments.claims.claim import (
    FAILS,
    HOLDS,
    IN_PART,
    INCONCLUSIVE,
    NOT_RUN,
    VERDICTS,
    Claim,
    Judged,
    judge,
)
from epsilex.experiments.results import Results

SECTIONS = {
    "Parameter study": parameter_study.CLAIMS,
    "Test error": held_out.CLAIMS,
    "Significance, letter by letter": letters.CLAIMS,
    "Training error": training.CLAIMS,
    "Time": times.CLAIMS,
    "Cases used": case_usage.CLAIMS,
    "Diversity": diversity.CLAIMS,
}
CLAIMS = tuple(claim for claims in SECTIONS.values() for claim in claims)

__all__ = [
    "CLAIMS", "FAILS", "HOLDS", "INCONCLUSIVE", "IN_PART", "NOT_RUN", "SECTIONS", "VERDICTS", "Claim", "Judged",
    "judge", "judge_all",
]  # fmt: skip


def judge_all(results: Mapping[str, Results]) -> list[Judged]:
    """All claims, in the order of the paper; a claim whose study is missing is `not run`."""
    found = rows.of(results)
    return [judge(claim, found) for claim in CLAIMS]
