"""Outputs of programs on rows of data, in float32."""

from __future__ import annotations

import numpy as np

from epsilex.programs.machine import addresses
from epsilex.programs.operators import arities
from epsilex.programs.programs import Programs


def evaluate(programs: Programs, X: np.ndarray, n_jobs: int = 1) -> np.ndarray:
    """Outputs of every program on every row: (programs, rows) float32.

    Where a formula is undefined or overflows, its output is NaN or infinite, as NumPy's would be.
    """
    from epsilex.kernels.evaluating import in_blocks

    X = np.asarray(X)
    if X.ndim != 2 or X.shape[0] < 1 or X.shape[1] < 1:
        raise ValueError(f"X: expected an array (rows, features) with at least one of each; got shape {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X: expected numbers; got dtype {X.dtype}")
    programs.validate(X.shape[1])
    return evaluate_blocks(programs, in_blocks(X), n_jobs)[:, : X.shape[0]]


def evaluate_blocks(programs: Programs, blocks: np.ndarray, n_jobs: int = 1, out: np.ndarray | None = None):
    """As `evaluate`, on data already in blocks, and with the padding of the last block: (programs, blocks * n)."""
    from epsilex.kernels import evaluating, slices

    if out is None:
        out = np.empty((len(programs), blocks.shape[0] * blocks.shape[2]), np.float32)
    constant = np.asarray(programs.constant, np.float32)
    table, arity = addresses(programs.opcode), arities()

    def part(first: int, last: int) -> None:
        evaluating.evaluate(
            table, arity, programs.opcode, programs.feature, constant, programs.length, blocks, out, first, last
        )

    slices.run(part, len(programs), n_jobs)
    return out
