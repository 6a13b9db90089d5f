"""The lexicase filter: every rule is one threshold, `scale * best_error + width`, and an individual passes a case if
its error is at most that.

Legend: `t` a case, `i` an individual, `e` errors with one row per case; `pool` the individuals still in a selection
event; `bits` pass/fail of each case, 64 individuals per word; `verdicts` that of each individual, 64 cases per word.
If best error and width are over the population, passing does not depend on the pool. An event is AND and popcount on
`bits` until few are left; then the members' `verdicts` tell which cases can still remove anyone, and all others are
drawn without a check. If best error or width is over the pool, the pool is a list of indices, and a width over the
population is computed only for drawn cases.

An event draws from its own stream: first the number that chooses among the last survivors, then its pool, then the
cases one at a time (a Fisher-Yates shuffle that stops with the event).
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit, popcount, trailing_zeros
from epsilex.kernels.passing import FIXED, MAD_POPULATION, NO_BEST
from epsilex.kernels.streams import below, draw, key, mix, unit
from epsilex.kernels.thresholds import SAMPLE, finite_values, least, mad

u64 = np.uint64
IDLE_CASES = 8  # consecutive cases that removed nobody, after which `telling_cases` checks whether any can
FEW = 8  # members of a pool that is faster as a list


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
    """`scale * best_error + width` over the members; NaN, which nothing passes, if no error is finite."""
    kind = e.dtype.type
    m = finite_values(e, members, n, values)
    if m == 0:
        return kind(np.nan)
    width = kind(epsilon) if width_kind == FIXED else mad(values, m, deviation, sample)
    if best_scope == NO_BEST:
        return width
    return kind(scale) * least(values, m, sample) + width


@inner
def draw_pool(s, members, place, n_places, event, n_events, neighbourhood, pool_size):
    """The initial pool of an event, in `members`; returns its size.

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
        # Selection sampling: in order, each is taken with probability (places left) / (individuals left).
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
    if cumulative.size > 0:
        return draw_weighted(s, j, order, cumulative, drawn)
    r = j + below(s, order.size - j)
    swaps[j] = r
    order[j], order[r] = order[r], order[j]
    return order[j]


@inner
def draw_weighted(s, j, order, cumulative, drawn):
    n = order.size
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
    """Put the cases back in ascending order by undoing the draws, so that each event starts from the same order."""
    for j in range(used - 1, -1, -1):
        if weighted:
            drawn[order[j]] = False
        else:
            r = swaps[j]
            order[j], order[r] = order[r], order[j]


@inner
def hash_error_vectors(e, classes):
    """A 64-bit hash of each individual's errors over all cases."""
    classes[:] = u64(0)
    for t in range(e.shape[0]):
        for i in range(e.shape[1]):
            classes[i] = mix(classes[i] + np.float64(e[t, i]).view(np.uint64))


@inner
def list_members(pool, members):
    """members: the individuals whose bits are set, in ascending order."""
    m = 0
    for w in range(pool.size):
        word = pool[w]
        while word != u64(0):
            members[m] = 64 * w + np.int64(trailing_zeros(word))
            word &= word - u64(1)
            m += 1


@inner
def telling_cases(members, size, verdicts, telling):
    """telling (tiles,): bits of the cases that some members pass and others fail; returns whether there are any.

    All other cases remove nobody; when drawn they only count as used.
    """
    for w in range(telling.size):
        telling[w] = u64(0)
    first = verdicts[members[0]]
    for q in range(1, size):
        verdict = verdicts[members[q]]
        for w in range(telling.size):
            telling[w] |= verdict[w] ^ first[w]
    union = u64(0)
    for w in range(telling.size):
        union |= telling[w]
    return union != u64(0)


@inner
def filter_few(members, size, verdicts, t):
    """Keep the members that pass a case; returns how many."""
    left = 0
    for q in range(size):
        i = members[q]
        members[left] = i
        left += np.int64((verdicts[i, t >> 6] >> u64(t & 63)) & u64(1))
    return left


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
    bits, verdicts, place, n_places, cumulative, pool_size, neighbourhood,
    seed, generation, purpose, n_events, parents, used, first, last,
):
    """Selection events first..last-1 on pass/fail bits (cases, words) and verdicts (individuals, tiles); parents and
    cases used of each."""
    n_cases, words = bits.shape
    n = place.size
    start, pool, rest = np.empty(words, np.uint64), np.empty(words, np.uint64), np.empty(words, np.uint64)
    members, few, telling = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(verdicts.shape[1], np.uint64)
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
        for w in range(words):  # not `pool[:] = start`: Numba would spend seconds compiling its error message
            pool[w] = start[w]
        size = m
        j = np.int64(0)
        idle = 0
        while size > FEW and idle < IDLE_CASES and j < n_cases:
            t = draw_case(s, j, order, swaps, cumulative, drawn)
            j += 1
            left = filter_pool(pool, bits[t], rest)
            idle += 1
            if 0 < left < size:
                pool, rest = rest, pool
                size = left
                idle = 0
        list_members(pool, few)
        # Members with equal verdicts stay together to the last case, so no more cases are drawn.
        telling_left = size > 1 and telling_cases(few, size, verdicts, telling)
        while telling_left and j < n_cases:
            t = draw_case(s, j, order, swaps, cumulative, drawn)
            j += 1
            if (telling[t >> 6] >> u64(t & 63)) & u64(1):
                size = filter_few(few, size, verdicts, t)
                telling_left = size > 1 and telling_cases(few, size, verdicts, telling)
        reset_order(order, swaps, drawn, j, cumulative.size > 0)
        used[event] = n_cases if size > 1 else j
        parents[event] = few[np.int64((choice * u64(size)) >> u64(32))]


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
