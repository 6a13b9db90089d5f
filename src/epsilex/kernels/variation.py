"""Crossover and mutation, on programs in postfix order.

Legend: `s` a random stream; `k` a node; a subtree is the span [start, end] whose last node is its root.
Rows are (opcode, feature, constant) of one program; a child over the length limit is refused (length 0), and the
caller keeps the parent.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.growing import grow, random_leaf
from epsilex.kernels.postfix import CONSTANT, FEATURE, clear_rest, copy_program, equal, splice, subtree_start
from epsilex.kernels.streams import below, key, normal, unit

POINT, SUBTREE, INSERTION, DELETION, CONSTANTS = range(5)  # kinds of mutation

@inner
def another(s, codes, code, redraw):
    """A member of `codes` other than `code`, if there is one; with `redraw`, any member."""
    if codes.size < 2:
        return code
    c = codes[below(s, codes.size)]
    while c == code and not redraw:
        c = codes[below(s, codes.size)]
    return c


@inner
def change_node(s, opcode, feature, constant, k, arity, unary, binary, n_features, low, high, coefficients, redraw):
    """Point mutation of one node: a constant is perturbed, a feature or an operator becomes another of its kind; with
    `redraw` it may stay the same."""
    op = opcode[k]
    if op == CONSTANT:
        c = constant[k]
        # c/2 + N(0,1) c/2, as in the authors' program; that would never leave 0, so 0 is redrawn.
        constant[k] = 0.5 * c + normal(s) * 0.5 * c if c != 0.0 else low + (high - low) * unit(s)
    elif op == FEATURE:
        if coefficients and (n_features == 1 or unit(s) < 0.5):
            constant[k] *= 1.0 + 0.5 * normal(s)
        elif redraw:
            feature[k] = below(s, n_features)
        elif n_features > 1:
            f = below(s, n_features - 1)
            feature[k] = f + 1 if f >= feature[k] else f
    else:
        opcode[k] = another(s, unary if arity[op] == 1 else binary, op, redraw)


@inner
def draw_kind(s, kinds):
    """A kind of mutation, drawn from the cumulative probabilities `kinds`."""
    u = unit(s)
    kind = 0
    while kind < kinds.size - 1 and u >= kinds[kind]:
        kind += 1
    return kind


@inner
def mutate_nodes(
    s, kind, rate, redraw, opcode, feature, constant, length, arity, unary, binary, n_features, low, high, coefficients,
):
    """The kinds of mutation that leave the structure as it is, in place: point and constants."""
    chosen = below(s, length) if kind == POINT and rate == 0.0 else -1
    for k in range(length):
        if kind == CONSTANTS:
            if opcode[k] == CONSTANT or (opcode[k] == FEATURE and coefficients):
                constant[k] *= 1.0 + 0.3 * normal(s)
        elif k == chosen or (rate > 0.0 and unit(s) < rate):
            change_node(
                s, opcode, feature, constant, k, arity, unary, binary, n_features, low, high, coefficients, redraw,
            )


@inner
def draw_root(s, kind, opcode, length, arity):
    """Root of the subtree that a mutation replaces: any node; for a deletion an operator, or -1 if there is none."""
    end = below(s, length)
    if kind == DELETION:
        if length == 1:
            return np.int64(-1)
        while arity[opcode[end]] == 0:
            end = below(s, length)
    return np.int64(end)


@inner
def mutate(
    s, kinds, rate, redraw, opcode, feature, constant, length, o_opcode, o_feature, o_constant, limit, arity, unary,
    binary, n_features, constant_share, low, high, coefficients, subtree_size, t_opcode, t_feature, t_constant, budget,
):
    """One child of one parent by a kind drawn from the cumulative probabilities `kinds`; its length, 0 if refused.

    Kinds: point (every node with probability `rate`, or one node where rate is 0), subtree (replaced by a random one),
    insertion (a node becomes the argument of a new operator), deletion (an operator's node becomes its argument),
    constants (all multiplied by random factors).
    """
    kind = draw_kind(s, kinds)
    if kind == POINT or kind == CONSTANTS:
        copy_program(opcode, feature, constant, length, o_opcode, o_feature, o_constant)
        mutate_nodes(
            s, kind, rate, redraw, o_opcode, o_feature, o_constant, length, arity, unary, binary, n_features, low, high,
            coefficients,
        )
        return length
    # The others replace a subtree by the nodes in t_opcode, ...: a new one, or the old one with one operator more or
    # less.
    end = draw_root(s, kind, opcode, length, arity)
    if end < 0:
        return 0
    start = subtree_start(opcode, arity, end)
    size = 0
    if kind == SUBTREE:
        size = 1 + below(s, max(1, min(subtree_size, limit - length + end - start + 1)))
        size = grow(
            s, t_opcode, t_feature, t_constant, 0, size, unary, binary, n_features, constant_share, low, high,
            coefficients, budget,
        )
    else:
        first, last, op, leaf_at = start, end, 0, -1
        if kind == INSERTION:
            c = below(s, unary.size + binary.size)
            op = unary[c] if c < unary.size else binary[c - unary.size]
            if arity[op] == 2:
                leaf_at = 0 if unit(s) < 0.5 else end - start + 1
        else:
            last = end - 1
            if arity[opcode[end]] == 2 and unit(s) < 0.5:
                last = subtree_start(opcode, arity, end - 1) - 1
            first = subtree_start(opcode, arity, last)
        size = last - first + 1
        if length - (end - start + 1) + size + (0 if op == 0 else arity[op]) > limit:
            return 0
        at = 1 if leaf_at == 0 else 0
        for k in range(size):
            t_opcode[at + k], t_feature[at + k] = opcode[first + k], feature[first + k]
            t_constant[at + k] = constant[first + k]
        if leaf_at >= 0:
            random_leaf(
                s, t_opcode, t_feature, t_constant, leaf_at, n_features, constant_share, low, high, coefficients
            )
            size += 1
        if op != 0:
            t_opcode[size], t_feature[size], t_constant[size] = op, 0, 0.0
            size += 1
    return splice(
        opcode, feature, constant, length, start, end, t_opcode, t_feature, t_constant, np.int64(0), size - 1,
        o_opcode, o_feature, o_constant, limit,
    )


@inner
def cross(
    s, opcode, feature, constant, length, d_opcode, d_feature, d_constant, d_length, o_opcode, o_feature, o_constant,
    limit, arity,
):
    """A child: a subtree of its parent is replaced by one of a donor's, both uniform over all nodes; 0 if refused."""
    end, d_end = below(s, length), below(s, d_length)
    return splice(
        opcode, feature, constant, length, subtree_start(opcode, arity, end), end,
        d_opcode, d_feature, d_constant, subtree_start(d_opcode, arity, d_end), d_end,
        o_opcode, o_feature, o_constant, limit,
    )


@jit
def vary(
    seed, generation, purpose, parents, fitness, opcode, feature, constant, length,
    c_opcode, c_feature, c_constant, c_length, origin, mate, least, limit, crossover, kinds, rate, redraw, retries,
    arity, unary, binary, n_features, constant_share, low, high, coefficients, subtree_size, first, last,
):
    """Children 2 j and 2 j + 1 from the pair of parents 2 j and 2 j + 1, for pairs first..last-1.

    A pair crosses over, each with the other, with probability `crossover`; otherwise, and if their fitness is equal,
    each is mutated. A refused child is tried again `retries` times, then becomes a copy of its parent. `origin` is the
    parent a child is equal to, -1 if it is new; `mate` is the other parent of a child of two, else its only parent.
    """
    width = opcode.shape[1]
    s = np.empty(1, np.uint64)
    budget = np.empty(width + 1, np.int64)
    t_opcode, t_feature = np.empty(width + 2, np.uint8), np.empty(width + 2, np.int32)
    t_constant = np.empty(width + 2, constant.dtype)
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
            size = 0
            attempt = 0
            two = crossing and fitness[a] != fitness[b]
            while size == 0 and attempt <= retries:
                attempt += 1
                if two:
                    size = cross(
                        s, a_opcode, a_feature, a_constant, length[a], opcode[b], feature[b], constant[b], length[b],
                        o_opcode, o_feature, o_constant, limit, arity,
                    )
                else:
                    size = mutate(
                        s, kinds, rate, redraw, a_opcode, a_feature, a_constant, length[a],
                        o_opcode, o_feature, o_constant, limit, arity, unary, binary, n_features, constant_share,
                        low, high, coefficients, subtree_size, t_opcode, t_feature, t_constant, budget,
                    )
                if size < least:
                    size = 0
            if size == 0:
                two = False
                size = copy_program(a_opcode, a_feature, a_constant, length[a], o_opcode, o_feature, o_constant)
            mate[i] = b if two else a
            c_length[i] = size
            clear_rest(o_opcode, o_feature, o_constant, size)
            same = size == length[a] and equal(o_opcode, o_feature, o_constant, a_opcode, a_feature, a_constant, size)
            origin[i] = a if same else -1


@jit
def perturb_constants(seed, generation, purpose, step, opcode, constant, length, out, first, last):
    """Hill climbing's proposal: every constant c becomes c + N(0,1) c step, one stream per program."""
    s = np.empty(1, np.uint64)
    for i in range(first, last):
        s[0] = key(seed, generation, purpose, i)
        for k in range(length[i]):
            c = constant[i, k]
            out[i, k] = c + normal(s) * c * step if opcode[i, k] == CONSTANT else c
