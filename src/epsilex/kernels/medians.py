"""Medians of a tile of cases, each over the whole population.

Legend: `c` a case of the tile; `b` its errors seen as integers, which have the same order, in whole words of 64;
`keys` the highest 16 bits of `b`, which take half the time to count; `n` how many are finite; `k` and `last` the middle
ranks, from 1, equal if n is odd; `(low, high]` a bracket of keys around both.
A sorted sample guesses a pivot, its count corrects the guess, interpolation narrows the bracket, and the few remaining
values are sorted. Samples and remaining values are sorted for all cases of the tile at once, by a sorting network, one
case per lane.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from epsilex.kernels.compiling import OPTIONS, inner
from epsilex.kernels.instructions import as_integers, popcount, trailing_zeros, word_at_most
from epsilex.kernels.thresholds import SAMPLE, infinity, neighbours
from epsilex.kernels.thresholds import middle as whole_middle

u64 = np.uint64
TILE = 64  # cases
ROWS = 32  # individuals in a sample, and largest final bracket
SPARE = 3  # values of a word that are taken without asking whether there are so many
LAST_BIT = u64(1 << 63)
MARGIN = 0.6  # by which interpolation overshoots the rank, in sqrt(values in the bracket): that side is the shorter
HALVE = 3  # interpolations between halvings of the bracket, so that no distribution of errors is slow


def key(x):
    """The plain form of `_key`."""
    return np.int16(x >> (8 * x.itemsize - 16))


@overload(key, jit_options=OPTIONS)
def _key(x):
    """The highest 16 bits of an integer; a constant shift, so that its loops are vector code of the same width."""
    if x.bitwidth == 32:
        return lambda x: np.int16(x >> 16)
    return lambda x: np.int16(x >> 48)


@inner
def sort_lanes(a):
    """Sort the first ROWS values of each column of a (any, TILE): Batcher's odd-even merge sort, the same comparisons
    for all values."""
    p = 1
    while p < ROWS:
        k = p
        while k >= 1:
            for j in range(k % p, ROWS - k, 2 * k):
                for i in range(j, min(j + k, ROWS - k)):
                    if i // (2 * p) == (i + k) // (2 * p):
                        for c in range(TILE):
                            less, more = min(a[i, c], a[i + k, c]), max(a[i, c], a[i + k, c])
                            a[i, c], a[i + k, c] = less, more
            k //= 2
        p *= 2


@inner
def count_at_most(keys, words, pivot):
    """How many keys are <= pivot."""
    count = u64(0)
    for w in range(words):
        count += popcount(word_at_most(keys, w, pivot))
    return np.int64(count)


@inner
def collect(b, keys, words, low, high, found, c):
    """Column c of `found`: the values whose keys are in (low, high], then SPARE others.

    A word has few, but their number is hard to predict: SPARE are taken from each, and the next word overwrites what is
    too much.
    """
    m = 0
    for w in range(words):
        word = word_at_most(keys, w, high) & ~word_at_most(keys, w, low)
        count = np.int64(popcount(word))
        for q in range(SPARE):
            found[m + q, c] = b[64 * w + np.int64(trailing_zeros(word | LAST_BIT))]
            word &= word - u64(1)
        for q in range(SPARE, count):
            found[m + q, c] = b[64 * w + np.int64(trailing_zeros(word))]
            word &= word - u64(1)
        m += count
    return m


@inner
def middle(b, keys, words, n, shift, limit, sample, found, c, room):
    """Column c of `found`: a few values, among them the middle ranks of b; returns the place of the first one after
    sorting. `found` has SPARE rows more than ROWS; `sample` (ROWS, TILE) is sorted; `room` is for
    `thresholds.middle`."""
    k, last = (n + 1) // 2, n // 2 + 1
    low, below, high, upto = np.int64(-1), 0, np.int64(limit >> shift) - 1, n  # counts of keys at most `low`, `high`
    per_rank = ROWS / n
    q = np.int64(k * per_rank)
    turns = 0
    while upto - below > ROWS and high - low > 1:
        if 0 <= q < ROWS:
            pivot = np.int64(key(sample[q, c]))
        else:
            left = upto - below
            margin = MARGIN * np.sqrt(left)
            rank = k - below + (margin if 2 * (k - below) < left else -margin)
            turns += 1
            pivot = low + np.int64((high - low) * (rank / left if turns % HALVE > 0 else 0.5))
        pivot = min(max(pivot, low + 1), high - 1)
        count = count_at_most(keys, words, np.int16(pivot))
        if count < k:
            low, below = pivot, count
            q += np.int64((k - count) * per_rank) + 1 if upto == n else ROWS
        elif count >= last:
            high, upto = pivot, count
            q -= np.int64((count - k) * per_rank) + 1 if below == 0 else -ROWS
        else:  # between the middle ranks
            found[0, c], found[1, c] = neighbours(b, 64 * words, b.dtype.type(((pivot + 1) << shift) - 1), limit)
            return 0
    if upto - below > ROWS:  # equal keys, from ties
        found[0, c], found[1, c] = whole_middle(b, 64 * words, k, limit, room)
        return 0
    m = collect(b, keys, words, np.int16(low), np.int16(high), found, c)
    for q in range(SPARE):
        found[m + q, c] = limit
    return k - below - 1


@inner
def medians(e, words, finite, centre, out):
    """out: medians of |e[c] - centre[c]| over the finite values of the rows of e (TILE, at least words * 64), of which
    there are `finite` (cases,); NaN where there are none. NaN fills the rows up to whole words."""
    limit, shift = infinity(e), 8 * (e.itemsize - 2)
    row, keys, places = np.empty(64 * words, e.dtype), np.empty(64 * words, np.int16), np.zeros(TILE, np.int64)
    sample, found = np.empty((ROWS, TILE), e.dtype), np.full((ROWS + SPARE, TILE), np.inf, e.dtype)
    b, room = as_integers(row), as_integers(np.empty(SAMPLE, e.dtype))
    samples, rests = as_integers(sample), as_integers(found)
    for j in range(ROWS):
        for c in range(finite.size):
            sample[j, c] = abs(e[c, (2 * j + 1) * finite[c] // (2 * ROWS)] - centre[c])
    sort_lanes(samples)
    for c in range(finite.size):
        if finite[c] > 0:
            for i in range(row.size):
                row[i] = abs(e[c, i] - centre[c])
            for i in range(row.size):
                keys[i] = key(b[i])
            places[c] = middle(b, keys, words, finite[c], shift, limit, samples, rests, c, room)
    sort_lanes(rests)
    half = e.dtype.type(0.5)
    for c in range(finite.size):
        x, y = found[places[c], c], found[places[c] + (1 if finite[c] % 2 == 0 else 0), c]
        out[c] = half * x + half * y if finite[c] > 0 else np.nan
