"""UBall5D with any number of cases, and the errors of real populations on it, early and late in a trial."""

from __future__ import annotations

import numpy as np

from epsilex.evolution import Cases, Run, Settings, evolve

EARLY, LATE = 5, 200  # generations


def uball5d(n_cases: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Training data of the paper's UBall5D problem, z-scored: X (n_cases, 5), y (n_cases,)."""
    X = np.random.default_rng(seed).uniform(0.05, 6.05, (n_cases, 5))
    y = 10.0 / (5.0 + ((X - 3.0) ** 2).sum(axis=1))
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def errors_early_and_late(n_cases: int) -> dict[str, np.ndarray]:
    """Errors (1000 individuals, cases) of the paper's system with `lex_e_mad` at two generations of one trial."""
    names = {EARLY: "early", LATE: "late"}
    found = {}
    for state in evolve(Run(Cases.from_arrays(*uball5d(n_cases)), Settings.paper(selection="lex_e_mad", seed=0))):
        if state.generation in names:
            found[names[state.generation]] = state.population.errors.copy()
        if state.generation == LATE:
            return found
    raise AssertionError("the search ended before its time")
