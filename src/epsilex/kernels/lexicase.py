"""The lexicase filter: every rule is one threshold, `scale * best_error + width`, and an individual passes a case
where its error is at most that.

Legend: `t` a case, `i` an individual, `e` errors with one row a case; `pool` the individuals still in a selection
event; `bits` pass/fail of the whole population, 64 individuals a word.
Where best error and width are over the population, passing does not depend on the pool and an event is AND and
popcount. Where either is over the pool, the pool is a list of indices, and a width over the population is made for
cases that are drawn.

An event draws from its own stream: first the number that will choose among the last survivors, then its pool, then the
cases one at a time (a Fisher-Yates shuffle that stops when the event does).
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit, load_word, popcount, trailing_zeros
from epsilex.kernels.streams import below, draw, key, mix, unit
from epsilex.kernels.thresholds import SAMPLE, finite_values, least, mad

u64 = np.uint64
NO_BEST, POPULATION, POOL = 0, 1, 2  # scope of the best error
FIXED, MAD_POPULATION, MAD_POOL = 0, 1, 2  # kind of the width
PACK = u64(0x0102040810204080)  # gathers the lowest bits of eight bytes into one byte
TILE = 64  # cases whose errors are turned at a time
IDLE_CASES = 8  # cases that removed nobody, after which equal pass vectors are looked for


@inner
def turn(errors, who, cases, e, first, last):
    """e (cases from `first` on, pool) from errors (individuals, all cases), for cases first..last-1 and individuals
    `who`.

    Four rows are read side by side; the lines being written, one a case of the tile, stay in cache until they are full.
    A zero loses its sign, which the thresholds' integers would see; below 0 are only a loss's roundings, or -infinity,
    which is as bad as any.
    """
    n = who.size
    flat, stride, one, two, three = e.reshape(-1), u64(n), u64(1), u64(2), u64(3)  # unsigned: no check for places < 0
    for t0 in range(first, last, TILE):
        t1 = min(t0 + TILE, last)
        for q in range(0, n - 3, 4):
            a, b, c, d = errors[who[q]], errors[who[q + 1]], errors[who[q + 2]], errors[who[q + 3]]
            at = u64(t0 - first) * stride + u64(q)
            for t in range(t0, t1):
                k = cases[t]
                flat[at], flat[at + one], flat[at + two], flat[at + three] = a[k], b[k], c[k], d[k]
                at += stride
        for q in range(n - n % 4, n):
            for t in range(t0, t1):
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
        row[q] = (zero if x > -np.inf else nan) if x <= zero else x


@inner
def best_finite(e, members, n):
    """Least finite error of the members, infinity if none is finite."""
    best = e.dtype.type(np.inf)
    for j in range(n):
        x = e[members[j]]
        best = x if x < best else best
    return best


@inner
def threshold(e, members, n, scale, best_scope, width_kind, epsilon, values, deviation, sample):
    """`scale * best_error + width` over the members; NaN, which nothing passes, where no error is finite."""
    kind = e.dtype.type
    m = finite_values(e, members, n, values)
    if m == 0:
        return kind(np.nan)
    width = kind(epsilon) if width_kind == FIXED else mad(values, m, deviation, sample)
    if best_scope == NO_BEST:
        return width
    return kind(scale) * least(values, m, sample) + width


@inner
def pass_row(e, limit, mark, passed, row, classes):
    """row: bits of `e <= limit`. Bytes first, which is vector code; then eight bytes to eight bits by one product.

    Every individual that passes has the case's `mark` added to its class: equal pass vectors, equal classes.
    """
    for i in range(e.size):
        passed[i] = 1 if e[i] <= limit else 0
    for i in range(e.size):
        classes[i] += mark if passed[i] else u64(0)
    for w in range(row.size):
        word = u64(0)
        for j in range(8):
            word |= ((load_word(passed, 8 * w + j) * PACK) >> u64(56)) << u64(8 * j)
        row[w] = word


@inner
def nth_bit(pool, n):
    """Index of the n-th set bit, from 0."""
    for w in range(pool.size):
        word = pool[w]
        here = np.int64(popcount(word))
        if n < here:
            for _ in range(n):
                word &= word - u64(1)
            return 64 * w + np.int64(trailing_zeros(word))
        n -= here
    return -1


@inner
def draw_pool(s, members, place, n_places, event, n_events, neighbourhood, pool_size):
    """The individuals an event begins with, in `members`; returns how many.

    Everyone, or those within `neighbourhood` places of the event's own on a ring of `n_places` (`place` says where each
    individual is), or `pool_size` of these at random.
    """
    n = place.size
    m = 0
    if neighbourhood > 0:
        centre = event * n_places // n_events
        for i in range(n):
            distance = abs(place[i] - centre)
            if min(distance, n_places - distance) <= neighbourhood:
                members[m] = i
                m += 1
    if m == 0:  # no neighbourhood, or nobody in it
        for i in range(n):
            members[i] = i
        m = n
    if 0 < pool_size < m:
        # Going through all in order, each is taken with the chance that the places left are filled by those left.
        taken = 0
        for j in range(m):
            if below(s, m - j) < pool_size - taken:
                members[taken] = members[j]
                taken += 1
        m = pool_size
    return m


@inner
def draw_case(s, j, order, swaps, cumulative, drawn):
    """The j-th case of an event: uniform among those left, or with probability by weight (`cumulative` not empty)."""
    n = order.size
    if cumulative.size == 0:
        r = j + below(s, n - j)
        swaps[j] = r
        order[j], order[r] = order[r], order[j]
        return order[j]
    for _ in range(32):  # draws of a case already used are repeated: the same as renormalising
        mark = unit(s) * cumulative[n - 1]
        t, end = 0, n - 1
        while t < end:  # the first case whose cumulative weight is above the mark
            middle = (t + end) // 2
            if cumulative[middle] > mark:
                end = middle
            else:
                t = middle + 1
        if not drawn[t]:
            order[j] = t
            drawn[t] = True
            return t
    left = 0.0
    for t in range(n):
        if not drawn[t]:
            left += cumulative[t] - (cumulative[t - 1] if t > 0 else 0.0)
    mark = unit(s) * left
    chosen = -1
    for t in range(n):
        if not drawn[t]:
            chosen = t
            mark -= cumulative[t] - (cumulative[t - 1] if t > 0 else 0.0)
            if mark < 0.0:
                break
    order[j] = chosen
    drawn[chosen] = True
    return chosen


@inner
def reset_order(order, swaps, drawn, used, weighted):
    """Put the cases back in ascending order, by undoing what the draws did, so that each event starts alike."""
    for j in range(used - 1, -1, -1):
        if weighted:
            drawn[order[j]] = False
        else:
            r = swaps[j]
            order[j], order[r] = order[r], order[j]


@jit
def pass_bits(errors, who, cases, scale, best_scope, width_kind, epsilon, bits, classes, first, last):
    """Thresholds over the population, and the bits of who passes, for tiles first..last-1 of the cases.

    bits (cases, words), classes (tiles, 64 words): sums of the marks of the cases of a tile that an individual passes.
    """
    n = who.size
    everyone = np.arange(n)
    e = np.empty((TILE, n), errors.dtype)
    values, deviation, sample = np.empty(n, e.dtype), np.empty(n, e.dtype), np.empty(SAMPLE, e.dtype)
    passed = np.zeros(bits.shape[1] * 64, np.uint8)
    for tile in range(first, last):
        start, end = tile * TILE, min((tile + 1) * TILE, cases.size)
        turn(errors, who, cases, e, start, end)
        classes[tile] = u64(0)
        for t in range(start, end):
            row = e[t - start]
            limit = threshold(row, everyone, n, scale, best_scope, width_kind, epsilon, values, deviation, sample)
            pass_row(row, limit, mix(u64(t) + u64(1)), passed, bits[t], classes[tile])


@inner
def hash_error_vectors(e, classes):
    """A 64-bit hash of each individual's errors over all cases."""
    classes[:] = u64(0)
    for t in range(e.shape[0]):
        for i in range(e.shape[1]):
            classes[i] = mix(classes[i] + np.float64(e[t, i]).view(np.uint64))


@inner
def one_class(pool, classes):
    first = nth_bit(pool, np.int64(0))
    for w in range(pool.size):
        word = pool[w]
        while word != u64(0):
            if classes[64 * w + np.int64(trailing_zeros(word))] != classes[first]:
                return False
            word &= word - u64(1)
    return True


@inner
def filter_pool(pool, row, rest):
    """rest = pool and row; returns how many are left."""
    left = u64(0)
    for w in range(pool.size):
        rest[w] = pool[w] & row[w]
        left += popcount(rest[w])
    return np.int64(left)


@jit
def select_static(
    bits, classes, place, n_places, cumulative, pool_size, neighbourhood,
    seed, generation, purpose, n_events, parents, used, first, last,
):
    """Selection events first..last-1 on pass/fail bits; parents and cases used of each.

    classes  (64 words,): equal for individuals with equal pass vectors
    """
    n_cases, words = bits.shape
    n = place.size
    start, pool, rest = np.empty(words, np.uint64), np.empty(words, np.uint64), np.empty(words, np.uint64)
    members = np.empty(n, np.int64)
    order, swaps = np.arange(n_cases), np.empty(n_cases, np.int64)
    drawn = np.zeros(n_cases, np.uint8)
    s = np.empty(1, np.uint64)
    whole = pool_size == 0 and neighbourhood == 0
    m = 0
    for event in range(first, last):
        s[0] = key(seed, generation, purpose, event)
        choice = draw(s) >> u64(32)
        if event == first or not whole:
            m = draw_pool(s, members, place, n_places, event, n_events, neighbourhood, pool_size)
            start[:] = u64(0)
            for j in range(m):
                start[members[j] >> 6] |= u64(1) << u64(members[j] & 63)
        for w in range(words):  # not `pool[:] = start`: Numba would spend seconds on the text of its error message
            pool[w] = start[w]
        size = m
        j = np.int64(0)
        idle = 0
        while size > 1 and j < n_cases:
            t = draw_case(s, j, order, swaps, cumulative, drawn)
            j += 1
            left = filter_pool(pool, bits[t], rest)
            idle += 1
            if 0 < left < size:
                pool, rest = rest, pool
                size = left
                idle = 0
            # Members with equal pass vectors stay together to the last case: nothing more to learn.
            if idle == IDLE_CASES and n_cases - j > IDLE_CASES and one_class(pool, classes):
                break
        reset_order(order, swaps, drawn, j, cumulative.size > 0)
        used[event] = n_cases if size > 1 else j
        parents[event] = nth_bit(pool, np.int64((choice * u64(size)) >> u64(32)))


@jit
def select_pooled(
    e, place, n_places, scale, best_scope, width_kind, epsilon, cumulative, pool_size, neighbourhood,
    seed, generation, purpose, n_events, parents, used, first, last,
):
    """As `select_static`, with the best error or the width over the pool."""
    n_cases, n = e.shape
    everyone = np.arange(n)
    kind = e.dtype.type
    widths = np.empty(n_cases, e.dtype)
    ready = np.zeros(n_cases, np.uint8)
    values, deviation, sample = np.empty(n, e.dtype), np.empty(n, e.dtype), np.empty(SAMPLE, e.dtype)
    classes = np.empty(n, np.uint64)
    hashed = False
    members = np.empty(n, np.int64)
    order, swaps = np.arange(n_cases), np.empty(n_cases, np.int64)
    drawn = np.zeros(n_cases, np.uint8)
    s = np.empty(1, np.uint64)
    for event in range(first, last):
        s[0] = key(seed, generation, purpose, event)
        choice = draw(s) >> u64(32)
        size = draw_pool(s, members, place, n_places, event, n_events, neighbourhood, pool_size)
        j = np.int64(0)
        idle = 0
        while size > 1 and j < n_cases:
            t = draw_case(s, j, order, swaps, cumulative, drawn)
            j += 1
            if width_kind == MAD_POPULATION:
                if not ready[t]:
                    m = finite_values(e[t], everyone, n, values)
                    widths[t] = mad(values, m, deviation, sample) if m > 0 else kind(0.0)
                    ready[t] = True
                best = best_finite(e[t], members, size)
                limit = kind(scale) * best + widths[t] if best < np.inf else kind(np.nan)
            else:
                limit = threshold(
                    e[t], members, size, scale, best_scope, width_kind, epsilon, values, deviation, sample
                )
            left = 0
            for q in range(size):
                i = members[q]
                if e[t, i] <= limit:
                    members[left] = i
                    left += 1
            idle = 0 if 0 < left < size else idle + 1
            size = left if left > 0 else size
            # Members with equal errors stay together to the last case.
            if idle == IDLE_CASES and n_cases - j > IDLE_CASES:
                if not hashed:
                    hash_error_vectors(e, classes)
                    hashed = True
                q = 1
                while q < size and classes[members[q]] == classes[members[0]]:
                    q += 1
                if q == size:
                    break
        reset_order(order, swaps, drawn, j, cumulative.size > 0)
        used[event] = n_cases if size > 1 else j
        parents[event] = members[np.int64((choice * u64(size)) >> u64(32))]
