"""Dynamic subset selection: tournaments on a subset of the cases, in which hard and long unused cases are more likely.

Gathercole, Ross, "Dynamic training subset selection for supervised learning in genetic programming", PPSN III (1994),
from memory. The weight of a case is difficulty^1 + age^3.5 with the constants we remember, unchecked; it is in the
subset with probability weight * size / (sum of weights). Difficulty counts the individuals that failed the case when it
was last in the subset, age the generations since. A case is failed by an error above the population's best by more than
its MAD (Eq. 5), which is our choice for continuous errors.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, generator, number
from epsilex.selection.rules import solved
from epsilex.selection.scores import by_tournament

DIFFICULTY, AGE = 1.0, 3.5  # exponents
SUBSET = 9  # purpose


def parents(
    measures: Measures, n: int, address: Address, n_jobs: int = 1, *, tournament_size: int = 2, share: float = 0.1
) -> Selected:
    n_cases = measures.errors.shape[1]
    number("share", share, 0.0, 1.0)
    difficulty, age = measures.recalled("difficulty", n_cases), measures.recalled("age", n_cases)
    if difficulty is None or age is None:
        difficulty, age = np.zeros(n_cases), np.ones(n_cases)
    inside = subset(difficulty, age, max(1.0, share * n_cases), generator(address, SUBSET))
    seen = measures.on(np.flatnonzero(inside))
    failed = len(measures) - solved(seen, n_jobs).sum(axis=0, dtype=np.float64)
    difficulty = difficulty.copy()
    difficulty[inside] = failed
    memory = {"difficulty": difficulty, "age": np.where(inside, 1.0, age + 1.0)}
    chosen = by_tournament(seen.fitness, n, address, tournament_size)
    return Selected(chosen, np.full(n, inside.mean()), memory)


def subset(difficulty: np.ndarray, age: np.ndarray, size: float, rng: np.random.Generator) -> np.ndarray:
    """(cases,) bool: about `size` of them, at least one."""
    weight = difficulty**DIFFICULTY + age**AGE
    inside = rng.random(len(weight)) < weight * (size / weight.sum())
    inside[np.argmax(weight * rng.random(len(weight)))] |= not inside.any()
    return inside


METHOD = Method("dss", "DSS", parents, options=("tournament_size", "share"))
