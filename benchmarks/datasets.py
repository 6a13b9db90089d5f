"""The data of the comparison: seven problems of many kinds, and ten formulas of physics with and without noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1

from benchmarks.feynman_list import FORMULAS, ROWS
from epsilex import problems
from epsilex.problems.partitions import random_rows
from epsilex.problems.problem import Problem

PAPER = ("housing", "tower", "enh", "enc", "uball5d")
REAL = (*PAPER, "friedman1", "diabetes")


@dataclass(frozen=True)
class Data:
    """One draw of a problem.

    X, y      training rows, (rows, features) and (rows,)
    mae_unit  factor from an absolute error to the unit it is reported in
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    mae_unit: float = 1.0


def load(name: str, noise: float, seed: int) -> Data:
    """Training and test rows that `seed` draws; `noise` is for the formulas alone."""
    if name in FORMULAS:
        return physics(name, noise, seed)
    problem = real(name, seed)
    train, test = problem.split(seed)
    return Data(train.X, train.y, test.X, test.y, problem.target_scale)


def real(name: str, seed: int) -> Problem:
    """Problems of files and generators, z-scored, but for Friedman-1: 1000 rows drawn by `seed`, noise of sd 1."""
    if name in PAPER:
        return problems.load(name)
    if name == "diabetes":
        bunch = load_diabetes(scaled=False)
        return Problem("diabetes", "Diabetes", bunch.data, bunch.target, tuple(bunch.feature_names), "", random_rows)
    if name == "friedman1":
        X, y = make_friedman1(1000, noise=1.0, random_state=seed)
        names = tuple(f"x{i}" for i in range(X.shape[1]))
        return Problem("friedman1", "Friedman-1", X, y, names, "", random_rows, z_scored=False)
    raise ValueError(f"problem: expected one of {', '.join((*REAL, *FORMULAS))}; got {name!r}")


def physics(name: str, noise: float, seed: int) -> Data:
    """A formula in raw units; `noise` standard deviations of the target are added to the training target alone."""
    formula = FORMULAS[name]
    rng = np.random.default_rng(seed)
    X, X_test = formula.draw(ROWS, rng), formula.draw(ROWS, rng)
    y = formula.values(X)
    return Data(X, y + noise * y.std() * rng.normal(size=ROWS), X_test, formula.values(X_test))
