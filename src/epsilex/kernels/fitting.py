"""Errors and fitness of outputs, with or without linear scaling.

Legend: `y` the target, `w` weights of mean 1, `out` outputs (programs, padded rows), `n` rows that count.
Sums run in float32 over chunks of rows, eight to a vector, and are added up in float64.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.instructions import as_integers, call4

SUMS = {"contract", "nsz", "reassoc"}
CHUNK = 512
LARGEST = np.float32(np.finfo(np.float32).max)


@inner(fastmath=SUMS)
def weighted_sum(a, w, n):
    total = 0.0
    for start in range(0, n, CHUNK):
        part = np.float32(0.0)
        for i in range(start, min(start + CHUNK, n)):
            part += w[i] * a[i]
        total += part
    return total


@inner(fastmath=SUMS)
def centred_sums(a, y, w, n, mean):
    """Sums of w (a - mean)^2 and of w (a - mean) y."""
    square = 0.0
    product = 0.0
    for start in range(0, n, CHUNK):
        p = np.float32(0.0)
        q = np.float32(0.0)
        for i in range(start, min(start + CHUNK, n)):
            d = a[i] - mean
            p += w[i] * d * d
            q += w[i] * d * y[i]
        square += p
        product += q
    return square, product


@inner
def scaling(a, y, y_mean, w, n):
    """Slope and intercept of the weighted least-squares line from outputs `a` to `y`; (0, mean) for constant outputs.

    `y` has weighted mean 0 here, because `y_mean` was subtracted.
    """
    mean = weighted_sum(a, w, n) / n
    square, product = centred_sums(a, y, w, n, np.float32(mean))
    if not np.isfinite(square):
        return np.nan, np.nan
    if square <= 1e-12 * n * (1e-30 + mean * mean):
        return 0.0, y_mean
    slope = product / square
    return slope, y_mean - slope * mean


@inner
def scaling_through_zero(a, y, w, n):
    """Slope of the weighted least-squares line through zero from outputs `a` to `y`."""
    square, product = centred_sums(a, y, w, n, np.float32(0.0))
    if not np.isfinite(square):
        return np.nan
    return product / square if square > 1e-30 else 0.0


@inner
def scale_row(a, slope, intercept, n):
    for i in range(n):
        a[i] = slope * a[i] + intercept


@inner(fastmath=SUMS)
def mean_absolute_error(a, y, w, n):
    total = 0.0
    for start in range(0, n, CHUNK):
        part = np.float32(0.0)
        for i in range(start, min(start + CHUNK, n)):
            part += w[i] * abs(y[i] - a[i])
        total += part
    return total / n


@inner
def limit_row(a, n):
    """+-infinity becomes the largest float, as in the paper's program; NaN stays."""
    for i in range(n):
        x = a[i]
        x = LARGEST if x > LARGEST else x
        a[i] = -LARGEST if x < -LARGEST else x


@inner
def hash_row(a, n):
    """A 64-bit hash of a row of float32, to distinguish output vectors.

    All NaNs count as one value, and so do both zeros, because which one results depends on the order of arguments.
    """
    bits = as_integers(a)
    h = np.uint64(0)
    multiplier = np.uint64(0x9E3779B1)
    for i in range(n):
        weight = (np.uint64(i) * multiplier + np.uint64(0x7F4A7C15)) & np.uint64(0xFFFFFFFF)
        b = bits[i]
        size = b & np.int32(0x7FFFFFFF)
        b = np.int32(0x7FC00000) if size > np.int32(0x7F800000) else b
        b = np.int32(0) if size == 0 else b
        h += np.uint64(np.uint32(b)) * weight
    return h


@inner
def one_nan(a, n):
    """Every NaN becomes the same one."""
    for i in range(n):
        a[i] = a[i] if a[i] == a[i] else np.float32(np.nan)


@inner
def within(a, first, last, low, high):
    """Whether all of a[first:last] lie between the limits; NaN never passes."""
    good = True
    for i in range(first, last):
        good &= (a[i] >= low) & (a[i] <= high)
    return good


@jit
def measure(
    loss, out, y, centred, y_mean, w, n, n_shadow, low, high, with_scaling, through_zero, limited,
    who, errors, fitness, mae, slope, intercept, hashes, tame, first, last,
):
    """Errors (programs, n), fitness, scaling and output hashes of programs who[first..last-1], whose outputs are
    out[first..last-1]; `out` is scaled in place.

    `n_shadow` more columns of `out` belong to shadow rows: a program is tame if it stays within the limits there.
    """
    for q in range(first, last):
        i = who[q]
        a = out[q]
        hashes[i] = hash_row(a, n)
        slope[i], intercept[i] = 1.0, 0.0
        if limited:
            limit_row(a, n)
        if with_scaling:
            if through_zero:
                slope[i] = scaling_through_zero(a, y, w, n)
            else:
                slope[i], intercept[i] = scaling(a, centred, y_mean, w, n)
            scale_row(a, np.float32(slope[i]), np.float32(intercept[i]), n + n_shadow)
        tame[i] = within(a, n, n + n_shadow, low, high)
        row = errors[i]
        call4(loss, np.int64(row.ctypes.data), np.int64(y.ctypes.data), np.int64(a.ctypes.data), n)
        f = weighted_sum(row, w, n) / n
        if not np.isfinite(f):
            f = np.inf
            one_nan(row, n)
        fitness[i] = f
        e = mean_absolute_error(a, y, w, n)
        mae[i] = e if np.isfinite(e) else np.inf


@jit
def copy_rows(target, places, source, which, first, last):
    """target[places] = source[which] for the places first..last-1, without an intermediate copy."""
    for q in range(first, last):
        a, b = target[places[q]], source[which[q]]
        for i in range(a.size):
            a[i] = b[i]
