"""Non-dominated fronts of two objectives, both minimised; `dominance` has any number.

Legend: `f`, `g` the two objectives; `i`, `j` individuals.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import jit


@jit
def front_ranks(f, g, order, rank):
    """Rank of each individual's non-dominated front, from 0; `order` sorts by (f, g).

    Individuals are visited by (f, g), and each front keeps the least g of its members so far. The first front whose
    least g is above g(i), or equal with the same f, takes i. Fronts are ordered, so binary search finds it.
    """
    n = f.size
    least_g = np.empty(n)
    last_f = np.empty(n)
    fronts = 0
    for q in range(n):
        i = order[q]
        low, high = 0, fronts
        while low < high:
            middle = (low + high) // 2
            # The front's last member dominates i unless it has a larger g, or is equal in both.
            if g[i] < least_g[middle] or (g[i] == least_g[middle] and f[i] == last_f[middle]):
                high = middle
            else:
                low = middle + 1
        if low == fronts:
            fronts += 1
        rank[i] = low
        least_g[low] = g[i]
        last_f[low] = f[i]
