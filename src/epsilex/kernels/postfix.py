"""Programs in postfix order: their subtrees, and putting one in place of another.

Legend: `k` a node; a subtree is the span [start, end] whose last node is its root. Rows are (opcode, feature, constant)
of one program; `d_` a donor's, `o_` the child's.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit

CONSTANT, FEATURE = 0, 1


@inner
def subtree_start(opcode, arity, end):
    """First node of the subtree whose root is node `end`."""
    wanted = 1
    k = end
    while True:
        wanted += np.int64(arity[opcode[k]]) - 1
        if wanted == 0:
            return k
        k -= 1


@jit
def well_formed(opcode, feature, length, arity, n_features):
    """Whether every program is in postfix order, within its length, with known opcodes and features."""
    for i in range(length.size):
        if not 1 <= length[i] <= opcode.shape[1]:
            return False
        depth = 0
        for k in range(length[i]):
            op = opcode[i, k]
            if op >= arity.size or depth < arity[op]:
                return False
            if op == FEATURE and not 0 <= feature[i, k] < n_features:
                return False
            depth += 1 - np.int64(arity[op])
        if depth != 1:
            return False
    return True


@inner
def splice(
    opcode, feature, constant, length, start, end, d_opcode, d_feature, d_constant, d_start, d_end,
    o_opcode, o_feature, o_constant, limit,
):
    """A program with its span [start, end] replaced by a donor's span; returns its length, 0 if over the limit."""
    size = d_end - d_start + 1
    total = length - (end - start + 1) + size
    if total > limit:
        return 0
    for k in range(start):
        o_opcode[k], o_feature[k], o_constant[k] = opcode[k], feature[k], constant[k]
    for k in range(size):
        o_opcode[start + k] = d_opcode[d_start + k]
        o_feature[start + k] = d_feature[d_start + k]
        o_constant[start + k] = d_constant[d_start + k]
    shift = start + size - end - 1
    for k in range(end + 1, length):
        o_opcode[k + shift], o_feature[k + shift], o_constant[k + shift] = opcode[k], feature[k], constant[k]
    return total


@inner
def copy_program(opcode, feature, constant, length, o_opcode, o_feature, o_constant):
    for k in range(length):
        o_opcode[k], o_feature[k], o_constant[k] = opcode[k], feature[k], constant[k]
    return length


@inner
def equal(opcode, feature, constant, o_opcode, o_feature, o_constant, length):
    """Whether the first `length` nodes of two programs are the same."""
    same = True
    for k in range(length):
        same &= opcode[k] == o_opcode[k]
        same &= feature[k] == o_feature[k]
        same &= constant[k] == o_constant[k]
    return same


@inner
def clear_rest(opcode, feature, constant, length):
    """Zero the unused places, so that equal programs are equal arrays."""
    for k in range(length, opcode.size):
        opcode[k] = 0
        feature[k] = 0
        constant[k] = 0.0
