"""Best error and exact median absolute deviation of one case. Legend: `v` the errors of a case, `n` how many, `k` a
rank.

Errors are non-negative, and such floats have the order of the integers with the same bits: `b` is `v` seen as integers.
A median is found by counting: a sorted sample brackets it, interpolation narrows the bracket, and the last few values
are visited in ascending order. Each step is one pass of vector code, while a quickselect would branch per element.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from epsilex.kernels.compiling import inner
from epsilex.kernels.instructions import as_integers

SAMPLE = 8
EXACT_SUM = {"contract", "nsz", "reassoc"}  # for sums of small integers, which are exact in any order


def infinity(v):
    """The plain form of `_infinity`."""
    return as_integers(np.array([np.inf], v.dtype))[0]


@overload(infinity)
def _infinity(v):
    """The integer with the bits of infinity; those of NaN are greater."""
    if v.dtype == types.float32:
        return lambda v: np.int32(0x7F800000)
    return lambda v: np.int64(0x7FF0000000000000)


@inner(fastmath=EXACT_SUM)
def count_at_most(b, n, pivot):
    """How many of b[:n] are <= pivot. Counted in float32, eight to a vector, which is exact to 2**24."""
    count = np.float32(0.0)
    for i in range(n):
        count += np.float32(1.0) if b[i] <= pivot else np.float32(0.0)
    return np.int64(count)


@inner
def least_and_greatest(b, n):
    low = b[0]
    high = b[0]
    for i in range(n):
        low = b[i] if b[i] < low else low
        high = b[i] if b[i] > high else high
    return low, high


@inner
def sort_sample(b, n, sample):
    """SAMPLE values evenly spread over b[:n], in ascending order."""
    for j in range(SAMPLE):
        x = b[j * n // SAMPLE]
        i = j
        while i > 0 and sample[i - 1] > x:
            sample[i] = sample[i - 1]
            i -= 1
        sample[i] = x


@inner
def neighbours(b, n, pivot, limit):
    """Greatest of b[:n] at most the pivot (-1 if there is none), and smallest above it (`limit` if there is none)."""
    none = b.dtype.type(-1)
    below = none
    above = limit
    for i in range(n):
        x = b[i] if b[i] <= pivot else none
        y = b[i] if b[i] > pivot else limit
        below = x if x > below else below
        above = y if y < above else above
    return below, above


@inner
def middle(b, n, k, limit, sample):
    """The k-th smallest (from 1) of b[:n], and the one after it; after the last comes `limit`, above all of them."""
    kind = b.dtype.type
    low, c_low = kind(-1), 0  # always: count(b <= low) = c_low < k <= c_high = count(b <= high)
    high, c_high = kind(-1), n
    if n >= 8 * SAMPLE:
        sort_sample(b, n, sample)
        q = min(SAMPLE - 1, k * SAMPLE // n)
        while 0 <= q < SAMPLE:
            pivot = sample[q]
            c = count_at_most(b, n, pivot)
            if c < k:
                low, c_low = pivot, c
                if high >= 0:
                    break
                q += 1
            else:
                high, c_high = pivot, c
                if low >= 0:
                    break
                q -= 1
    if high < 0:
        high = least_and_greatest(b, n)[1]
    interpolate = True
    while c_high != k and c_low != k - 1:
        share = (k - c_low) / (c_high - c_low) if interpolate else 0.5
        interpolate = not interpolate
        pivot = kind(low + np.int64((high - low) * share))
        if pivot <= low or pivot >= high:
            pivot = kind(low + np.int64((high - low) * 0.5))
            if pivot <= low or pivot >= high:  # adjacent, and the k-th has ties
                return high, high if c_high > k else neighbours(b, n, high, limit)[1]
        c = count_at_most(b, n, pivot)
        if c < k:
            low, c_low = pivot, c
        else:
            high, c_high = pivot, c
    if c_high == k:
        return neighbours(b, n, high, limit)
    value = neighbours(b, n, low, limit)[1]
    if count_at_most(b, n, value) > k:
        return value, value
    return value, neighbours(b, n, value, limit)[1]


@inner
def median(v, n, sample):
    """Median of the finite values v[:n], the mean of the two middle ones if n is even."""
    room = as_integers(sample)
    low, high = middle(as_integers(v), n, (n + 1) // 2, infinity(v), room)
    room[0], room[1] = low, high if n % 2 == 0 else low  # from bits to values
    half = v.dtype.type(0.5)
    return half * sample[0] + half * sample[1]


@inner
def mad(v, n, deviation, sample):
    """Median absolute deviation of the finite values v[:n]  (Eq. 4); `deviation` is room for n values."""
    centre = median(v, n, sample)
    for i in range(n):
        deviation[i] = abs(v[i] - centre)
    return median(deviation, n, sample)


@inner
def finite_values(e, members, n, values):
    """The finite errors e[members[:n]], in order; returns how many."""
    if n == e.size:  # everyone, and usually all are finite: a copy is vector code
        for j in range(n):
            values[j] = e[j]
        low, high = least_and_greatest(as_integers(values), n)
        if low >= 0 and high < infinity(e):  # a NaN with a sign is a negative integer
            return n
    m = 0
    for j in range(n):
        x = e[members[j]]
        values[m] = x
        m += 1 if np.isfinite(x) else 0
    return m


@inner
def least(v, n, sample):
    """The least of the finite values v[:n]."""
    as_integers(sample)[0] = least_and_greatest(as_integers(v), n)[0]
    return sample[0]
