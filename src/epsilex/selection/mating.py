"""Mating by case order: parents are paired by the cases that selected them.

La Cava, Spector, Danai (2016), Section 5: parents chosen by *different* orders of cases may pass on different
partial solutions; parents chosen by *similar* ones may form niches. The paper leaves both to future work and does not
define similarity of orders. Here it is the cases they share, with more weight on earlier ones.
"""

from __future__ import annotations

import numpy as np

KINDS = ("random", "similar", "different")
DEPTH = 16  # cases of an order to compare
WEIGHT = 0.9  # of each case, relative to the previous one


def paired(parents: np.ndarray, orders: np.ndarray, n_cases: int, kind: str) -> np.ndarray:
    """A permutation of the events in which events 2 j and 2 j + 1 are mates.

    parents  (events,) indices of the individuals
    orders   (events, depth) the cases that selected each, -1 after the last
    kind     "similar" or "different"; an individual is its own mate only if nobody else is left
    """
    shared = overlap(orders, n_cases)
    worth = shared if kind == "similar" else -shared
    worth[parents[:, None] == parents[None, :]] = -np.inf
    free = np.ones(len(parents), bool)
    found = []
    for event in range(len(parents)):
        if free[event]:
            free[event] = False
            found.append(event)
            if free.any():
                others = np.flatnonzero(free)
                mate = others[np.argmax(worth[event, others])]
                free[mate] = False
                found.append(mate)
    return np.array(found, np.int64)


def overlap(orders: np.ndarray, n_cases: int) -> np.ndarray:
    """(events, events): sum over shared cases of the product of their weights, which fall by WEIGHT per place."""
    from scipy.sparse import csr_array

    used = orders >= 0
    weight = np.broadcast_to(WEIGHT ** np.arange(orders.shape[1]), orders.shape)[used]
    rows = np.repeat(np.arange(len(orders)), used.sum(axis=1))
    matrix = csr_array((weight, (rows, orders[used])), shape=(len(orders), n_cases))
    return (matrix @ matrix.T).toarray()
