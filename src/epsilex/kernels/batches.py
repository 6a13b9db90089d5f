"""Lexicase selection on batches of cases: an individual's error on a batch is its mean over the cases of the batch.

Legend: as in `lexicase`; here `e` has one row per individual, and `means` is the error of each individual on the batch.
Every event draws its own batches, so nothing is known of a batch before it is drawn. A batch of one case is that case:
all draws are those of `lexicase`, and so are the parents.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.drawing import draw_case, draw_pool, reset_order
from epsilex.kernels.lexicase import best_finite, chosen, spread, threshold
from epsilex.kernels.passing import MAD_POOL, NO_BEST, POOL, SPLIT_POOL
from epsilex.kernels.streams import draw, key
from epsilex.kernels.thresholds import SAMPLE, finite_values

u64 = np.uint64


@inner
def batch_means(e, members, n, order, first, last, means):
    """Mean error of each member over the cases order[first:last], in the type of the errors."""
    for q in range(n):
        i = members[q]
        total = 0.0
        for j in range(first, last):
            total += e[i, order[j]]
        means[i] = total / (last - first)


@jit
def select_batches(
    e, place, n_places, scale, best_scope, width_kind, epsilon, cumulative, pool_size, neighbourhood, most, ties,
    placed, batch, seed, generation, purpose, n_events, parents, used, first, last,
):
    """As `lexicase.select_pooled`, on batches of `batch` cases; e (individuals, cases)."""
    n, n_cases = e.shape
    everyone = np.arange(n)
    over_pool = width_kind == MAD_POOL or width_kind == SPLIT_POOL or (best_scope == POOL and width_kind == 0)
    mixed = best_scope == POOL and not over_pool
    values, deviation, sample = np.empty(n, e.dtype), np.empty(n, e.dtype), np.empty(SAMPLE, e.dtype)
    kind, means, members = e.dtype.type, np.empty(n, e.dtype), np.empty(n, np.int64)
    order, swaps = np.arange(n_cases), np.empty(n_cases, np.int64)
    drawn, s = np.zeros(n_cases, np.uint8), np.empty(1, np.uint64)
    for event in range(first, last):
        s[0] = key(seed, generation, purpose, event)
        choice = draw(s) >> u64(32)
        size = draw_pool(s, members, place, n_places, event, n_events, neighbourhood, pool_size)
        j = np.int64(0)
        while size > 1 and j < most[event]:
            begin = j
            while j < min(begin + batch, most[event]):
                draw_case(s, j, order, swaps, cumulative, drawn, placed)
                j += 1
            if over_pool:
                batch_means(e, members, size, order, begin, j, means)
                limit = threshold(
                    means, members, size, scale, best_scope, width_kind, epsilon, values, deviation, sample
                )
            else:
                batch_means(e, everyone, n, order, begin, j, means)
                m = finite_values(means, everyone, n, values)
                width = kind(epsilon)
                if width_kind != 0:
                    width = spread(values, m, width_kind, deviation, sample) if m > 0 else kind(0.0)
                best = best_finite(means, members, size) if mixed else best_finite(means, everyone, n)
                limit = width if best_scope == NO_BEST else kind(scale) * best + width
                limit = limit if best < np.inf else kind(np.nan)
            left = 0
            for q in range(size):
                i = members[q]
                if means[i] <= limit:
                    members[left] = i
                    left += 1
            size = left if left > 0 else size
        reset_order(order, swaps, drawn, j, cumulative.size > 0)
        used[event] = j
        parents[event] = chosen(members, size, ties, choice)
