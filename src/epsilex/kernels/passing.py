"""Who passes which case, for best error and width over the population; computed one tile of cases at a time.

Legend: `t` a case, `c` its place in the tile, `i` an individual; `e` errors with one row per case; `bits` pass/fail of
each case, 64 individuals per word; `verdicts` the same of each individual, 64 cases per word.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.instructions import as_integers, transpose_eight, word_at_most
from epsilex.kernels.medians import TILE, medians
from epsilex.kernels.thresholds import infinity, least_and_greatest

u64 = np.uint64
NO_BEST, POPULATION, POOL = 0, 1, 2  # scope of the best error
FIXED, MAD_POPULATION, MAD_POOL, SPLIT_POPULATION, SPLIT_POOL = 0, 1, 2, 3, 4  # kind of the width
LINE = 16  # values of padding per row: rows 4096 bytes apart would compete for cache


@inner
def turn(errors, who, cases, e, first, last):
    """e (cases from `first` on, pool) from errors (individuals, all cases), for `cases` first..last-1, which ascend,
    and individuals `who`.

    Eight rows are read side by side; the lines being written, one per case of the tile, stay in cache until they are
    full. Clears the sign of zero, which the thresholds' integers would see. Negative errors are rounding; -infinity
    fails every case.
    """
    n = who.size
    size, down = e.itemsize, e.strides[0]
    source, target, rows = np.int64(errors.ctypes.data), np.int64(e.ctypes.data), np.empty(8, np.int64)
    for t0 in range(first, last, TILE):
        t1 = min(t0 + TILE, last)
        side_by_side = cases[t1 - 1] - cases[t0] == t1 - 1 - t0 and errors.strides[1] == size
        whole_q, whole_t = (n - n % 8, t1 - (t1 - t0) % 8) if side_by_side else (0, t0)
        for q in range(0, whole_q, 8):
            for j in range(8):
                rows[j] = source + who[q + j] * errors.strides[0]
            for t in range(t0, whole_t, 8):
                transpose_eight(e, rows, cases[t] * size, target + (t - first) * down + q * size, down)
        for q in range(n if whole_t < t1 else 0):
            for t in range(whole_t, t1):
                e[t - first, q] = errors[who[q], cases[t]]
        for q in range(whole_q, n):
            for t in range(t0, whole_t):
                e[t - first, q] = errors[who[q], cases[t]]
        for t in range(t0, t1):
            without_signs(e[t - first])


@jit
def case_major(errors, who, cases, e):
    """e (cases, pool) from errors (individuals, all cases)."""
    turn(errors, who, cases, e, np.int64(0), cases.size)


@inner
def without_signs(row):
    zero, nan = row.dtype.type(0.0), row.dtype.type(np.nan)
    for q in range(row.size):
        x = row[q]
        row[q] = (zero if x > -np.inf else nan) if x <= zero else abs(x)


@inner
def extremes(e, n, finite, best):
    """For the first n values of each row: how many are finite, and the least of these; infinity if none is."""
    b, least, limit = as_integers(e), as_integers(best), infinity(e)
    for c in range(finite.size):
        least[c], greatest = least_and_greatest(b[c], n)
        finite[c] = n
        if greatest >= limit:
            finite[c] = 0
            for i in range(n):
                finite[c] += 1 if b[c, i] < limit else 0


@inner
def transpose(words):
    """Transpose 64 x 64 bits: off-diagonal blocks are swapped, at half the size each time."""
    size, mask = 32, u64(0x00000000FFFFFFFF)
    while size > 0:
        for start in range(0, 64, 2 * size):
            for i in range(start, start + size):
                x = ((words[i] >> u64(size)) ^ words[i + size]) & mask
                words[i + size] ^= x
                words[i] ^= x << u64(size)
        size //= 2
        mask ^= mask << u64(size)


@jit
def pass_bits(errors, who, cases, scale, best_scope, width_kind, epsilon, bits, verdicts, first, last):
    """Thresholds over the population, and who passes them, for tiles first..last-1 of the cases.

    bits (cases, words), verdicts (words * 64, tiles)
    """
    n, words, kind = who.size, bits.shape[1], errors.dtype.type
    e = np.full((TILE, 64 * words + LINE), np.nan, errors.dtype)
    best, centre, width = np.empty(TILE, e.dtype), np.empty(TILE, e.dtype), np.full(TILE, epsilon, e.dtype)
    block = np.empty(64, np.uint64)
    for tile in range(first, last):
        start, end = tile * TILE, min((tile + 1) * TILE, cases.size)
        finite = np.empty(end - start, np.int64)
        turn(errors, who, cases, e, start, end)
        extremes(e, n, finite, best)
        if width_kind != FIXED:
            centre[:] = kind(0.0)
            medians(e, words, finite, centre, centre)
            medians(e, words, finite, centre, width)
        for c in range(end - start):
            limit = width[c] if best_scope == NO_BEST else kind(scale) * best[c] + width[c]
            limit = limit if finite[c] > 0 else kind(np.nan)
            for w in range(words):
                bits[start + c, w] = word_at_most(e[c], w, limit)
        for w in range(words):
            for c in range(64):
                block[c] = bits[start + c, w] if c < end - start else u64(0)
            transpose(block)
            for i in range(64):
                verdicts[64 * w + i, tile] = block[i]
