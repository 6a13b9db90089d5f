"""Partitions into training and test rows; each rule is a function (problem, rng) -> (train, test)."""

from __future__ import annotations

import numpy as np

from epsilex.problems.problem import Problem, Split


def training_rows(rows: int) -> int:
    """70% of the rows, halves rounded up: the paper's sizes (Table 1)."""
    return (7 * rows + 5) // 10


def random_rows(problem: Problem, rng: np.random.Generator) -> tuple[Split, Split]:
    """70% of the rows for training, drawn at random, the rest for the test."""
    X, y = problem.scaled(problem.X, problem.y)
    order = rng.permutation(len(y))
    train, test = np.split(order, [training_rows(len(y))])
    return Split(X[train], y[train]), Split(X[test], y[test])


def random_times(problem: Problem, rng: np.random.Generator) -> tuple[Split, Split]:
    """The same for a time series: both sides hold all rows in time order, and weights separate them.

    A model in free run steps through every row, so none may be removed.
    """
    X, y = problem.scaled(problem.X, problem.y)
    weight = np.zeros(len(y))
    weight[rng.permutation(len(y))[: training_rows(len(y))]] = 1.0
    return Split(X, y, weight, problem.measured), Split(X, y, 1.0 - weight, problem.measured)
