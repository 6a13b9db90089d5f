"""Interleaved sampling: one generation of tournaments on all cases, the next on a single random case.

Goncalves, Silva, "Balancing learning and overfitting in genetic programming with interleaved sampling of training
data", EuroGP (2013), abstract. `single` is the probability of a generation on a single case (random interleaved
sampling); None: every second one. The authors also vary the ratio of the deterministic form.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, generator, number
from epsilex.selection.scores import by_tournament

CASE = 9  # purpose


def parents(
    measures: Measures, n: int, address: Address, n_jobs: int = 1, *, tournament_size: int = 2,
    single: float | None = None,
) -> Selected:  # fmt: skip
    rng, n_cases = generator(address, CASE), measures.errors.shape[1]
    case, chance = rng.integers(n_cases, size=1), rng.random()
    alone = address.generation % 2 == 1 if single is None else chance < number("single", single, 0.0, 1.0)
    seen = measures.on(case) if alone else measures
    used = 1.0 / n_cases if alone else 1.0
    return Selected(by_tournament(seen.fitness, n, address, tournament_size), np.full(n, used))


METHOD = Method("interleaved", "Interleaved", parents, options=("tournament_size", "single"))
