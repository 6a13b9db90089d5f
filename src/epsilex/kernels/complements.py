"""Mates that complement a parent: together they are good on most cases.

Legend: `e` errors with one row per case; `i` an individual, `k` a pair.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import jit


@jit
def complements(e, mothers, fathers, first, last):
    """fathers first..last-1: for each mother the individual with the least sum over the cases of the smaller of both
    errors, the mother herself apart; the first one if several are equal. All errors are finite."""
    cases, n = e.shape
    total = np.empty(n, e.dtype)
    for k in range(first, last):
        mother = mothers[k]
        for i in range(n):
            total[i] = e.dtype.type(0.0)
        for t in range(cases):
            own = e[t, mother]
            for i in range(n):
                x = e[t, i]
                total[i] += x if x < own else own
        best = -1
        for i in range(n):
            if i != mother and (best < 0 or total[i] < total[best]):
                best = i
        fathers[k] = best if best >= 0 else mother
