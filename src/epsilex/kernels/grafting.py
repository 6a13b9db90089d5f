"""Grafts: a parent with a scion, one of many small programs, added at one of its nodes or replacing a subtree. Each
graft takes, of the scions it tries, the one that explains most of the parent's residual.

Legend: `i` a graft, `j` a scion, `k` the node, `n` rows, `w` their weights, `g` the derivative of the scaled output
with respect to the node's value, `z` the residual, `q` the output, centred and of unit norm. To first order a scion T
with a factor c changes the output by c g T; linear scaling adds any number and any multiple of the output for free.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.fitting import SUMS
from epsilex.kernels.postfix import CONSTANT, clear_rest, subtree_start
from epsilex.kernels.streams import below, key, unit

COLLINEAR = np.float32(1e-3)  # share of a direction's squared norm that scaling cannot span, below which it is not new
LEVEL = 1e-3  # relative difference in gain within which the shorter scion is taken
LEAST, MOST = 1e-20, 1e20  # limits of a factor


@jit
def stocks(
    seed, generation, purpose, slots, parents, opcode, feature, constant, length, arity, add,
    node, start, s_opcode, s_feature, s_constant, s_length, b_opcode, b_feature, b_constant, b_length, first, last,
):
    """A random node of each parent; as programs, its subtree (s_...), and the parent with a number added there (b_...),
    which is at node + 1."""
    s = np.empty(1, np.uint64)
    for i in range(first, last):
        p = parents[slots[i]]
        s[0] = key(seed, generation, purpose, slots[i])
        k = below(s, length[p])
        begin = subtree_start(opcode[p], arity, k)
        node[i], start[i] = k, begin
        s_length[i], b_length[i] = k - begin + 1, length[p] + 2
        for t in range(begin, k + 1):
            s_opcode[i, t - begin], s_feature[i, t - begin] = opcode[p, t], feature[p, t]
            s_constant[i, t - begin] = constant[p, t]
        for t in range(length[p]):
            to = t if t <= k else t + 2
            b_opcode[i, to], b_feature[i, to], b_constant[i, to] = opcode[p, t], feature[p, t], constant[p, t]
        b_opcode[i, k + 1], b_opcode[i, k + 2] = CONSTANT, add


@jit
def begin_with_factors(opcode, length, arity, mul, div, coefficients, found):
    """Whether a program times a number is the program with its first leaf times that number: all operators between
    the root and that leaf are products, or quotients with the leaf in the numerator."""
    for j in range(length.size):
        found[j] = opcode[j, 0] == CONSTANT or coefficients
        for k in range(1, length[j]):
            op = opcode[j, k]
            if op != mul and op != div and arity[op] > 0 and subtree_start(opcode[j], arity, k) == 0:
                found[j] = False


@inner(fastmath=SUMS)
def products(v, wgz, wgg, wg, wgq, n):
    """Products of a scion's direction g v with z, with itself, with 1 and with q."""
    with_z = with_itself = with_1 = with_q = np.float32(0.0)
    for t in range(n):
        with_z += wgz[t] * v[t]
        with_itself += wgg[t] * v[t] * v[t]
        with_1 += wg[t] * v[t]
        with_q += wgq[t] * v[t]
    return with_z, with_itself, with_1, with_q


@inner(fastmath=SUMS)
def weights_of_products(
    y, w, out, value, raised, slope, intercept, scaling, through_zero, replaced, n, wgz, wgg, wg, wgq
):
    """The arguments of `products` besides the scion; `raised` is the output with the node's value raised by 1, to first
    order."""
    total = mean = size = left = along = np.float32(0.0)
    for t in range(n):
        total += w[t]
        mean += w[t] * out[t]
    mean = np.float32(0.0) if through_zero else mean / total
    for t in range(n):
        size += w[t] * (out[t] - mean) * (out[t] - mean)
    inverse = np.float32(1.0) / np.sqrt(size) if scaling and size > 0.0 else np.float32(0.0)
    for t in range(n):
        g = slope * (raised[t] - out[t])
        z = y[t] - slope * out[t] - intercept + (g * value[t] if replaced else np.float32(0.0))
        wg[t], wgq[t], wgz[t] = g, (out[t] - mean) * inverse, z
        left += w[t] * z
    left = left / total if scaling and not through_zero else np.float32(0.0)
    for t in range(n):
        along += w[t] * (wgz[t] - left) * wgq[t]
    for t in range(n):
        g, q, z = wg[t], wgq[t], wgz[t] - left - along * wgq[t]
        wgz[t], wgg[t], wg[t], wgq[t] = w[t] * g * z, w[t] * g * g, w[t] * g, w[t] * g * q
    return total


@jit
def graft(
    seed, generation, purpose, slots, parents, limits, tries, replacing, y, w, n, out, value, raised, usable,
    slope, intercept, scaling, through_zero, opcode, feature, constant, length, node, start, ids,
    t_opcode, t_feature, t_constant, t_length, t_value, t_good, t_factor, t_ids, add, mul,
    c_opcode, c_feature, c_constant, c_length, origin, first, last,
):
    """Children slots[first..last-1] become their parents with the best of `tries` scions (t_...) at node[i], or, with
    probability `replacing`, replacing its subtree; children without a usable scion stay unchanged.

    A scion is usable only at a node of its own dimension, by the ids of both."""
    s = np.empty(1, np.uint64)
    wgz, wgg, wg, wgq = np.empty((4, n), np.float32)
    for i in range(first, last):
        slot = slots[i]
        p = parents[slot]
        if not usable[i]:
            continue
        s[0] = key(seed, generation, purpose, slot)
        k = np.int64(node[i])
        whole = k == length[p] - 1 and start[i] == 0
        replaced = unit(s) < replacing and not whole
        begin = np.int64(start[i]) if replaced else k + 1
        free = limits[slot] - length[p] + (k - begin + 1 if replaced else -1)
        total = weights_of_products(
            y, w, out[i], value[i], raised[i], np.float32(slope[p]), np.float32(intercept[p]), scaling, through_zero,
            replaced, n,
            wgz, wgg, wg, wgq,
        )
        best, factor = 0.0, 0.0
        chosen = np.int64(-1)
        for _ in range(tries):
            j = below(s, t_length.size)
            if t_ids[j] != ids[i] or not t_good[j] or t_length[j] + (0 if t_factor[j] else 2) > free:
                continue
            with_z, with_itself, with_1, with_q = products(t_value[j], wgz, wgg, wg, wgq, n)
            rest = with_itself
            if scaling:
                rest -= (np.float32(0.0) if through_zero else with_1 * with_1 / total) + with_q * with_q
            if not rest > COLLINEAR * with_itself:
                continue
            gain = with_z * with_z / rest
            shorter = chosen >= 0 and t_length[j] < t_length[chosen]
            if gain > best * (1.0 - LEVEL if shorter else 1.0 + LEVEL):
                best, chosen, factor = gain, j, with_z / rest
        if chosen < 0 or not LEAST < abs(factor) < MOST:
            continue
        at = begin
        for t in range(begin):
            c_opcode[slot, t], c_feature[slot, t], c_constant[slot, t] = opcode[p, t], feature[p, t], constant[p, t]
        if not t_factor[chosen]:
            c_opcode[slot, at], c_feature[slot, at], c_constant[slot, at] = CONSTANT, 0, factor
            at += 1
        for t in range(t_length[chosen]):
            c_opcode[slot, at + t], c_feature[slot, at + t] = t_opcode[chosen, t], t_feature[chosen, t]
            c_constant[slot, at + t] = t_constant[chosen, t]
        if t_factor[chosen]:
            c_constant[slot, at] *= factor
        at += t_length[chosen]
        for op in (mul, add):
            if (op == mul and not t_factor[chosen]) or (op == add and not replaced):
                c_opcode[slot, at], c_feature[slot, at], c_constant[slot, at] = op, 0, 0.0
                at += 1
        for t in range(k + 1, length[p]):
            c_opcode[slot, at], c_feature[slot, at], c_constant[slot, at] = opcode[p, t], feature[p, t], constant[p, t]
            at += 1
        c_length[slot] = at
        clear_rest(c_opcode[slot], c_feature[slot], c_constant[slot], at)
        origin[slot] = -1
