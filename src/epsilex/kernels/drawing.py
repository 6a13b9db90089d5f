"""What an event of lexicase selection draws: its pool and its cases. Legend: see `lexicase`.

An event draws from its own stream: first the number that chooses among the last survivors, then its pool, then the
cases one at a time (a Fisher-Yates shuffle that stops with the event).
"""

from __future__ import annotations

from epsilex.kernels.compiling import inner
from epsilex.kernels.streams import below, unit

ANYWHERE, FIRST = 0, 1  # place of the last case in the order of an event


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
def draw_case(s, j, order, swaps, cumulative, drawn, placed):
    """The j-th case of an event: uniform among those left, or with probability by weight (`cumulative` not empty).

    The last case of all comes first if it is `placed` there.
    """
    if cumulative.size > 0:
        return draw_weighted(s, j, order, cumulative, drawn)
    return draw_uniform(s, j, order, swaps, placed)


@inner(forceinline=True)
def draw_uniform(s, j, order, swaps, placed):
    r = order.size - 1 if placed == FIRST and j == 0 else j + below(s, order.size - j)
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
    """Put the cases back in ascending order, so that each event starts from the same one: only places that a draw
    swapped have another case than their own."""
    for j in range(used):
        if weighted:
            drawn[order[j]] = False
        else:
            order[j], order[swaps[j]] = j, swaps[j]
