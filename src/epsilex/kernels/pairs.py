"""Pairs of terms: the best R2 of each term together with another.

Legend: `r` a term's correlation with the target, `g` that of two terms with each other.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit

one, two, zero = np.float32(1.0), np.float32(2.0), np.float32(0.0)


@inner
def explained(a, r, g, collinear, row):
    """row[j]: R2 of a term of correlation `a` together with term j, (a^2 + r^2 - 2 a r g) / (1 - g^2); 0 if they are
    collinear."""
    for j in range(row.size):
        spread = one - g[j] * g[j]
        together = a * a + r[j] * r[j] - two * a * r[j] * g[j]
        row[j] = together / spread if spread > collinear else zero


@inner(fastmath={"nnan", "nsz"})
def greatest(row):
    top = zero
    for j in range(row.size):
        top = row[j] if row[j] > top else top
    return top


@jit
def best_partners(r, gram, collinear, best, partner):
    """best[i], partner[i]: the greatest R2 of term i together with another, and that partner. Two passes of vector
    code, except for finding the index of the greatest."""
    n = r.size
    row = np.empty(n, np.float32)
    for i in range(n):
        explained(r[i], r, gram[i], collinear, row)
        best[i] = greatest(row)
        j = 0
        while j < n - 1 and row[j] != best[i]:
            j += 1
        partner[i] = j
