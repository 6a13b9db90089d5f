"""Age-fitness Pareto optimisation (AFP): random parents, survival by age and fitness.

Schmidt, Lipson, "Age-fitness Pareto optimization", Genetic Programming Theory and Practice VIII (2011); survival by the
environmental selection of SPEA2, Zitzler, Laumanns, Thiele (2001), as in the paper.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, generator


def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1) -> Selected:
    """Everyone in random order: each individual is a parent once before any is a parent twice, as in the authors'
    program."""
    rng, size = generator(address, 0), len(measures)
    rounds = [rng.permutation(size) for _ in range(-(-n // size))]
    return Selected(np.concatenate(rounds)[:n] if rounds else np.empty(0, np.int64), np.zeros(n))


def survive(fitness: np.ndarray, age: np.ndarray, n: int) -> np.ndarray:
    """Indices of the `n` survivors, ascending.

    SPEA2: all non-dominated individuals survive. If they are too few, the best by raw fitness and density join them. If
    they are too many, those nearest to their neighbours are removed first. Density only decides among equal raw
    fitness, so it is computed for that last group only. Distances are between objectives divided by their greatest
    values, as in the authors' program.
    """
    from epsilex.kernels import pareto

    finite = np.isfinite(fitness)
    worst = fitness[finite].max(initial=1.0)
    f = np.where(finite, fitness, 10.0 * worst + 1.0).astype(np.float64)
    g = np.asarray(age, np.float64)
    raw = np.empty(len(f), np.int64)
    pareto.spea2_raw_fitness(f, g, raw)
    f, g = _over_greatest(f), _over_greatest(g)
    order = np.argsort(raw, kind="stable")
    cut = raw[order[n - 1]]
    kept = np.flatnonzero(raw < cut)
    last = np.flatnonzero(raw == cut)
    wanted = n - len(kept)
    if wanted < len(last):
        last = _truncated(f, g, last, wanted) if cut == 0 else _sparsest(f, g, last, wanted)
    return np.sort(np.concatenate([kept, last]))


def _over_greatest(objective: np.ndarray) -> np.ndarray:
    greatest = objective.max()
    return objective / greatest if greatest > 0 else objective


def _sparsest(f, g, who, wanted: int) -> np.ndarray:
    """The `wanted` individuals of lowest density: greatest distance to the k-th neighbour, k = sqrt(population)."""
    from epsilex.kernels import pareto

    distance = np.empty(len(who))
    pareto.kth_neighbour_distance(f, g, who, max(1, int(np.sqrt(len(f)))), distance)
    return who[np.argsort(-distance, kind="stable")[:wanted]]


def _truncated(f, g, who, wanted: int) -> np.ndarray:
    from epsilex.kernels import pareto

    points, inverse, count = np.unique(
        np.stack([f[who], g[who]], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    left = count.astype(np.int64)
    pareto.spea2_truncate(points[:, 0].copy(), points[:, 1].copy(), left, len(who) - wanted)
    inverse = inverse.reshape(-1)
    order = np.argsort(inverse, kind="stable")
    place = np.arange(len(who)) - np.repeat(np.cumsum(count) - count, count)
    return who[order[place < left[inverse[order]]]]


METHOD = Method("afp", "AFP", parents, survive)
