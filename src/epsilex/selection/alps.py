"""Age-layered population structure (ALPS): individuals compete and mate within layers of similar age, and newcomers
enter the youngest one.

Hornby, "ALPS: the age-layered population structure for reducing the problem of premature convergence", GECCO (2006),
abstract; age limits are `age_gap` times 1, 2, 4, 9, 16 and so on (his polynomial scheme), the last layer has none. A
layer is all individuals between two limits. Both parents of a pair are from a layer and the one below it. Every layer
keeps its fittest, as many as its part of the population; places that a layer leaves free go to the older ones. Every
`age_gap` generations newcomers join, as many as a layer holds. Everyone ages by one each generation here, and a child
is as old as the older of its parents; Hornby's individuals age when they are parents.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, alive, at_least_one, generator
from epsilex.selection.scores import by_tournament

LAYER = 9  # purpose


def parents(
    measures: Measures, n: int, address: Address, n_jobs: int = 1, *, tournament_size: int = 2, layers: int = 5,
    age_gap: int = 10,
) -> Selected:  # fmt: skip
    layer = layer_of(measures.age, at_least_one("layers", layers), at_least_one("age_gap", age_gap))
    living = alive(measures.fitness)
    own = np.unique(layer[living])
    of_pair = generator(address, LAYER).permutation(own[np.arange((n + 1) // 2) % len(own)])
    chosen = np.empty(n, np.int64)
    for each in own:
        slots = np.flatnonzero(np.repeat(of_pair, 2)[:n] == each)
        near = living & ((layer == each) | (layer == each - 1))
        seed = Address(int(generator(address, LAYER).integers(2**62)) + int(each), address.generation)
        chosen[slots] = by_tournament(measures.fitness, len(slots), seed, tournament_size, near)
    return Selected(chosen, np.zeros(n))


def layer_of(age: np.ndarray, layers: int, age_gap: int) -> np.ndarray:
    """(individuals,): the youngest layer whose age limit is at least the age."""
    scheme = np.array([1, 2, *(k * k for k in range(2, layers))])[: layers - 1]
    return np.searchsorted(age_gap * scheme, age, side="left")


def survive(
    measures: Measures, n: int, address: Address, *, tournament_size: int = 2, layers: int = 5, age_gap: int = 10
) -> np.ndarray:
    layer = layer_of(measures.age, layers, age_gap)
    fitness = np.where(np.isfinite(measures.fitness), measures.fitness, np.inf)
    order = np.lexsort((np.arange(len(layer)), fitness))
    kept: list[np.ndarray] = []
    places = np.diff(np.linspace(0, n, layers + 1).astype(np.int64))
    free = 0
    for each in range(layers):
        free += int(places[each])
        best = order[layer[order] == each][:free]
        kept.append(best)
        free -= len(best)
    survivors = np.concatenate(kept)
    rest = order[~np.isin(order, survivors)]
    return np.concatenate([survivors, rest[:free]])


def newcomers(generation: int, n: int, *, tournament_size: int = 2, layers: int = 5, age_gap: int = 10) -> int:
    return max(1, n // layers) if generation % age_gap == age_gap - 1 else 0


METHOD = Method(
    "alps", "ALPS", parents, survive, ("tournament_size", "layers", "age_gap"), survival="by_method",
    newcomers=newcomers,
)  # fmt: skip
