"""From the programs of a search to its answer: the front, the chosen model, and the reason."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from epsilex.models.choice.rule import Answer, Kept
from epsilex.models.choice.rules import rule_of
from epsilex.models.choice.words import Choice
from epsilex.models.front import Scorer, front_by_loss
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT


def answer(
    front: Sequence[Sequence[Node]], others: Sequence[Sequence[Node]], score: Scorer, choose: str | Callable,
    polished: bool, max_length: int,
) -> Answer:  # fmt: skip
    """The answer by a rule, from the best program of each length and the others in the archive."""
    with _uncollected():
        found = rule_of(choose).answer(Kept(front, others, polished, max_length), score)
    return _mean(score) if found is None else found


@contextmanager
def _uncollected() -> Iterator[None]:
    """No collection of garbage meanwhile: an answer makes many small objects that stay, and hardly any cycles, and
    looking at them again and again takes a tenth of its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _mean(score: Scorer) -> Answer:
    """The target's mean, if no formula is usable."""
    if score.form is not None:
        raise ValueError(
            f"form: expected one that is finite on all rows for some functions; got {score.form.text!r:.200}"
        )
    why = "was finite on all rows" if score.allowed is None else "was finite on all rows and allowed by what is known"
    warnings.warn(f"no formula {why}; the model is the target's mean", stacklevel=4)
    middle = float(np.average(score.train.y, weights=score.train.weight))
    models = front_by_loss([[(CONSTANT, 0, middle)]], score, polished=False)
    if not models:
        raise ValueError(
            "constraints, settings: expected limits that a formula satisfies; found none, not even the mean"
        )
    return Answer(models, 0, Choice("No formula was finite on all rows: the answer is the target's mean."))
