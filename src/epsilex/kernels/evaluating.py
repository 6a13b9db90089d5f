"""Data in blocks of rows, and the run of one program over one block.

Legend: `k` a node, `level` a place on the value stack, `n` the rows of a block.
X is stored as (blocks, features, n): one block of all features stays in cache while every program runs over it.
Values are addresses: a feature without coefficient is read in place, never copied. Each stack level has two buffers, so
that an operator never writes where it reads, because LLVM needs that to vectorise its loop.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner, jit
from epsilex.kernels.instructions import call4, load, store
from epsilex.kernels.postfix import CONSTANT, FEATURE

BLOCK = 512  # rows: the stack of a deep program stays within L1 and L2
LANES = 32  # block sizes are multiples of this, so that no loop ends in scalar code


def block_shape(n_rows: int) -> tuple[int, int]:
    """Number of blocks, and of rows in each, that hold `n_rows` rows with little padding."""
    blocks = -(-n_rows // BLOCK)
    size = -(-n_rows // blocks)
    return blocks, -(-size // LANES) * LANES


def in_blocks(X: np.ndarray) -> np.ndarray:
    """X (rows, features) as float32 (blocks, features, n); the last block is padded with its last row."""
    n_rows, n_features = X.shape
    blocks, n = block_shape(n_rows)
    row = np.minimum(np.arange(blocks * n), n_rows - 1)
    with np.errstate(over="ignore"):
        single = np.asarray(X, np.float32)
    return np.ascontiguousarray(single[row].reshape(blocks, n, n_features).transpose(0, 2, 1))


def vector_in_blocks(y: np.ndarray) -> np.ndarray:
    """A vector over rows as float32 (blocks * n,), padded as `in_blocks` pads."""
    return in_blocks(y.reshape(-1, 1)).reshape(-1)


@jit
def mark(opcode, present):
    """Set present[op] for every op that occurs."""
    for k in range(opcode.size):
        present[opcode[k]] = True


@jit
def one_nan(out, first, last):
    """Rows first..last-1 of out with the same bits for every NaN."""
    for i in range(first, last):
        row = out[i]
        for j in range(row.size):
            row[j] = row[j] if row[j] == row[j] else np.float32(np.nan)


@inner
def scale(dst, a, c, n):
    for i in range(n):
        store(dst, i, c * load(a, i))


@inner
def fill(dst, c, n):
    for i in range(n):
        store(dst, i, c)


@inner
def run_program(table, arity, opcode, feature, constant, length, x, stride, n, stack, where, result):
    """One program over `n` rows; features lie `stride` bytes apart, starting at address `x`; the root's values
    go to `result`."""
    size = n * 4
    level = 0
    for k in range(length):
        op = opcode[k]
        last = k == length - 1
        if op == FEATURE:
            a = x + np.int64(feature[k]) * stride
            c = constant[k]
            if c == np.float32(1.0) and not last:
                where[level] = a
            else:
                dst = result if last else stack + level * 2 * size
                scale(dst, a, c, n)
                where[level] = dst
            level += 1
        elif op == CONSTANT:
            dst = result if last else stack + level * 2 * size
            fill(dst, constant[k], n)
            where[level] = dst
            level += 1
        else:
            level -= arity[op]
            a = where[level]
            b = where[level + 1] if arity[op] == 2 else a
            dst = stack + level * 2 * size
            if dst == a:
                dst += size
            if last:
                dst = result
            call4(table[op], dst, a, b, n)
            where[level] = dst
            level += 1
