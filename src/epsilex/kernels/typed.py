"""Random programs of consistent dimensions, and the check of any program.

Legend: `s` a random stream; `k` a node; `d` the id of a dimension; a law is the tuple `dimensions.law.Law.tables`.
Programs are built from their root: each argument is asked for the dimension that it needs, until a product of features
with that dimension ends the branch.
Terminals are programs by id: `t_first`, `t_count` say where those of an id are, the shortest first.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.postfix import CONSTANT, FEATURE, clear_rest
from epsilex.kernels.streams import below, key, normal, unit

SAME, PRODUCT, QUOTIENT, SQUARE, ROOT, INVERSE, KEEP, FUNCTION = 1, 2, 3, 4, 5, 6, 7, 8
FIXED = 0.7  # share of the subtrees of a feature's dimension where any dimension may be
TRIES = 8  # operators drawn for a node that is grown, before a terminal ends it


@inner
def ids_of(opcode, feature, length, law, ids, stack):
    """The id of each node of a program; returns that of its root, -1 if it is inconsistent."""
    classes, arity, of_feature, of_constant, plus, minus, twice, half, _ = law
    free = np.int64(plus.shape[0] - 1)
    depth = 0
    for k in range(length):
        op = opcode[k]
        kind = classes[op]
        d = np.int64(-1)
        if op == CONSTANT:
            d = np.int64(of_constant)
        elif op == FEATURE:
            d = of_feature[feature[k]]
        else:
            n = np.int64(arity[op])
            depth -= n
            a = stack[depth]
            b = stack[depth + 1] if n == 2 else a
            if kind == SAME:
                if a == b or b == free:
                    d = a
                elif a == free:
                    d = b
            elif kind == PRODUCT:
                d = np.int64(plus[a, b])
            elif kind == QUOTIENT:
                d = np.int64(minus[a, b])
            elif kind == SQUARE:
                d = twice[a]
            elif kind == ROOT:
                d = half[a]
            elif kind == INVERSE:
                d = np.int64(minus[0, a])
            elif kind == KEEP:
                d = a
            elif (a == 0 or a == free) and (b == 0 or b == free):
                d = np.int64(0)
        if d < 0:
            return np.int64(-1)
        ids[k] = d
        stack[depth] = d
        depth += 1
    return stack[0]


@inner
def fits(d, law):
    """Whether a whole program may have this id."""
    target = law[8]
    free = law[4].shape[0] - 1
    return d >= 0 and (target < 0 or d == target or d == free)


@jit
def check(opcode, feature, length, law, result):
    """Whether each program is consistent, and has the target's dimension."""
    ids, stack = np.empty(opcode.shape[1], np.int64), np.empty(opcode.shape[1] + 1, np.int64)
    for i in range(length.size):
        result[i] = fits(ids_of(opcode[i], feature[i], length[i], law, ids, stack), law)


@jit
def ids_of_roots(opcode, feature, length, law, result):
    """The id of each program, -1 if it is inconsistent."""
    ids, stack = np.empty(opcode.shape[1], np.int64), np.empty(opcode.shape[1] + 1, np.int64)
    for i in range(length.size):
        result[i] = ids_of(opcode[i], feature[i], length[i], law, ids, stack)


@inner
def end_branch(s, d, at, law, t_opcode, t_feature, t_length, t_first, t_count, constant_share, low, high, coefficients,
               opcode, feature, constant):
    """A terminal of dimension d that ends at node `at`; the node before it, -2 if it does not fit."""
    free = law[4].shape[0] - 1
    if d == free or (d == 0 and (t_count[0] == 0 or unit(s) < constant_share)):
        opcode[at], feature[at] = CONSTANT, 0
        constant[at] = low + (high - low) * unit(s)
        return at - 1
    u = unit(s)
    j = t_first[d] + np.int64(u * u * t_count[d])
    begin = at - t_length[j] + 1
    if begin < 0:
        return np.int64(-2)
    bare = True
    for k in range(t_length[j]):
        opcode[begin + k], feature[begin + k] = t_opcode[j, k], t_feature[j, k]
        constant[begin + k] = 1.0 if t_opcode[j, k] <= FEATURE else 0.0
        if t_opcode[j, k] == FEATURE and bare:  # one coefficient is enough for a product
            constant[begin + k] = normal(s) if coefficients else 1.0
            bare = False
    return begin - 1


@inner
def grow(
    s, wanted, size, law, unary, binary, t_opcode, t_feature, t_length, t_first, t_count, constant_share, low, high,
    coefficients, need, room, opcode, feature, constant,
):
    """A random program of dimension `wanted` and about `size` nodes; its length, 0 if it does not fit the arrays."""
    classes, arity, of_feature, _, plus, minus, twice, half, _ = law
    ids = plus.shape[0] - 1
    if wanted == ids and unit(s) < FIXED:  # the check of the whole program decides whether it fits
        wanted = of_feature[below(s, of_feature.size)]
    need[0], room[0] = wanted, size
    waiting = 1
    at = np.int64(opcode.size - 1)
    while waiting > 0:
        if at < 0 or waiting + 2 >= need.size:
            return np.int64(0)
        waiting -= 1
        d, nodes = need[waiting], room[waiting]
        done = False
        for _ in range(TRIES):
            if nodes < 2 or done:
                break
            choices = unary.size + (binary.size if nodes > 2 else 0)
            if choices == 0:
                break
            c = below(s, choices)
            op = unary[c] if c < unary.size else binary[c - unary.size]
            kind = classes[op]
            a, b = np.int64(-1), np.int64(-1)
            if d == ids:
                a, b = d, d
            elif kind == SAME or kind == KEEP:
                a, b = d, d
            elif kind == PRODUCT or kind == QUOTIENT:
                b = of_feature[below(s, of_feature.size)] if unit(s) < 0.7 else below(s, ids)
                if unit(s) < 0.3:
                    b = np.int64(0)
                a = np.int64(minus[d, b] if kind == PRODUCT else plus[d, b])
                if kind == PRODUCT and unit(s) < 0.5:
                    a, b = b, a
            elif kind == SQUARE:
                a = half[d]
                b = a
            elif kind == ROOT:
                a = twice[d]
                b = a
            elif kind == INVERSE:
                a = np.int64(minus[0, d])
                b = a
            elif d == 0:
                a, b = np.int64(0), np.int64(0)
            if a < 0 or b < 0 or (t_count[a] == 0 and 0 < a < ids) or (t_count[b] == 0 and 0 < b < ids):
                continue
            opcode[at], feature[at], constant[at] = op, 0, 0.0
            at -= 1
            if arity[op] == 1:
                need[waiting], room[waiting] = a, nodes - 1
                waiting += 1
            else:
                left = 1 + below(s, nodes - 2)
                need[waiting], room[waiting] = a, left
                need[waiting + 1], room[waiting + 1] = b, nodes - 1 - left
                waiting += 2
            done = True
        if not done:
            at = end_branch(
                s, d, at, law, t_opcode, t_feature, t_length, t_first, t_count, constant_share, low, high,
                coefficients, opcode, feature, constant,
            )
            if at < -1:
                return np.int64(0)
    length = opcode.size - 1 - at
    for k in range(length):
        opcode[k], feature[k], constant[k] = opcode[at + 1 + k], feature[at + 1 + k], constant[at + 1 + k]
    return length


@jit
def start(
    seed, generation, purpose, slots, lengths, wanted, opcode, feature, constant, length, law, unary, binary,
    t_opcode, t_feature, t_length, t_first, t_count, constant_share, low, high, coefficients, first, last,
):
    """Random programs of dimension wanted[i] and about the given lengths, one stream per slot; a terminal where that
    does not succeed."""
    width = opcode.shape[1]
    s = np.empty(1, np.uint64)
    need, room = np.empty(width + 4, np.int64), np.empty(width + 4, np.int64)
    ids, stack = np.empty(width, np.int64), np.empty(width + 1, np.int64)
    for i in range(first, last):
        s[0] = key(seed, generation, purpose, slots[i])
        size, d = np.int64(0), wanted[i]
        for attempt in range(10):
            size = grow(
                s, d, max(1, lengths[i] - attempt), law, unary, binary, t_opcode, t_feature, t_length, t_first, t_count,
                constant_share, low, high, coefficients, need, room, opcode[i], feature[i], constant[i],
            )
            if size > 0 and ids_of(opcode[i], feature[i], size, law, ids, stack) < 0:
                size = np.int64(0)
            if size > 0:
                break
        if size == 0:
            j = t_first[d]
            size = np.int64(t_length[j]) if t_count[d] > 0 else np.int64(1)
            for k in range(size):
                opcode[i, k] = t_opcode[j, k] if t_count[d] > 0 else CONSTANT
                feature[i, k] = t_feature[j, k] if t_count[d] > 0 else 0
                constant[i, k] = 1.0 if opcode[i, k] <= FEATURE else 0.0
        length[i] = size
        clear_rest(opcode[i], feature[i], constant[i], size)
