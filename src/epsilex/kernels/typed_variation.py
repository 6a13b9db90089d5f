"""Crossover and mutation that keep dimensions consistent: a subtree is exchanged only for one of the same dimension.

Legend: `s` a random stream; `k` a node; `d` the id of a dimension; a law is the tuple `dimensions.law.Law.tables`;
t_... the terminals of `kernels.typed`; p_..., n_... room for a partner and for a new subtree.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.postfix import clear_rest, copy_program, equal, splice, subtree_start
from epsilex.kernels.streams import below, key, unit
from epsilex.kernels.typed import KEEP, PRODUCT, QUOTIENT, SAME, fits, grow, ids_of
from epsilex.kernels.variation import CONSTANTS, INSERTION, POINT, SUBTREE, draw_kind, draw_root, mutate_nodes

PARTNER = 3  # nodes of the other argument of an inserted operator, about


@inner
def cross(
    s, opcode, feature, constant, length, ids, d_opcode, d_feature, d_constant, d_length, d_ids,
    o_opcode, o_feature, o_constant, limit, arity,
):
    """A child: a subtree of its parent is replaced by one of the same dimension of a donor's; 0 if refused."""
    end = below(s, length)
    same = 0
    for k in range(d_length):
        same += d_ids[k] == ids[end]
    if same == 0:
        return np.int64(0)
    chosen = below(s, same)
    d_end = np.int64(0)
    for k in range(d_length):
        if d_ids[k] == ids[end]:
            if chosen == 0:
                d_end = np.int64(k)
                break
            chosen -= 1
    return np.int64(splice(
        opcode, feature, constant, length, subtree_start(opcode, arity, end), end,
        d_opcode, d_feature, d_constant, subtree_start(d_opcode, arity, d_end), d_end,
        o_opcode, o_feature, o_constant, limit,
    ))


@inner
def inserted(
    s, opcode, feature, constant, begin, end, d, law, unary, binary, t_opcode, t_feature, t_length, t_first, t_count,
    constant_share, low, high, coefficients, need, room, p_opcode, p_feature, p_constant,
    n_opcode, n_feature, n_constant,
):
    """The subtree begin..end as the argument of a new operator that keeps its dimension, in n_...; its length, or 0."""
    classes, arity = law[0], law[1]
    free = law[4].shape[0] - 1
    c = below(s, unary.size + binary.size)
    op = unary[c] if c < unary.size else binary[c - unary.size]
    kind = classes[op]
    number = d == 0 or d == free
    if not (kind == SAME or kind == PRODUCT or kind == QUOTIENT or kind == KEEP or number):
        return np.int64(0)
    size = end - begin + 1
    partner = np.int64(0)
    if arity[op] == 2:
        partner = grow(
            s, d if kind == SAME else np.int64(0), 1 + below(s, PARTNER), law, unary, binary,
            t_opcode, t_feature, t_length, t_first, t_count, constant_share, low, high, coefficients, need, room,
            p_opcode, p_feature, p_constant,
        )
        if partner == 0:
            return np.int64(0)
    if size + partner + 1 > n_opcode.size:
        return np.int64(0)
    ahead = partner if arity[op] == 2 and (kind == SAME or kind == PRODUCT or number) and unit(s) < 0.5 else 0
    for k in range(size):
        n_opcode[ahead + k], n_feature[ahead + k] = opcode[begin + k], feature[begin + k]
        n_constant[ahead + k] = constant[begin + k]
    put = 0 if ahead > 0 else size
    for k in range(partner):
        n_opcode[put + k], n_feature[put + k], n_constant[put + k] = p_opcode[k], p_feature[k], p_constant[k]
    n_opcode[size + partner], n_feature[size + partner], n_constant[size + partner] = op, 0, 0.0
    return np.int64(size + partner + 1)


@inner
def mutate(
    s, kinds, rate, redraw, opcode, feature, constant, length, ids, o_opcode, o_feature, o_constant, limit, law,
    unary, binary, n_features, t_opcode, t_feature, t_length, t_first, t_count, constant_share, low, high, coefficients,
    subtree_size, need, room, p_opcode, p_feature, p_constant, n_opcode, n_feature, n_constant,
):
    """One child of one parent, by the kinds of `variation.mutate`; its length, 0 if refused."""
    arity = law[1]
    kind = draw_kind(s, kinds)
    if kind == POINT or kind == CONSTANTS:
        copy_program(opcode, feature, constant, length, o_opcode, o_feature, o_constant)
        mutate_nodes(
            s, kind, rate, redraw, o_opcode, o_feature, o_constant, length, arity, unary, binary, n_features, low, high,
            coefficients,
        )
        return np.int64(length)
    end = draw_root(s, kind, opcode, length, arity)
    if end < 0:
        return np.int64(0)
    start = subtree_start(opcode, arity, end)
    size = np.int64(0)
    if kind == SUBTREE:
        size = grow(
            s, ids[end], 1 + below(s, subtree_size), law, unary, binary, t_opcode, t_feature, t_length, t_first,
            t_count, constant_share, low, high, coefficients, need, room, n_opcode, n_feature, n_constant,
        )
    elif kind == INSERTION:
        size = inserted(
            s, opcode, feature, constant, start, end, ids[end], law, unary, binary, t_opcode, t_feature, t_length,
            t_first, t_count, constant_share, low, high, coefficients, need, room, p_opcode, p_feature, p_constant,
            n_opcode, n_feature, n_constant,
        )
    else:
        last = end - 1
        if arity[opcode[end]] == 2 and unit(s) < 0.5:
            last = subtree_start(opcode, arity, end - 1) - 1
        begin = subtree_start(opcode, arity, last)
        size = np.int64(last - begin + 1)
        for k in range(size):
            n_opcode[k], n_feature[k], n_constant[k] = opcode[begin + k], feature[begin + k], constant[begin + k]
    if size == 0:
        return size
    return np.int64(splice(
        opcode, feature, constant, length, start, end, n_opcode, n_feature, n_constant, np.int64(0), size - 1,
        o_opcode, o_feature, o_constant, limit,
    ))


@jit
def vary(
    seed, generation, purpose, parents, fitness, opcode, feature, constant, length,
    c_opcode, c_feature, c_constant, c_length, origin, mate, least, limit, crossover, kinds, rate, redraw, retries,
    law, unary, binary, n_features, t_opcode, t_feature, t_length, t_first, t_count, constant_share, low, high,
    coefficients, subtree_size, first, last,
):
    """As `variation.vary`, with children of consistent dimensions; a refused child is tried again `retries` times."""
    width = opcode.shape[1]
    arity = law[1]
    s = np.empty(1, np.uint64)
    need, room = np.empty(width + 4, np.int64), np.empty(width + 4, np.int64)
    ids_a, ids_b = np.zeros(width, np.int64), np.zeros(width, np.int64)
    ids_c, stack = np.empty(width, np.int64), np.empty(width + 1, np.int64)
    p_opcode, p_feature, p_constant = np.empty(width, np.uint8), np.empty(width, np.int32), np.empty(width, np.float32)
    n_opcode, n_feature, n_constant = np.empty(width, np.uint8), np.empty(width, np.int32), np.empty(width, np.float32)
    for pair in range(first, last):
        s[0] = key(seed, generation, purpose, pair)
        crossing = unit(s) < crossover
        for side in range(2):
            i = 2 * pair + side
            if i >= parents.size:
                break
            a = parents[i]
            b = parents[min(2 * pair + 1 - side, parents.size - 1)]
            a_opcode, a_feature, a_constant = opcode[a], feature[a], constant[a]
            o_opcode, o_feature, o_constant = c_opcode[i], c_feature[i], c_constant[i]
            two = crossing and fitness[a] != fitness[b]
            ids_of(a_opcode, a_feature, length[a], law, ids_a, stack)
            if two:
                ids_of(opcode[b], feature[b], length[b], law, ids_b, stack)
            size = np.int64(0)
            attempt = 0
            while size == 0 and attempt <= retries:
                attempt += 1
                if two:
                    size = cross(
                        s, a_opcode, a_feature, a_constant, length[a], ids_a,
                        opcode[b], feature[b], constant[b], length[b], ids_b,
                        o_opcode, o_feature, o_constant, limit, arity,
                    )
                else:
                    size = mutate(
                        s, kinds, rate, redraw, a_opcode, a_feature, a_constant, length[a], ids_a,
                        o_opcode, o_feature, o_constant, limit, law, unary, binary, n_features,
                        t_opcode, t_feature, t_length, t_first, t_count, constant_share, low, high, coefficients,
                        subtree_size, need, room, p_opcode, p_feature, p_constant, n_opcode, n_feature, n_constant,
                    )
                if size < least or not fits(ids_of(o_opcode, o_feature, size, law, ids_c, stack), law):
                    size = np.int64(0)
            if size == 0:
                two = False
                size = np.int64(copy_program(
                    a_opcode, a_feature, a_constant, length[a], o_opcode, o_feature, o_constant
                ))
            mate[i] = b if two else a
            c_length[i] = size
            clear_rest(o_opcode, o_feature, o_constant, size)
            same = size == length[a] and equal(o_opcode, o_feature, o_constant, a_opcode, a_feature, a_constant, size)
            origin[i] = a if same else -1
