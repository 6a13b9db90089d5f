"""Outputs of programs on rows of data, in float32."""

from __future__ import annotations

import numpy as np

from epsilex.programs.machine import addresses
from epsilex.programs.operators import arities, commutative
from epsilex.programs.programs import Programs

GROUP = 2000  # programs per group of shared subtrees: the live results of more would not fit into the caches


def evaluate(programs: Programs, X: np.ndarray, n_jobs: int = 1) -> np.ndarray:
    """Outputs of every program on every row: (programs, rows) float32.

    Where a formula is undefined or overflows, its output is NaN or infinite, as in NumPy. The bits do not depend on
    `n_jobs`.
    """
    from epsilex.kernels import slices
    from epsilex.kernels.evaluating import in_blocks, one_nan

    X = np.asarray(X)
    if X.ndim != 2 or X.shape[0] < 1 or X.shape[1] < 1:
        raise ValueError(f"X: expected an array (rows, features) with at least one of each; got shape {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X: expected numbers; got dtype {X.dtype}")
    _check(programs, X.shape[1])
    out = evaluate_blocks(programs, in_blocks(X), n_jobs)
    # Which of two NaN with different signs survives a sum depends on the threads.
    slices.run(lambda first, last: one_nan(out, first, last), len(out), n_jobs)
    return out[:, : X.shape[0]]


def _check(programs: Programs, n_features: int) -> None:
    """Raise a ValueError unless the programs are well formed: the kernel detects errors, `validate` describes them."""
    from epsilex.kernels.postfix import well_formed

    same = programs.opcode.shape == programs.feature.shape == programs.constant.shape
    if not (same and programs.length.shape == programs.opcode.shape[:1]) or not well_formed(
        programs.opcode, programs.feature, programs.length, arities(), n_features
    ):
        programs.validate(n_features)


def evaluate_blocks(
    programs: Programs, blocks: np.ndarray, n_jobs: int = 1, out: np.ndarray | None = None
) -> np.ndarray:
    """As `evaluate`, on data already in blocks, and with the padding of the last block: (programs, blocks * n).

    `out` is overwritten if given. Threads take blocks of rows, or groups of programs if there are too few blocks.
    """
    from epsilex.kernels import slices

    n = len(programs)
    if out is None:
        out = np.empty((n, blocks.shape[0] * blocks.shape[2]), np.float32)
    table = addresses(programs.opcode)
    by_rows = blocks.shape[0] >= 2 * n_jobs
    n_groups = -(-n // GROUP) if by_rows else max(n_jobs, -(-n // GROUP))

    def groups(first: int, last: int) -> None:
        for g in range(first, last):
            _run_shared(
                programs, table, blocks, out, n * g // n_groups, n * (g + 1) // n_groups, n_jobs if by_rows else 1
            )

    slices.run(groups, n_groups, 1 if by_rows else n_jobs)
    return out


def _run_shared(programs: Programs, table, blocks, out, first: int, last: int, n_jobs: int) -> None:
    """Outputs of programs first..last-1, each distinct subtree computed once."""
    from epsilex.kernels import sharing, slices

    most = int(programs.length[first:last].sum())
    if most == 0:
        return
    keys, constants, used = np.empty(most, np.uint64), np.empty(most, np.float32), np.empty(most, bool)
    roots = np.empty(len(programs), np.int64)
    slots = np.full(1 << (2 * most).bit_length(), -1, np.int32)
    count = sharing.share(
        table, arities(), commutative(), programs.opcode, programs.feature, programs.constant, programs.length,
        first, last, keys, constants, used, roots, slots, np.zeros((3, 32), np.float32),
    )  # fmt: skip
    most = count + last - first
    code = (
        np.empty(most, np.uint8),
        np.empty((most, 3), np.uint8),
        np.empty((most, 3), np.int64),
        np.empty(most, np.float32),
    )
    n, stride = blocks.shape[2], out.shape[1] * 4
    length, n_buffers = sharing.assign(keys, constants, used, roots, first, last, count, n, stride, *code)
    slices.run(lambda a, b: sharing.run(table, *code, length, n_buffers, blocks, out, a, b), blocks.shape[0], n_jobs)
