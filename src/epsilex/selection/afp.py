"""Age-fitness Pareto optimisation (AFP): random parents, survival by age and fitness.

Schmidt, Lipson, "Age-fitness Pareto optimization", Genetic Programming Theory and Practice VIII (2011); survival by the
environmental selection of SPEA2, Zitzler, Laumanns, Thiele (2001), as in the paper.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection import environmental
from epsilex.selection.methods import Address, Measures, Method, Selected, generator


def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1) -> Selected:
    """Everyone in random order: each individual is a parent once before any is a parent twice, as in the authors'
    program."""
    rng, size = generator(address, 0), len(measures)
    rounds = [rng.permutation(size) for _ in range(-(-n // size))]
    return Selected(np.concatenate(rounds)[:n] if rounds else np.empty(0, np.int64), np.zeros(n))


def survive(fitness: np.ndarray, age: np.ndarray, n: int) -> np.ndarray:
    """Indices of the `n` survivors, ascending. Distances are between objectives divided by their greatest values, as in
    the authors' program."""
    finite = np.isfinite(fitness)
    worst = fitness[finite].max(initial=1.0)
    objectives = np.stack([np.where(finite, fitness, 10.0 * worst + 1.0), age], axis=1).astype(np.float64)
    greatest = objectives.max(axis=0)
    return np.sort(environmental.survivors(objectives, objectives / np.where(greatest > 0.0, greatest, 1.0), n))


def survivors(measures: Measures, n: int, address: Address) -> np.ndarray:
    return survive(measures.fitness, measures.age, n)


METHOD = Method("afp", "AFP", parents, survivors)
