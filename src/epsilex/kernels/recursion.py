"""Dynamic models in free run: programs that read their own previous outputs.

Legend: `x` the static features of a block, followed by `feedback` columns, the k-th of which holds the output k rows
before. Within a block the recursion is a fixed point: run the block on a guess of the fed-back columns, shift the
outputs into them, and repeat until they stay. What comes before the block is exact. A stable model settles in a few
vectorised sweeps; one that has not settled after SWEEPS is stepped row by row.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.evaluating import FEATURE, run_program

SWEEPS = 10
SETTLED = np.float32(1e-6)  # relative change of an output between sweeps


@inner
def _recurrent(opcode, feature, length, n_static):
    for k in range(length):
        if opcode[k] == FEATURE and feature[k] >= n_static:
            return True
    return False


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
    depth = opcode.shape[1] // 2 + 2
    stack = np.empty(depth * 2 * n, np.float32)
    where = np.empty(depth, np.int64)
    stack_address = np.int64(stack.ctypes.data)
    x = np.empty((n_static + feedback, n), np.float32)
    past = np.empty(max(feedback, 1), np.float32)  # past[k]: the output k + 1 rows before the block
    x_address = np.int64(x.ctypes.data)
    for i in range(first, last):
        recurrent = _recurrent(opcode[i], feature[i], length[i], n_static)
        past[:] = np.float32(0.0)
        dead = False
        for block in range(blocks):
            row = out[i, block * n : (block + 1) * n]
            if dead:
                row[:] = np.nan
                continue
            result = np.int64(row.ctypes.data)
            if not recurrent:
                address = np.int64(X.ctypes.data) + block * n_static * n * 4
                run_program(
                    table, arity, opcode[i], feature[i], constant[i], length[i], address, n * 4, n, stack_address,
                    where, result,
                )
                continue
            x[:n_static] = X[block]
            columns = x[n_static:]
            rows = min(n, n_rows - block * n)
            columns[:, rows:] = np.float32(0.0)
            _shift_into(columns, guess[block * n : (block + 1) * n], past, n, rows)
            settled = False
            for _ in range(SWEEPS):
                run_program(
                    table, arity, opcode[i], feature[i], constant[i], length[i], x_address, n * 4, n, stack_address,
                    where, result,
                )
                if not _shift_into(columns, row, past, n, rows):
                    settled = True
                    break
            if not settled:
                _step(
                    table, arity, opcode[i], feature[i], constant[i], length[i], x, stack_address, where, columns, past,
                    row, rows,
                )
            for k in range(feedback):
                if rows > k:
                    past[k] = row[rows - 1 - k]
            dead = not np.isfinite(past[0])
    stack[0] = np.float32(0.0)  # an array is freed after its last use by name, and the calls know only its address
