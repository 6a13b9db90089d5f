"""Dynamic models in free run: programs that read their own previous outputs.

Legend: `x` the static features of a block, followed by `feedback` columns, the k-th of which holds the output k rows
before. Within a block the recursion is a fixed point: run the block on a guess of the fed-back columns, shift the
outputs into them, and repeat until they stay. What comes before the block is exact. A stable model settles in a few
vectorised sweeps; one that has not settled after SWEEPS is stepped row by row. What does not depend on the fed-back
columns is computed once a block: the rest of the program reads it as further columns.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.evaluating import CONSTANT, FEATURE, run_program

SWEEPS = 4
SETTLED = np.float32(1e-6)  # relative change of an output between sweeps


@inner
def _cut(arity, opcode, feature, constant, length, n_static, column, begin, fed, stack, op, of, c, first, last):
    """Write the part of a program that depends on fed-back columns to (op, of, c), each largest subtree that does not
    as a leaf: of `column` and those after it. Subtree m has the nodes first[m]..last[m]-1.

    Returns the nodes written and the subtrees; nothing is written of a program that depends on no fed-back column.
    begin, fed, stack  room for a number a node
    """
    level = 0
    for k in range(length):
        begin[k] = k
        fed[k] = opcode[k] == FEATURE and feature[k] >= n_static
        if opcode[k] != FEATURE and opcode[k] != CONSTANT:
            level -= arity[opcode[k]]
            begin[k] = begin[stack[level]]
            for argument in range(arity[opcode[k]]):
                fed[k] |= fed[stack[level + argument]]
        stack[level] = k
        level += 1
    if not fed[length - 1]:
        return 0, 0
    nodes, subtrees = 0, 0
    k = length - 1
    while k >= 0:  # from the root, whose arguments come before it; a subtree that is cut out is skipped as a whole
        plain = opcode[k] == FEATURE and constant[k] == np.float32(1.0)
        if fed[k] or plain:
            op[nodes], of[nodes], c[nodes] = opcode[k], feature[k], constant[k]
            k -= 1
        else:
            op[nodes], of[nodes], c[nodes] = FEATURE, column + subtrees, np.float32(1.0)
            first[subtrees], last[subtrees] = begin[k], k + 1
            subtrees += 1
            k = begin[k] - 1
        nodes += 1
    op[:nodes], of[:nodes], c[:nodes] = op[:nodes][::-1].copy(), of[:nodes][::-1].copy(), c[:nodes][::-1].copy()
    return nodes, subtrees


@inner
def _shift_into(columns, out, past, n, rows):
    """Fill the fed-back columns from the outputs; returns whether they changed by more than rounding."""
    changed = False
    for k in range(columns.shape[0]):
        for t in range(rows):
            value = out[t - k - 1] if t > k else past[k - t]
            old = columns[k, t]
            if not abs(value - old) <= SETTLED * (abs(value) + np.float32(1e-3)):
                changed = True
            columns[k, t] = value
    return changed


@inner
def _step(table, arity, opcode, feature, constant, length, x, stack_address, where, columns, past, out, rows):
    """Row by row, from the block's start; after a non-finite output all that follow are NaN."""
    stride = x.shape[1] * 4
    address, result = np.int64(x.ctypes.data), np.int64(out.ctypes.data)
    for t in range(rows):
        for k in range(columns.shape[0]):
            columns[k, t] = out[t - k - 1] if t > k else past[k - t]
        run_program(
            table, arity, opcode, feature, constant, length, address + 4 * t, stride, 1, stack_address, where,
            result + 4 * t,
        )
        if not np.isfinite(out[t]):
            out[t:rows] = np.nan
            return


@jit
def simulate(table, arity, opcode, feature, constant, length, X, guess, feedback, n_rows, out, first, last):
    """Outputs of programs first..last-1 in free run from 0: out (programs, blocks * n).

    X (blocks, static features, n); `guess` (blocks * n,) a likely output, the target, from which the sweeps begin.
    """
    blocks, n_static, n = X.shape
    width = opcode.shape[1]
    depth = width // 2 + 2
    stack = np.empty(depth * 2 * n, np.float32)
    where = np.empty(depth, np.int64)
    stack_address = np.int64(stack.ctypes.data)
    x = np.empty((n_static + feedback + width, n), np.float32)  # features, fed-back columns, values of subtrees
    columns = x[n_static : n_static + feedback]
    past = np.empty(max(feedback, 1), np.float32)  # past[k]: the output k + 1 rows before the block
    x_address, stride = np.int64(x.ctypes.data), n * 4
    op, of, c = np.empty(width, opcode.dtype), np.empty(width, feature.dtype), np.empty(width, np.float32)
    begin, fed, nodes = np.empty(width, np.int64), np.empty(width, np.bool_), np.empty(width + 1, np.int64)
    begins, ends = np.empty(width, np.int64), np.empty(width, np.int64)
    for i in range(first, last):
        column = n_static + feedback
        size, subtrees = _cut(
            arity, opcode[i], feature[i], constant[i], length[i], n_static, column, begin, fed, nodes, op, of, c,
            begins, ends,
        )
        past[:] = np.float32(0.0)
        dead = False
        for block in range(blocks):
            row = out[i, block * n : (block + 1) * n]
            if dead:
                row[:] = np.nan
                continue
            result = np.int64(row.ctypes.data)
            if size == 0:
                address = np.int64(X.ctypes.data) + block * n_static * stride
                run_program(
                    table, arity, opcode[i], feature[i], constant[i], length[i], address, stride, n, stack_address,
                    where, result,
                )
                continue
            x[:n_static] = X[block]
            for m in range(subtrees):
                a, b = begins[m], ends[m]
                run_program(
                    table, arity, opcode[i, a:b], feature[i, a:b], constant[i, a:b], b - a, x_address, stride, n,
                    stack_address, where, x_address + (column + m) * stride,
                )
            rows = min(n, n_rows - block * n)
            columns[:, rows:] = np.float32(0.0)
            _shift_into(columns, guess[block * n : (block + 1) * n], past, n, rows)
            settled = False
            for _ in range(SWEEPS):
                run_program(table, arity, op, of, c, size, x_address, stride, n, stack_address, where, result)
                if not _shift_into(columns, row, past, n, rows):
                    settled = True
                    break
            if not settled:
                _step(table, arity, op, of, c, size, x, stack_address, where, columns, past, row, rows)
            for k in range(feedback):
                if rows > k:
                    past[k] = row[rows - 1 - k]
            dead = not np.isfinite(past[0])
    stack[0] = np.float32(0.0)  # an array is freed after its last use by name, and the calls know only its address
