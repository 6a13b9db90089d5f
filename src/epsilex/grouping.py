"""Rows in groups, from the parameters of an estimator: what a search gets to see of them, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilex.data.checking import standard_errors
from epsilex.data.groups import Groups
from epsilex.data.rows import Rows
from epsilex.data.scales import Scales
from epsilex.models.choice.rule import Answer
from epsilex.models.choice.rules import rule_of
from epsilex.models.front import Scorer
from epsilex.models.grouped.answer import grouped_answer
from epsilex.models.grouped.guessing import grouped_guesses
from epsilex.models.grouped.program import Grouped
from epsilex.programs.fold import Node


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The groups of the training rows, and the guesses with their constants."""

    groups: Groups
    guesses: list[Grouped]

    def answer(
        self, programs: Sequence[Sequence[Node]], score: Scorer, names: Sequence[str], choose: str | Callable,
        max_length: int,
    ) -> Answer:  # fmt: skip
        """The answer from the programs of a search."""
        return grouped_answer(programs, self.guesses, score, self.groups, names, choose, max_length)


def grouping_of(
    est: Any, labels: np.ndarray | None, X: np.ndarray, y: np.ndarray, weight: np.ndarray, noise: str,
    names: Sequence[str],
) -> tuple[Rows, Grouping] | None:  # fmt: skip
    """The distinct rows as a search sees them, and their groups; None if the estimator has no groups."""
    if labels is None:
        if est.per_group:
            raise ValueError(f"per_group: expected groups, the column of labels, with it; got {list(est.per_group)}")
        return None
    impossible = {
        "choose": rule_of(est.choose).holds_back,
        "polish": not est.polish,
    }
    if any(impossible.values()):
        raise ValueError(
            "groups: expected no validation rows and polished constants with it; got "
            + ", ".join(name for name, value in impossible.items() if value)
        )
    groups = Groups.of(est.groups, labels, weight)
    if Scales.modest(X, y) is not None:
        raise ValueError("groups: expected numbers between 1e-100 and 1e100; the data has others")
    train, groups = groups.with_stand_ins(X, y, weight, standard_errors(est.noise, y))
    return train, Grouping(groups, grouped_guesses(est.guesses, est.per_group, names, train, noise, groups))
