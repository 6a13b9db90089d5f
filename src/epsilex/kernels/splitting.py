"""The split of a case's errors into two groups of least variance within. Legend: `v` the errors, `n` how many.

The sum of squares within the groups is least where that between them, `left * right * (difference of means)^2 / n`, is
greatest. Errors are divided by the greatest one, so that no square overflows.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.instructions import as_integers

u64 = np.uint64


@inner
def split(v, n):
    """The greatest error of the better group of the finite values v[:n], which it sorts; the only error if all are
    equal."""
    as_integers(v)[:n].sort()  # errors have the order of their bits, which are faster to compare
    return sorted_split(v, n)


@inner
def sorted_split(v, n):
    """As `split`, of ascending values."""
    greatest = np.float64(v[n - 1])
    if v[0] == v[n - 1]:
        return v[0]
    total = 0.0
    for i in range(n):
        total += v[i] / greatest
    best, at = -1.0, 0
    left = 0.0
    for i in range(n - 1):
        left += v[i] / greatest
        if v[i] < v[i + 1]:
            a, b = np.float64(i + 1), np.float64(n - i - 1)
            difference = left / a - (total - left) / b
            between = a * b * difference * difference
            if between > best:
                best, at = between, i
    return v[at]


@jit
def split_limits(e, limits):
    """limits (cases,): the split of the finite errors of each row of e (cases, individuals), whose rows ascend; NaN if
    none is finite."""
    for t in range(e.shape[0]):
        m = e.shape[1]
        while m > 0 and not np.isfinite(e[t, m - 1]):
            m -= 1
        limits[t] = sorted_split(e[t], m) if m > 0 else np.nan


@inner
def mark(members, size, pool, inside):
    """Who is in the pool, as bits and as bytes; bits only if there is room for them."""
    for w in range(pool.size):
        pool[w] = u64(0)
    for i in range(inside.size):
        inside[i] = 0
    for q in range(size):
        i = members[q]
        inside[i] = 1
        if pool.size > 0:
            pool[i >> 6] |= u64(1) << u64(i & 63)


@inner
def all_pass(pool, row):
    failing = u64(0)
    for w in range(pool.size):
        failing |= pool[w] & ~row[w]
    return failing == u64(0)


@inner
def split_of_sorted(e, ascending, inside, values):
    """The split of the pool's finite errors, of which the ascending order is known; NaN if there are none."""
    m = 0
    for k in range(ascending.size):
        i = ascending[k]
        if not np.isfinite(e[i]):
            break
        values[m] = e[i]
        m += inside[i]
    return sorted_split(values, m) if m > 0 else e.dtype.type(np.nan)
