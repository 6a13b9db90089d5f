"""Which cases, in which order, selected a parent: drawn again from the stream of its selection event.

A stream is a pure function of its address, so selection need not store what it drew. Legend: see `lexicase`.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import jit
from epsilex.kernels.drawing import draw_case, draw_pool, reset_order
from epsilex.kernels.streams import draw, key


@jit
def case_orders(
    place, n_places, cumulative, n_cases, pool_size, neighbourhood, placed, seed, generation, purpose, n_events, used,
    orders,
):
    """orders (events, depth): the first cases of each event that used `used` of them, then -1."""
    members = np.empty(place.size, np.int64)
    order, swaps = np.arange(n_cases), np.empty(n_cases, np.int64)
    drawn = np.zeros(n_cases, np.uint8)
    s = np.empty(1, np.uint64)
    depth = orders.shape[1]
    for event in range(n_events):
        s[0] = key(seed, generation, purpose, event)
        draw(s)  # the number that chooses among the last survivors
        draw_pool(s, members, place, n_places, event, n_events, neighbourhood, pool_size)
        m = min(used[event], depth)
        for j in range(m):
            orders[event, j] = draw_case(s, j, order, swaps, cumulative, drawn, placed)
        for j in range(m, depth):
            orders[event, j] = -1
        reset_order(order, swaps, drawn, m, cumulative.size > 0)
