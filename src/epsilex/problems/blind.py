"""Ablations: a problem whose last input column is read as 0.

For some weeks of its history the authors' program read it so. These problems show what that does to results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from epsilex.problems.problem import Problem, Split

SUFFIX = "_blind"


def blind(problem: Problem) -> Problem:
    """The problem with the last column 0 on both sides of every split."""
    column = problem.feature_names[-1]
    return replace(
        problem,
        name=problem.name + SUFFIX,
        title=f"{problem.title} (without {column})",
        partition=_Blind(problem.partition),
        notes=(*problem.notes, f"An ablation: the last input column, {column}, is read as 0."),
    )


@dataclass(frozen=True)
class _Blind:
    """A partition whose sides have 0 in the last column."""

    partition: Callable[[Problem, np.random.Generator], tuple[Split, Split]]

    def __call__(self, problem: Problem, rng: np.random.Generator) -> tuple[Split, Split]:
        train, test = self.partition(problem, rng)
        return _blinded(train), _blinded(test)


def _blinded(side: Split) -> Split:
    X = side.X.copy()
    X[:, -1] = 0.0
    return replace(side, X=X)
