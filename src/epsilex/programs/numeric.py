"""Values of a program in float64, by the NumPy functions of the operator table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT

BLOCK = 16_384  # rows evaluated together: their intermediate values stay in cache


def evaluate64(nodes: Iterable[Node], X) -> np.ndarray:
    """Outputs of one program, (rows,) float64, for `X` (rows, features); undefined values are NaN or infinite."""
    X = np.asarray(X, dtype=np.float64)
    if len(X) <= BLOCK:
        return _block(nodes, X)
    nodes, out = list(nodes), np.empty(len(X))
    for first in range(0, len(X), BLOCK):
        out[first : first + BLOCK] = _block(nodes, X[first : first + BLOCK])
    return out


def _block(nodes: Iterable[Node], X: np.ndarray) -> np.ndarray:
    columns: dict[int, np.ndarray] = {}

    def leaf(code, feature, constant):
        if code == CONSTANT:
            return np.float64(constant)
        if feature not in columns:
            # Fix the layout: NumPy's sine of a strided array may differ from that of a contiguous one in the last bit.
            columns[feature] = np.ascontiguousarray(X[:, feature])
        return columns[feature] if constant == 1.0 else constant * columns[feature]

    with np.errstate(all="ignore"):
        value = fold(nodes, leaf, lambda row, *parts: row.value(*parts))
    if np.shape(value) != (len(X),):
        value = np.broadcast_to(value, len(X))
    return np.array(value, dtype=np.float64)
