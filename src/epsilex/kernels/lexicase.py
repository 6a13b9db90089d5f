"""The lexicase filter: every rule is one threshold, `scale * best_error + width`, and an individual passes a case if
its error is at most that.

Legend: `t` a case, `i` an individual, `e` errors with one row per case; `pool` the individuals still in a selection
event; `bits` pass/fail of each case, 64 individuals per word; `verdicts` that of each individual, 64 cases per word.
If best error and width are over the population, passing does not depend on the pool. An event is AND and popcount on
`bits` until few are left; then the members' `verdicts` tell which cases can still remove anyone, and all others are
drawn without a check. If best error or width is over the pool, the pool is a list of indices, and a width over the
population is computed only for drawn cases.

An event draws from its own stream, see `drawing`. It uses `most` cases at most. If `ties` is not
empty, the number chooses among those of the last survivors whose `ties` are least.

Inner loops index rows in place: a row as an array of its own, or an array passed to a function that LLVM does not
inline, costs a reference count, which takes as long as the words of a row.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.drawing import draw_case, draw_pool, draw_uniform, draw_weighted, reset_order
from epsilex.kernels.instructions import popcount, trailing_zeros
from epsilex.kernels.passing import FIXED, MAD_POOL, MAD_POPULATION, NO_BEST, SPLIT_POOL, SPLIT_POPULATION
from epsilex.kernels.splitting import all_pass, mark, split, split_of_sorted
from epsilex.kernels.streams import draw, key, mix
from epsilex.kernels.thresholds import SAMPLE, finite_values, least, mad

u64 = np.uint64
IDLE_CASES = 8  # consecutive cases that removed nobody, after which `telling_cases` checks whether any can
FEW = 8  # members of a pool that is faster as a list
MANY = 8  # part of the population above which a pool is read in known order instead of sorted


@inner
def best_finite(e, members, n):
    """Least finite error of the members, infinity if none is finite."""
    best = e.dtype.type(np.inf)
    for j in range(n):
        x = e[members[j]]
        best = x if x < best else best
    return best


@inner
def spread(values, m, width_kind, deviation, sample):
    """The width of the finite errors `values[:m]`: their MAD, or the distance from the best to the split."""
    if width_kind == MAD_POPULATION or width_kind == MAD_POOL:
        return mad(values, m, deviation, sample)
    return split(values, m) - least(values, m, sample)


@inner
def threshold(e, members, n, scale, best_scope, width_kind, epsilon, values, deviation, sample):
    """`scale * best_error + width` over the members; NaN, which nothing passes, if no error is finite."""
    kind = e.dtype.type
    m = finite_values(e, members, n, values)
    if m == 0:
        return kind(np.nan)
    if width_kind == SPLIT_POOL:
        return split(values, m)
    width = kind(epsilon) if width_kind == FIXED else mad(values, m, deviation, sample)
    if best_scope == NO_BEST:
        return width
    return kind(scale) * least(values, m, sample) + width


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
    """telling (tiles,): bits of the cases that some members pass and others fail.

    All other cases remove nobody; when drawn they only count as used.
    """
    for w in range(telling.size):
        telling[w] = u64(0)
    first = members[0]
    for q in range(1, size):
        i = members[q]
        for w in range(telling.size):
            telling[w] |= verdicts[i, w] ^ verdicts[first, w]
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
def chosen(members, size, ties, choice):
    """The last survivor that the event's first number chooses; of those with the least `ties`, if these are given."""
    if ties.size > 0:
        least_ties = ties[members[0]]
        for q in range(1, size):
            least_ties = min(least_ties, ties[members[q]])
        left = 0
        for q in range(size):
            i = members[q]
            members[left] = i
            left += 1 if ties[i] == least_ties else 0
        size = left
    return members[np.int64((choice * u64(size)) >> u64(32))]


@inner
def count_passing(pool, bits, t):
    """How many of the pool pass a case."""
    left = u64(0)
    for w in range(pool.size):
        left += popcount(pool[w] & bits[t, w])
    return np.int64(left)


@jit
def select_static(
    bits, verdicts, place, n_places, cumulative, pool_size, neighbourhood, most, ties,
    placed, seed, generation, purpose, n_events, parents, used, first, last,
):
    """Selection events first..last-1 on pass/fail bits (cases, words), verdicts (individuals, tiles); parents and
    cases used of each."""
    n_cases, words = bits.shape
    n = place.size
    start, pool = np.empty(words, np.uint64), np.empty(words, np.uint64)
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
            for q in range(m):
                start[members[q] >> 6] |= u64(1) << u64(members[q] & 63)
        for w in range(words):  # not `pool[:] = start`: Numba would spend seconds compiling its error message
            pool[w] = start[w]
        size = m
        j = np.int64(0)
        idle = 0
        many = True
        while j < most[event]:
            if many and (size <= FEW or idle == IDLE_CASES):
                many = False
                list_members(pool, few)
                if not telling_cases(few, size, verdicts, telling):
                    break
            if cumulative.size > 0:
                t = draw_weighted(s, j, order, cumulative, drawn)
            else:
                t = draw_uniform(s, j, order, swaps, placed)
            j += 1
            if many:
                left = count_passing(pool, bits, t)
                idle += 1
                if 0 < left < size:
                    for w in range(words):
                        pool[w] &= bits[t, w]
                    size = left
                    idle = 0
            elif (telling[t >> 6] >> u64(t & 63)) & u64(1):
                size = filter_few(few, size, verdicts, t)
                if not telling_cases(few, size, verdicts, telling):
                    break
        if many:
            list_members(pool, few)
        reset_order(order, swaps, drawn, j, cumulative.size > 0)
        used[event] = most[event] if size > 1 else j
        parents[event] = chosen(few, size, ties, choice)


@jit
def select_pooled(
    e, place, n_places, scale, best_scope, width_kind, epsilon, known, bits, ascending, cumulative, pool_size,
    neighbourhood, most, ties, placed, seed, generation, purpose, n_events, parents, used, first, last,
):
    """As `select_static`, with the best error or the width over the pool.

    Split rules pass nearly everyone, so events are long. They bring what is `known` of each case, the width over the
    population or the limit over everyone; and `bits` of who passes with the best error of the population, who pass all
    the more with the best of the pool, or the `ascending` order of each case's errors. All of it may be empty.
    """
    n_cases, n = e.shape
    everyone = np.arange(n)
    kind = e.dtype.type
    widths = np.empty(n_cases, e.dtype)
    ready = np.zeros(n_cases, np.uint8)
    for t in range(known.size):
        widths[t], ready[t] = known[t], True
    pool, inside = np.zeros(bits.shape[1], np.uint64), np.zeros(n, np.uint8)
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
        if known.size > 0:
            mark(members, size, pool, inside)
        j = np.int64(0)
        idle = 0
        while size > 1 and j < most[event]:
            t = draw_case(s, j, order, swaps, cumulative, drawn, placed)
            j += 1
            if bits.size > 0 and all_pass(pool, bits[t]):
                continue
            if width_kind == MAD_POPULATION or width_kind == SPLIT_POPULATION:
                if not ready[t]:
                    m = finite_values(e[t], everyone, n, values)
                    widths[t] = spread(values, m, width_kind, deviation, sample) if m > 0 else kind(0.0)
                    ready[t] = True
                best = best_finite(e[t], members, size)
                limit = kind(scale) * best + widths[t] if best < np.inf else kind(np.nan)
            elif size == n and ready[t]:  # the threshold over everyone is the same in all events
                limit = widths[t]
            elif ascending.size > 0 and MANY * size > n:
                limit = split_of_sorted(e[t], ascending[t], inside, values)
            else:
                limit = threshold(
                    e[t], members, size, scale, best_scope, width_kind, epsilon, values, deviation, sample
                )
                if size == n:
                    widths[t], ready[t] = limit, True
            left = 0
            for q in range(size):
                i = members[q]
                if e[t, i] <= limit:
                    members[left] = i
                    left += 1
            idle = 0 if 0 < left < size else idle + 1
            if 0 < left < size:
                size = left
                if known.size > 0:
                    mark(members, size, pool, inside)
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
        used[event] = most[event] if size > 1 else j
        parents[event] = chosen(members, size, ties, choice)
