"""Outputs of a population, each distinct subtree computed once.

Programs of one population share many subtrees: inherited from common ancestors, or small ones repeated by chance.
`share` stores every node of every program under (operator, arguments, constant), so that equal subtrees become one
node, and folds subtrees of constants. `assign` turns the nodes into instructions whose results live in as few buffers
as possible. `run` executes them over blocks of rows.

Legend: `v` a distinct node, ordered with arguments first; `i` a program, `k` a node of it; `n` the rows of a
block. An operand is a kind (a BUFFER, a FEATURE column of X, an OUTPUT row) and its byte offset from the start of that
kind. No instruction writes where it reads, because LLVM needs that to vectorise an operator's loop.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.evaluating import fill, scale
from epsilex.kernels.instructions import as_integers, call4
from epsilex.kernels.postfix import CONSTANT, FEATURE

u64 = np.uint64
BUFFER, COLUMN, OUTPUT = 0, 1, 2
NEVER = -1
OP, ARGUMENT, FEATURE_NUMBER = u64(2**8 - 1), u64(2**28 - 1), u64(2**24 - 1)


@inner
def find(key, keys, slots, shift, count):
    """The number of the node with this key; a new key gets the number `count`."""
    at = (key * u64(0x9E3779B97F4A7C15)) >> shift
    mask = u64(slots.size - 1)
    while True:
        v = slots[at]
        if v < 0:
            slots[at] = count
            keys[count] = key
            return count
        if keys[v] == key:
            return np.int64(v)
        at = (at + u64(1)) & mask


@jit
def share(
    table, arity, commutative, opcode, feature, constant, length, first, last, keys, constants, used, roots, slots, room
):
    """The distinct nodes of programs first..last-1; returns how many.

    keys       op + (left << 8) + (right << 36) with the numbers of an operator's arguments; a leaf has its feature in
               24 bits instead and its constant's bits above; an operator on constants is folded into one
    constants  of each leaf
    used       whether an operator over rows reads the node
    roots      (programs,) the node of each program's root
    slots      hash table, all -1, of a power of two in size; room  (3, 32) float32
    """
    stack = np.empty(opcode.shape[1] + 1, np.int64)
    where = np.int64(room.ctypes.data)
    single = as_integers(room)
    shift = u64(64)
    while (1 << (64 - np.int64(shift))) < slots.size:
        shift -= u64(1)
    count = np.int64(0)
    for i in range(first, last):
        level = 0
        for k in range(length[i]):
            op = opcode[i, k]
            if op <= FEATURE:
                room[2, 0] = constant[i, k]
                key = u64(op) + (u64(feature[i, k]) << u64(8) if op == FEATURE else u64(0))
                v = find(key + (u64(single[2, 0]) << u64(32)), keys, slots, shift, count)
            else:
                level -= arity[op]
                a = stack[level]
                b = stack[level + arity[op] - 1]  # a itself if unary
                if (keys[a] & OP) == CONSTANT and (keys[b] & OP) == CONSTANT:
                    room[0] = constants[a]
                    room[1] = constants[b]
                    call4(table[op], where + 256, where, where + 128, 32)
                    v = find(u64(CONSTANT) + (u64(single[2, 0]) << u64(32)), keys, slots, shift, count)
                else:
                    if commutative[op] and b < a:
                        a, b = b, a
                    used[a] = True
                    used[b] = True
                    v = find(u64(op) + (u64(a) << u64(8)) + (u64(b) << u64(36)), keys, slots, shift, count)
            if v == count:
                used[v] = False
                constants[v] = room[2, 0]
                count += 1
            stack[level] = v
            level += 1
        roots[i] = stack[0]
    return count


@jit
def assign(
    keys, constants, used, roots, first, last, count, n, stride, i_op, i_kind, i_offset, i_constant
):
    """Instructions for the nodes; returns the number of instructions and of buffers.

    i_kind, i_offset  (instructions, 3): place of the result, the left and the right argument
    A root's values go straight to the output row of the first program that has it.
    """
    size = n * 4
    last_use, owner = np.empty(count, np.int32), np.empty(count, np.int32)  # np.full takes long to compile
    for v in range(count):
        last_use[v] = owner[v] = NEVER
    for v in range(count):
        if (keys[v] & OP) > FEATURE:
            last_use[(keys[v] >> u64(8)) & ARGUMENT] = v
            last_use[keys[v] >> u64(36)] = v
    for i in range(last - 1, first - 1, -1):
        owner[roots[i]] = i
    kind, offset = np.empty(count, np.uint8), np.empty(count, np.int64)
    free = np.empty(count + 1, np.int64)
    n_free = 0
    n_buffers = 0
    m = 0
    for v in range(count):
        op = keys[v] & OP
        a, b = np.int64((keys[v] >> u64(8)) & ARGUMENT), np.int64(keys[v] >> u64(36))
        column = np.int64((keys[v] >> u64(8)) & FEATURE_NUMBER) * size
        plain = op == FEATURE and constants[v] == np.float32(1.0)
        if plain:
            kind[v], offset[v] = COLUMN, column
        if (plain or not used[v]) and owner[v] == NEVER:
            continue
        if owner[v] != NEVER:
            i_kind[m, 0], i_offset[m, 0] = OUTPUT, owner[v] * stride
        else:
            if n_free == 0:
                free[0] = n_buffers
                n_buffers += 1
                n_free = 1
            n_free -= 1
            i_kind[m, 0], i_offset[m, 0] = BUFFER, free[n_free] * size
        i_op[m], i_constant[m] = op, constants[v]
        if op == FEATURE:
            i_kind[m, 1], i_offset[m, 1] = COLUMN, column
        elif op > FEATURE:
            i_kind[m, 1], i_offset[m, 1] = kind[a], offset[a]
            i_kind[m, 2], i_offset[m, 2] = kind[b], offset[b]
            if last_use[a] == v and kind[a] == BUFFER:
                free[n_free] = offset[a] // size
                n_free += 1
            if b != a and last_use[b] == v and kind[b] == BUFFER:
                free[n_free] = offset[b] // size
                n_free += 1
        if not plain:
            kind[v], offset[v] = i_kind[m, 0], i_offset[m, 0]
        m += 1
    # Programs with the same root as an earlier one get a copy of its outputs.
    for i in range(first, last):
        if owner[roots[i]] != i:
            i_op[m], i_constant[m] = FEATURE, np.float32(1.0)
            i_kind[m, 0], i_offset[m, 0] = OUTPUT, i * stride
            i_kind[m, 1], i_offset[m, 1] = OUTPUT, owner[roots[i]] * stride
            m += 1
    return m, n_buffers


@jit
def run(table, i_op, i_kind, i_offset, i_constant, m, n_buffers, X, out, first, last):
    """Execute the instructions over blocks first..last-1 of X (blocks, features, n); out (programs, blocks * n)."""
    _, n_features, n = X.shape
    buffers = np.empty((max(n_buffers, 1), n), np.float32)
    base = np.empty(3, np.int64)
    base[BUFFER] = buffers.ctypes.data
    for block in range(first, last):
        base[COLUMN] = np.int64(X.ctypes.data) + block * n_features * n * 4
        base[OUTPUT] = np.int64(out.ctypes.data) + block * n * 4
        for j in range(m):
            op = i_op[j]
            dst = base[i_kind[j, 0]] + i_offset[j, 0]
            if op == CONSTANT:
                fill(dst, i_constant[j], n)
            elif op == FEATURE:
                scale(dst, base[i_kind[j, 1]] + i_offset[j, 1], i_constant[j], n)
            else:
                call4(table[op], dst, base[i_kind[j, 1]] + i_offset[j, 1], base[i_kind[j, 2]] + i_offset[j, 2], n)
    buffers[0, 0] = np.float32(0.0)  # an array is freed after its last use by name, but the calls know only its address
