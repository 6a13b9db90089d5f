"""Derivatives of a program's outputs with respect to its constants, and Levenberg-Marquardt tuning of these.

Legend: `k` a node, `left[k]`, `right[k]` its arguments; `tape` the values of all nodes over one block of `n` rows,
`slope` the derivatives of the root with respect to each node (reverse mode); `places` the nodes whose constant is
tuned; `root_w` square roots of the weights, 0 in the padding of the last block.
Everything over rows is float32; sums over blocks, and the normal equations, are float64.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.evaluating import fill, scale
from epsilex.kernels.fitting import SUMS
from epsilex.kernels.instructions import call4, call7
from epsilex.kernels.postfix import CONSTANT, FEATURE, subtree_start

SINGULAR = 1e-10  # a pivot below this share of its diagonal means dependent constants


@inner
def arguments(opcode, arity, length, left, right):
    """The nodes that are the arguments of each operator."""
    for k in range(length):
        if arity[opcode[k]] == 1:
            left[k] = k - 1
            right[k] = k - 1
        elif arity[opcode[k]] == 2:
            right[k] = k - 1
            left[k] = subtree_start(opcode, arity, k - 1) - 1


@inner
def forward(table, arity, opcode, feature, constant, length, left, right, x, n, tape):
    """Values of all nodes over one block."""
    size = n * 4
    for k in range(length):
        op = opcode[k]
        dst = tape + k * size
        if op == CONSTANT:
            fill(dst, constant[k], n)
        elif op == FEATURE:
            scale(dst, x + np.int64(feature[k]) * size, constant[k], n)
        else:
            call4(table[op], dst, tape + left[k] * size, tape + right[k] * size, n)


@inner
def backward(slopes, opcode, length, left, right, n, tape, slope):
    """Derivatives of the root with respect to all nodes over one block."""
    size = n * 4
    fill(slope + (length - 1) * size, np.float32(1.0), n)
    for k in range(length - 1, -1, -1):
        op = opcode[k]
        if op > FEATURE:
            call7(
                slopes[op], slope + left[k] * size, slope + right[k] * size, slope + k * size,
                tape + left[k] * size, tape + right[k] * size, tape + k * size, n,
            )


@jit
def jacobian(table, slopes, arity, opcode, feature, constant, length, places, X, outputs, columns):
    """Outputs (blocks * n,) and their derivatives by the constants at `places` (places, blocks * n) of one program."""
    blocks, n_features, n = X.shape
    left, right = np.empty(length, np.int64), np.empty(length, np.int64)
    tape, slope = np.empty((length, n), np.float32), np.empty((length, n), np.float32)
    tape_at, slope_at, x_at = np.int64(tape.ctypes.data), np.int64(slope.ctypes.data), np.int64(X.ctypes.data)
    arguments(opcode, arity, length, left, right)
    for block in range(blocks):
        x = x_at + block * n_features * n * 4
        forward(table, arity, opcode, feature, constant, length, left, right, x, n, tape_at)
        backward(slopes, opcode, length, left, right, n, tape_at, slope_at)
        start = block * n
        outputs[start : start + n] = tape[length - 1]
        for q in range(places.size):
            k = places[q]
            columns[q, start : start + n] = slope[k]
            if opcode[k] == FEATURE:
                columns[q, start : start + n] *= X[block, feature[k]]


@inner(fastmath=SUMS)
def dot(a, b, n):
    total = np.float32(0.0)
    for i in range(n):
        total += a[i] * b[i]
    return total


@inner
def product(a, b, c, n, out):
    """out = a * b * c, row by row."""
    for i in range(n):
        out[i] = a[i] * b[i] * c


@inner
def residuals(f, y, w, slope, intercept, n, out):
    for i in range(n):
        out[i] = (y[i] - intercept - slope * f[i]) * w[i]


@inner(fastmath=SUMS)
def residual_sums(f, y, root_w, n):
    """Sums over one block of w, w f, w y, w f f, w f y, w y y; `root_w` holds the roots of w."""
    s0 = s1 = s2 = s3 = s4 = s5 = np.float32(0.0)
    for i in range(n):
        w = root_w[i] * root_w[i]
        wf = w * f[i]
        wy = w * y[i]
        s0 += w
        s1 += wf
        s2 += wy
        s3 += wf * f[i]
        s4 += wf * y[i]
        s5 += wy * y[i]
    return s0, s1, s2, s3, s4, s5


@inner
def cholesky_solve(a, b, m):
    """Solve a z = b in place (a symmetric, m x m); False if a is not safely positive definite."""
    for j in range(m):
        diagonal = a[j, j]
        for k in range(j):
            a[j, j] -= a[j, k] * a[j, k]
        if not a[j, j] > SINGULAR * diagonal:
            return False
        a[j, j] = np.sqrt(a[j, j])
        for i in range(j + 1, m):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
    for i in range(m):
        for k in range(i):
            b[i] -= a[i, k] * b[k]
        b[i] /= a[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            b[i] -= a[k, i] * b[k]
        b[i] /= a[i, i]
    return True


@inner
def clear_normal(normal, gradient, m):
    """Zero the normal equations of m unknowns."""
    for p in range(m):
        gradient[p] = 0.0
        for q in range(p + 1):
            normal[p, q] = 0.0


@inner
def add_to_normal(columns, residual, n, m, normal, gradient):
    """Add one block of rows to the normal equations: `columns` (m, rows) are the derivatives."""
    for p in range(m):
        gradient[p] += dot(columns[p], residual, n)
        for q in range(p + 1):
            normal[p, q] += dot(columns[p], columns[q], n)


@inner
def finite_normal(normal, gradient, m):
    """Whether the normal equations are finite; a NaN anywhere in a column shows in its diagonal."""
    finite = True
    for p in range(m):
        finite &= np.isfinite(normal[p, p]) & np.isfinite(gradient[p])
    return finite


@inner
def damped_step(normal, gradient, damping, m, damped, step):
    """The step of the damped normal equations; False if they are singular."""
    for p in range(m):
        for q in range(p + 1):
            damped[p, q] = normal[p, q]
        damped[p, p] = normal[p, p] * (1.0 + damping) + 1e-12
        step[p] = gradient[p]
    return cholesky_solve(damped, step, m)


@inner
def _values(
    table, arity, opcode, feature, constant, length, left, right, X, root_w, y, with_scaling, through_zero, tape,
):
    """Squared error, slope and intercept of the best line from the outputs to y; it may have to pass through zero."""
    blocks, n_features, n = X.shape
    tape_at, x_at = np.int64(tape.ctypes.data), np.int64(X.ctypes.data)
    w, f, t, ff, ft, tt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for block in range(blocks):
        x = x_at + block * n_features * n * 4
        forward(table, arity, opcode, feature, constant, length, left, right, x, n, tape_at)
        start = block * n
        part = residual_sums(tape[length - 1], y[start : start + n], root_w[start : start + n], n)
        w, f, t = w + part[0], f + part[1], t + part[2]
        ff, ft, tt = ff + part[3], ft + part[4], tt + part[5]
    if not with_scaling:
        return ff - 2.0 * ft + tt, 1.0, 0.0
    if through_zero:
        return (tt - ft * ft / ff, ft / ff, 0.0) if ff > 0.0 else (np.inf, 0.0, 0.0)
    variance = ff - f * f / w
    if not variance > 1e-10 * ff:
        return np.inf, 0.0, 0.0
    slope = (ft - f * t / w) / variance
    intercept = (t - slope * f) / w
    return tt - t * t / w - slope * (ft - f * t / w), slope, intercept


@jit
def tune(
    table, slopes, arity, opcode, feature, constant, length, X, y, root_w, with_scaling, through_zero,
    coefficients, steps, first, last,
):
    """Levenberg-Marquardt on the constants of programs first..last-1, in place; a step that does not lower the squared
    error is undone.

    With scaling, slope and intercept are two more unknowns of each step. Damping multiplies the diagonal (Marquardt),
    and a failed step is tried again with more damping.
    """
    blocks, n_features, n = X.shape
    width = opcode.shape[1]
    left, right = np.empty(width, np.int64), np.empty(width, np.int64)
    tape, slope = np.empty((width, n), np.float32), np.empty((width, n), np.float32)
    tape_at, slope_at, x_at = np.int64(tape.ctypes.data), np.int64(slope.ctypes.data), np.int64(X.ctypes.data)
    columns = np.empty((width + 3, n), np.float32)
    places = np.empty(width, np.int64)
    normal, damped = np.empty((width + 2, width + 2)), np.empty((width + 2, width + 2))
    gradient, step = np.empty(width + 2), np.empty(width + 2)
    trial = np.empty(width, np.float32)
    for i in range(first, last):
        op, of, c, nodes = opcode[i], feature[i], constant[i], length[i]
        m = 0
        for k in range(nodes):
            if op[k] == CONSTANT or (op[k] == FEATURE and coefficients):
                places[m] = k
                m += 1
        if m == 0:
            continue
        arguments(op, arity, nodes, left, right)
        cost, b, a = _values(
            table, arity, op, of, c, nodes, left, right, X, root_w, y, with_scaling, through_zero, tape
        )
        if not np.isfinite(cost):
            continue
        damping = 1e-2
        size = m
        if with_scaling:
            size += 1 if through_zero else 2
        for _ in range(steps):
            clear_normal(normal, gradient, size)
            for block in range(blocks):
                x = x_at + block * n_features * n * 4
                start = block * n
                if blocks > 1:  # for a single block the tape still has the values of the last accepted step
                    forward(table, arity, op, of, c, nodes, left, right, x, n, tape_at)
                backward(slopes, op, nodes, left, right, n, tape_at, slope_at)
                f, w = tape[nodes - 1], root_w[start : start + n]
                residual = columns[size]
                residuals(f, y[start : start + n], w, np.float32(b), np.float32(a), n, residual)
                for q in range(m):
                    k = places[q]
                    product(slope[k], w, np.float32(b), n, columns[q])
                    if op[k] == FEATURE:
                        product(columns[q], X[block, of[k]], np.float32(1.0), n, columns[q])
                if with_scaling:
                    product(f, w, np.float32(1.0), n, columns[m])
                    if not through_zero:
                        for j in range(n):  # a loop, because an array assignment takes long to compile
                            columns[m + 1, j] = w[j]
                add_to_normal(columns, residual, n, size, normal, gradient)
            if not finite_normal(normal, gradient, size):
                break
            moved = False
            for _ in range(3):
                if damped_step(normal, gradient, damping, size, damped, step):
                    for k in range(nodes):
                        trial[k] = c[k]
                    for q in range(m):
                        trial[places[q]] += np.float32(step[q])
                    new_cost, new_b, new_a = _values(
                        table, arity, op, of, trial, nodes, left, right, X, root_w, y, with_scaling, through_zero, tape
                    )
                    if new_cost < cost:
                        moved = True
                        break
                damping *= 8.0
            if not moved:
                break
            gain = (cost - new_cost) / cost
            for q in range(m):
                c[places[q]] = trial[places[q]]
            cost, b, a = new_cost, new_b, new_a
            damping *= 0.1
            if gain < 1e-5:
                break
