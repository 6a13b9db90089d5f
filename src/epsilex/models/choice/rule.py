"""The contract of a rule of choice, and rules that pick from a front by loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from epsilex.models.choice.words import Choice
from epsilex.models.front import Scorer, front_by_loss
from epsilex.models.model import Model
from epsilex.programs.fold import Node


@dataclass(frozen=True, slots=True)
class Kept:
    """What a search leaves to choose from.

    front       the best program of each length
    others      further programs of its archive
    polished    whether constants are tuned in float64
    max_length  greatest number of nodes of a model
    """

    front: Sequence[Sequence[Node]]
    others: Sequence[Sequence[Node]]
    polished: bool
    max_length: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The front, the chosen model, and the reason."""

    models: list[Model]
    chosen: int
    choice: Choice


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of choice.

    answer      function of (kept, score): the `Answer`, or None if no program is finite on every row
    holds_back  whether a quarter of the rows is held back from the search, for `score.validation`
    settles     whether a search on few rows may end once its shortest description has long stayed the same
    """

    answer: Callable[[Kept, Scorer], Answer | None]
    holds_back: bool = False
    settles: bool = False


def picked(pick: Callable[[Sequence[Model]], int], text: str) -> Callable[[Kept, Scorer], Answer | None]:
    """An `answer` by a function of the front by loss that returns the index of a model; `text` is the reason."""

    def answer(kept: Kept, score: Scorer) -> Answer | None:
        models = front_of(kept, score)
        return picked_from(models, pick, text, score.noises[0].kind) if models else None

    return answer


def picked_from(models: list[Model], pick: Callable[[Sequence[Model]], int], text: str, noise: str) -> Answer:
    """The answer by a function of models that returns the index of one; `text` is the reason."""
    index = int(pick(models))
    if not 0 <= index < len(models):
        raise ValueError(f"choose: expected an index from 0 to {len(models) - 1}; got {index}")
    return Answer(models, index, Choice(text, noise=noise))


def front_of(kept: Kept, score: Scorer) -> list[Model]:
    """The front by loss, without models that are too long if there are others."""
    models = front_by_loss(kept.front, score, kept.polished)
    return [m for m in models if m.length <= kept.max_length] or models
