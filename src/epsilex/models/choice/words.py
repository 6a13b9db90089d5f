"""Why this model, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from epsilex.models.choice.choosing import Decision
from epsilex.models.choice.description import is_number
from epsilex.models.model import Model

CERTAIN = 1e6  # odds above this are not stated exactly
FAINT = 0.005  # relative difference below which a reader sees two errors as equal
NOISES = {
    "additive": "additive noise, the same at every row, of about {}",
    "relative": "relative noise of about {}",
    "given": "the standard errors given{}",
}


@dataclass(frozen=True)
class Choice:
    """Why `model_` was chosen.

    text     two sentences or three
    odds     to one in favour of it over `closest`, implied by description lengths; None for other rules
    noise    "additive", "relative" or "given": the kind that describes the data best
    closest  the formula that came next; if the linear model is the answer, the one that came closest
    linear   whether the linear model, or a number, is the answer
    warning  in words, "" if there is none
    """

    text: str
    odds: float | None = None
    noise: str = "additive"
    closest: Model | None = None
    linear: bool = False
    warning: str = ""

    def __str__(self) -> str:
        return self.text


def told(
    decision: Decision, front: Sequence[Model], chosen: int, closest: Model | None, noise: tuple[str, float], n: int
) -> Choice:
    """The words for a choice by description from `n` rows; `noise` is the kind and size of the noise."""
    m = front[chosen]
    warning = ""
    if decision.pole:
        warning = (
            f"{m.formula} has a pole, or is undefined, at some place within the range of the data; "
            "no formula without one explains the data"
        )
    elif decision.form is not None and decision.form.description.hidden:
        warning = (
            f"{m.formula} has a wave with fewer than two rows per period, so what happens between the rows is unknown; "
            "no formula without one explains the data"
        )
    other = None if closest is not None and closest.formula == m.formula else closest  # a line by another way
    sentences = [_why(decision, front, chosen, n), _how_sure(decision, other, noise)]
    return Choice(
        " ".join([*sentences, *([f"Beware: {warning}."] if warning else [])]), decision.odds, noise[0], closest,
        decision.form is None or is_number(m.nodes), warning,
    )  # fmt: skip


def _why(decision: Decision, front: Sequence[Model], chosen: int, n: int) -> str:
    m = front[chosen]
    if is_number(m.nodes):
        return "The answer is a number, the target's mean: no formula describes the data better than it."
    if decision.form is None:
        return (
            "The answer is the linear model (ridge regression): on so few rows no formula describes the data better "
            "than it."
        )
    reasons = []
    if chosen > 0:
        shorter = front[chosen - 1]
        reasons.append(f"the next shorter, {shorter.formula}, errs {_more(shorter, m, n)}")
    if chosen + 1 < len(front):
        longer = front[chosen + 1]
        change = _more(longer, m, n)
        pays = "which does not pay for" if change.endswith("less") else "in spite of"
        reasons.append(f"the next longer, of {longer.length} nodes, errs {change}, {pays} its greater length")
    against = ""
    if decision.reference is not None and math.isfinite(decision.gain):
        against = f", and is better than {_rival(decision)} by odds of {_odds(math.exp(min(decision.gain, 700.0)))}"
    because = "; ".join(reasons)
    among = f" by a formula that is better than {_rival(decision)} on so few rows" if decision.odds < 1.0 else against
    return f"{m.formula} is the shortest description of the data{among}" + (f": {because}." if because else ".")


def _rival(decision: Decision) -> str:
    """The linear reference by its name."""
    mean = decision.reference is not None and is_number(decision.reference.nodes)
    return "the target's mean" if mean else "ridge regression"


def _how_sure(decision: Decision, closest: Model | None, noise: tuple[str, float]) -> str:
    kind, size = noise
    amount = f"{100.0 * size:.2g}%" if kind == "relative" else f"{size:.2g}" if kind == "additive" else ""
    if kind == "given" and size > 1.05:
        amount = f", which the scatter exceeds {size:.2g} times"
    found = NOISES[kind].format(amount)
    if closest is None or (decision.form is None and is_number(closest.nodes)):
        return f"It was found with {found}."
    if decision.form is None:
        return f"The closest was {closest.formula}; the odds against it are {_odds(decision.odds)}, with {found}."
    if decision.odds < 1.0:
        return (
            f"{closest.formula} describes the data in fewer nats, odds of {_odds(1.0 / decision.odds)}, but does not "
            f"predict rows that are left out better than {_rival(decision)}, with {found}."
        )
    return f"The odds are {_odds(decision.odds)} against the next best, {closest.formula}, with {found}."


def _more(other: Model, m: Model, n: int) -> str:
    """How much larger another model's typical error is, from the residuals of both under their noise."""
    ratio = math.exp(min((other.metrics["residuals"] - m.metrics["residuals"]) / n, 100.0))
    if abs(ratio - 1.0) < FAINT:
        return "as much"
    if ratio >= 2.0:
        return f"{ratio:.2g} times as much" if ratio < 1e4 else "far more"
    return f"{ratio - 1.0:.0%} more" if ratio > 1.0 else f"{1.0 - ratio:.0%} less"


def _odds(odds: float) -> str:
    if odds >= CERTAIN:
        return "more than a million to one"
    return f"{odds:,.0f} to one" if odds >= 10.0 else f"{odds:.1f} to one"
