"""The claim class, and the rules by which all claims are judged. They were fixed before the results existed.

A claim over problems is judged on those with the paper's data. A problem with rebuilt data is named in the evidence but
does not count, unless the claim names that problem; then the claim is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from epsilex.experiments.claims.rows import FEW, Rows

HOLDS, IN_PART, FAILS, INCONCLUSIVE, NOT_RUN = (
    "holds", "holds in part", "does not hold", "inconclusive", "not run",
)  # fmt: skip
VERDICTS = (HOLDS, IN_PART, FAILS, INCONCLUSIVE, NOT_RUN)

SURE = 0.9  # share of bootstrap resamples that must show an order for it to count; below 1 - SURE it is refuted
Outcome = bool | None  # None: undecided
Found = tuple[str, str]  # verdict, evidence


@dataclass(frozen=True)
class Claim:
    """A quantitative sentence of the paper.

    id        a short name
    text      the sentence's content in our words
    place     section, table or figure of the paper
    rule      how the sentence is made testable, and why
    judge     from rows to verdict and evidence
    studies   the studies it needs, its own first
    methods   the methods it needs
    problems  the problems it is about; empty: all
    whole     whether it is about all problems together and needs them all
    """

    id: str
    text: str
    place: str
    rule: str
    judge: Callable[[Rows], Found]
    studies: tuple[str, ...] = ("table",)
    methods: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True)
class Judged:
    """A claim compared with our rows; `rebuilt`: on data that is not the paper's."""

    claim: Claim
    verdict: str
    evidence: str
    rebuilt: bool = False


def judge(claim: Claim, rows: Rows) -> Judged:
    """One claim; `not run` if a study, method or problem that it needs has no trial."""
    needs = claim.studies, claim.methods, claim.problems
    if missing := rows.missing(*needs):
        return Judged(claim, NOT_RUN, f"no trials of {', '.join(missing)}")
    if missing := rows.enough.missing(*needs):
        return Judged(claim, INCONCLUSIVE, f"fewer than {FEW} trials of {', '.join(missing)}")
    if claim.whole and (missing := rows.enough.missing(*needs[:2], rows.problems)):
        return Judged(claim, INCONCLUSIVE, f"no or fewer than {FEW} trials on {', '.join(missing)}")
    verdict, evidence = claim.judge(rows.enough)
    return Judged(claim, verdict, evidence, bool(rows.rebuilt.intersection(claim.problems)))


def seen(holds: np.ndarray) -> Outcome:
    """From one truth value per bootstrap resample: seen, refuted or undecided."""
    share = float(np.mean(holds))
    return True if share >= SURE else False if share <= 1 - SURE else None


def counted(outcomes: Mapping[str, Outcome], aim: int | None = None) -> str:
    """Verdict on a claim that should be true `aim` times (all of them without it).

    Inconclusive if the undecided ones could still make it hold; in part if at least half of the aim is true.
    """
    aim = len(outcomes) if aim is None else aim
    true = sum(outcome is True for outcome in outcomes.values())
    undecided = sum(outcome is None for outcome in outcomes.values())
    if true >= aim:
        return HOLDS
    if true + undecided >= aim:
        return INCONCLUSIVE
    return IN_PART if 2 * true >= aim else FAILS


def within(interval: tuple[float, float], inner: tuple[float, float], outer: tuple[float, float]) -> str:
    """Verdict on a quantity by its interval: inside the inner band it holds, inside the outer band it holds in part,
    outside the outer band it does not hold, and an interval across the outer edge is too wide to tell."""
    low, high = interval
    if np.isnan(low) or np.isnan(high):
        return INCONCLUSIVE
    if inner[0] <= low and high <= inner[1]:
        return HOLDS
    if outer[0] <= low and high <= outer[1]:
        return IN_PART
    return FAILS if high < outer[0] or low > outer[1] else INCONCLUSIVE


def interval(draws: np.ndarray) -> tuple[float, float]:
    """95% interval of bootstrap draws."""
    low, high = np.percentile(draws, [2.5, 97.5])
    return float(low), float(high)


def told(outcomes: Mapping[str, Outcome], words: tuple[str, str, str] = ("yes", "no", "undecided")) -> str:
    """Outcomes in words, separated by commas."""
    word = {True: words[0], False: words[1], None: words[2]}
    return ", ".join(f"{name} {word[outcome]}" for name, outcome in outcomes.items())
