"""Dynamic models in free run: programs that read their own previous outputs.

Row by row, a recursion cannot be vectorised. So the series is cut into LANES pieces that run side by side, one step of
all of them at a time. In the first pass each piece starts from a guess of the outputs before it, in the next from the
outputs of the previous piece, and so on until no start changes. Most models soon forget their start, and two or three
passes suffice; one that never forgets takes LANES passes, as many steps as it has rows. Either way the result equals
that of going row by row, bit for bit. Subtrees that do not depend on previous outputs are computed for all rows at
once; the rest of the program reads them as further columns.

Legend: `s` a lane, `t` a step; row s * steps + t of the series lies at t * LANES + s of a column. Fed-back
column k holds the outputs k + 1 rows before: the first of them, from its second step on, the outputs themselves.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.evaluating import BLOCK, LANES, run_program
from epsilex.kernels.postfix import CONSTANT, FEATURE


def lane_order(n_rows: int, feedback: int) -> np.ndarray:
    """The row at each place of a column; beyond the last row, that row."""
    steps = max(-(-n_rows // LANES), feedback, 1)
    place = np.arange(steps * LANES)
    return np.minimum(place % LANES * steps + place // LANES, n_rows - 1)


@inner
def _cut(arity, opcode, feature, constant, length, n_static, column, begin, fed, stack, op, of, c, first, last):
    """Write the part of a program that depends on fed-back columns to (op, of, c), each largest subtree that does not
    as a leaf: of `column` and those after it. Subtree m has the nodes first[m]..last[m]-1.

    Returns the nodes written and the subtrees; nothing is written of a program that depends on no fed-back column.
    begin, fed, stack  buffers for one number per node
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
    while k >= 0:  # from the root backwards; a subtree that is cut out is skipped as a whole
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
def _run_all(table, arity, opcode, feature, constant, length, x, stride, size, stack, where, result):
    """Run a program that depends on no previous output over `size` rows."""
    for start in range(0, size, BLOCK):
        n = min(BLOCK, size - start)
        run_program(
            table, arity, opcode, feature, constant, length, x + 4 * start, stride, n, stack, where, result + 4 * start
        )


@inner
def _pass(table, arity, opcode, feature, constant, length, x, stride, steps, stack, where, columns):
    """One pass of all lanes; the starts are in the first step of the columns."""
    result = np.int64(columns.ctypes.data)
    for t in range(steps):
        here = t * LANES
        run_program(
            table, arity, opcode, feature, constant, length, x + 4 * here, stride, LANES, stack, where,
            result + 4 * (here + LANES),
        )
        for k in range(1, columns.shape[0]):
            for s in range(LANES):
                columns[k, here + LANES + s] = columns[k - 1, here + s]


@inner
def _begin_again(columns, steps):
    """Start each lane from the last outputs of the previous lane; returns whether any start changed."""
    changed = False
    end = steps * LANES
    for k in range(columns.shape[0]):
        for s in range(1, LANES):
            old, value = columns[k, s], columns[k, end + s - 1]
            if not (value == old or (value != value and old != old)):
                changed = True
            columns[k, s] = value
    return changed


@jit
def simulate(table, arity, opcode, feature, constant, length, X, guess, feedback, out, first, last):
    """Outputs of programs first..last-1 in free run from 0: out (programs, rows); all are NaN after a
    non-finite one.

    X (static features, steps * LANES) in the order of `lane_order`; `guess` (rows,) likely outputs, such as the target.
    """
    n_static, size = X.shape
    n_rows = out.shape[1]
    steps = size // LANES
    width = opcode.shape[1]
    depth = width // 2 + 2
    stack = np.empty(depth * 2 * BLOCK, np.float32)
    where = np.empty(depth, np.int64)
    stack_address = np.int64(stack.ctypes.data)
    rows_fed = max(feedback, 1)
    # Features, fed-back columns, values of subtrees.
    x = np.empty((n_static + rows_fed + width, size + LANES), np.float32)
    x[:n_static, :size] = X
    columns = x[n_static : n_static + rows_fed]
    x_address, stride = np.int64(x.ctypes.data), (size + LANES) * 4
    output = np.int64(columns.ctypes.data) + 4 * LANES
    op, of, c = np.empty(width, opcode.dtype), np.empty(width, feature.dtype), np.empty(width, np.float32)
    begin, fed, nodes = np.empty(width, np.int64), np.empty(width, np.bool_), np.empty(width + 1, np.int64)
    begins, ends = np.empty(width, np.int64), np.empty(width, np.int64)
    for i in range(first, last):
        column = n_static + rows_fed
        left, subtrees = _cut(
            arity, opcode[i], feature[i], constant[i], length[i], n_static, column, begin, fed, nodes, op, of, c,
            begins, ends,
        )
        if left == 0:
            _run_all(
                table, arity, opcode[i], feature[i], constant[i], length[i], x_address, stride, size, stack_address,
                where, output,
            )
        else:
            for m in range(subtrees):
                a, b = begins[m], ends[m]
                _run_all(
                    table, arity, opcode[i, a:b], feature[i, a:b], constant[i, a:b], b - a, x_address, stride, size,
                    stack_address, where, x_address + (column + m) * stride,
                )
            for k in range(feedback):
                columns[k, 0] = np.float32(0.0)
                for s in range(1, LANES):
                    columns[k, s] = guess[min(s * steps - 1 - k, n_rows - 1)]
            for exact in range(LANES):
                _pass(table, arity, op, of, c, left, x_address, stride, steps, stack_address, where, columns)
                # Lane `exact` has started from the true outputs; nothing matters after a non-finite one.
                if not _begin_again(columns, steps) or not np.isfinite(columns[0, size + exact]):
                    break
        for s in range(LANES):
            for t in range(min(steps, n_rows - s * steps)):
                out[i, s * steps + t] = columns[0, (t + 1) * LANES + s]
        if left > 0:
            for t in range(n_rows):
                if not np.isfinite(out[i, t]):
                    out[i, t:n_rows] = np.nan
                    break
    # An array is freed after its last use by name, but the calls know only its address.
    stack[0], x[0, 0] = np.float32(0.0), np.float32(0.0)
