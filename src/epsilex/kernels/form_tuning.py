"""Levenberg-Marquardt tuning of fillings of a form.

Legend as in `kernels.forms`; `tape` and `slope` as in `kernels.jacobian`; `number[k]` the unknown that the constant of
node k of the filling is, -1 for none; `places` the nodes of the unknowns. A constant may occur in several places of the
formula: its derivative is the sum of theirs.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.forms import TASKS, spans, write
from epsilex.kernels.jacobian import (
    add_to_normal,
    arguments,
    backward,
    clear_normal,
    damped_step,
    finite_normal,
    forward,
    residual_sums,
    residuals,
)
from epsilex.kernels.postfix import CONSTANT, FEATURE


@inner
def squared_error(table, arity, op, of, c, nodes, left, right, X, y, root_w, tape):
    """Of a formula whose constants are `c`."""
    blocks, n_features, n = X.shape
    tape_at, x_at = np.int64(tape.ctypes.data), np.int64(X.ctypes.data)
    total = 0.0
    for block in range(blocks):
        forward(table, arity, op, of, c, nodes, left, right, x_at + block * n_features * n * 4, n, tape_at)
        start = block * n
        part = residual_sums(tape[nodes - 1], y[start : start + n], root_w[start : start + n], n)
        total += part[3] - 2.0 * part[4] + part[5]
    return total


@inner
def add_product(a, b, c, n, out):
    """out += a * b * c, row by row."""
    for i in range(n):
        out[i] += a[i] * b[i] * c


@inner
def add_product_of_three(a, b, x, c, n, out):
    """out += a * b * x * c, row by row."""
    for i in range(n):
        out[i] += a[i] * b[i] * x[i] * c


@jit
def tune(
    form, table, slopes, opcode, feature, constant, length, X, y, root_w, coefficients, steps, width, first, last,
):
    """Levenberg-Marquardt on the constants of fillings first..last-1, in place, as `jacobian.tune`, without scaling."""
    blocks, n_features, n = X.shape
    arity = form[11]
    m_most = opcode.shape[1]
    starts, tasks = np.empty(m_most, np.int64), np.empty((TASKS, 4), np.int64)
    begin, end, own = np.empty(form[13], np.int64), np.empty(form[13], np.int64), np.empty(form[14], np.int64)
    op, of = np.empty(width, np.uint8), np.empty(width, np.int32)
    c, trial = np.empty(width, np.float32), np.empty(width, np.float32)
    source, gain = np.empty(width, np.int64), np.empty(width)
    left, right = np.empty(width, np.int64), np.empty(width, np.int64)
    tape, slope = np.empty((width, n), np.float32), np.empty((width, n), np.float32)
    tape_at, slope_at, x_at = np.int64(tape.ctypes.data), np.int64(slope.ctypes.data), np.int64(X.ctypes.data)
    columns = np.empty((m_most + 1, n), np.float32)
    number, places = np.empty(m_most, np.int64), np.empty(m_most, np.int64)
    normal, damped = np.empty((m_most, m_most)), np.empty((m_most, m_most))
    gradient, step = np.empty(m_most), np.empty(m_most)
    for i in range(first, last):
        spans(form, opcode[i], length[i], starts, begin, end, own)
        nodes = write(form, opcode[i], feature[i], constant[i], starts, begin, end, own, tasks, op, of, c, source, gain)
        m = 0
        for k in range(length[i]):
            number[k] = -1
        for e in range(nodes):
            k = source[e]
            if k >= 0 and number[k] < 0 and (opcode[i, k] == CONSTANT or coefficients):
                number[k] = m
                places[m] = k
                m += 1
        if m == 0:
            continue
        arguments(op, arity, nodes, left, right)
        cost = squared_error(table, arity, op, of, c, nodes, left, right, X, y, root_w, tape)
        if not np.isfinite(cost):
            continue
        damping = 1e-2
        for _ in range(steps):
            clear_normal(normal, gradient, m)
            for block in range(blocks):
                start = block * n
                w = root_w[start : start + n]
                if blocks > 1:  # for a single block the tape still has the values of the last accepted step
                    x = x_at + block * n_features * n * 4
                    forward(table, arity, op, of, c, nodes, left, right, x, n, tape_at)
                backward(slopes, op, nodes, left, right, n, tape_at, slope_at)
                residual = columns[m]
                residuals(tape[nodes - 1], y[start : start + n], w, np.float32(1.0), np.float32(0.0), n, residual)
                for p in range(m):
                    for j in range(n):
                        columns[p, j] = 0.0
                for e in range(nodes):
                    if source[e] < 0 or number[source[e]] < 0:
                        continue
                    if op[e] == FEATURE:
                        x_e = X[block, of[e]]
                        add_product_of_three(slope[e], w, x_e, np.float32(gain[e]), n, columns[number[source[e]]])
                    else:
                        add_product(slope[e], w, np.float32(gain[e]), n, columns[number[source[e]]])
                add_to_normal(columns, residual, n, m, normal, gradient)
            if not finite_normal(normal, gradient, m):
                break
            moved = False
            for _ in range(3):
                if damped_step(normal, gradient, damping, m, damped, step):
                    for e in range(nodes):
                        trial[e] = c[e]
                        if source[e] >= 0 and number[source[e]] >= 0:
                            moved_to = constant[i, source[e]] + np.float32(step[number[source[e]]])
                            trial[e] = np.float32(moved_to * gain[e])
                    new_cost = squared_error(table, arity, op, of, trial, nodes, left, right, X, y, root_w, tape)
                    if new_cost < cost:
                        moved = True
                        break
                damping *= 8.0
            if not moved:
                break
            better = (cost - new_cost) / cost
            for q in range(m):
                constant[i, places[q]] += np.float32(step[q])
            for e in range(nodes):
                c[e] = trial[e]
            cost = new_cost
            damping *= 0.1
            if better < 1e-5:
                break
