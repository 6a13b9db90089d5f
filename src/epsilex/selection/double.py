"""Double lexicase: of ten winners of dynamic epsilon-lexicase one is drawn, the shorter the more likely.

Zhang, Chen, Xue, Banzhaf, Zhang, "A double lexicase selection operator for bloat control in evolutionary feature
construction for regression", GECCO (2023), and the authors' program: the weight of a winner is the greatest plus the
least length of the ten, less its own. Ten events for each parent: slow by its nature.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from epsilex.selection import lexicase
from epsilex.selection.methods import Address, Measures, Method, Selected, at_least_one, generator
from epsilex.selection.rules import Rule

DRAW = 9  # purpose
_winners = partial(lexicase.parents, rule=Rule(best="pool", width="pool"))


def parents(
    measures: Measures, n: int, address: Address, n_jobs: int = 1, *, winners: int = 10, **options: Any
) -> Selected:
    k = at_least_one("winners", winners)
    found = _winners(measures, n * k, address, n_jobs, **options)
    candidates = found.parents.reshape(n, k)
    length = measures.length[candidates].astype(np.float64)
    weight = np.cumsum(length.max(axis=1, keepdims=True) + length.min(axis=1, keepdims=True) - length, axis=1)
    mark = generator(address, DRAW).random((n, 1)) * weight[:, -1:]
    chosen = candidates[np.arange(n), np.minimum((weight <= mark).sum(axis=1), k - 1)]
    return Selected(chosen, found.cases_used.reshape(n, k).mean(axis=1), found.memory)


METHOD = Method("double", "Double lexicase", parents, options=("winners", *lexicase.OPTIONS))
