"""Negligible numbers: so small that the formula's values stay the same without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE

SMALL = 1e-6  # a leaf that never exceeds this may be removed
SAME = 1e-12  # change of the outputs, relative to their spread, that counts as rounding


def prune(nodes: Sequence[Node], X: np.ndarray, values: Callable) -> list[Node]:
    """The simplified program after setting to 0 every leaf that does not change its outputs on X (rows, features)."""
    nodes = list(nodes)
    base = values(nodes, X)
    if not np.isfinite(base).all():
        return nodes
    spread = float(np.abs(base - base.mean()).max())
    largest = np.abs(X).max(axis=0)
    for k, (code, feature, value) in enumerate(nodes):
        if code not in (CONSTANT, FEATURE) or value == 0.0:
            continue
        reach = abs(value) * (largest[feature] if code == FEATURE and feature < len(largest) else 1.0)
        if not reach < SMALL:
            continue
        trial = [*nodes[:k], (code, feature, 0.0), *nodes[k + 1 :]]
        change = np.abs(values(trial, X) - base).max()
        if change <= SAME * spread:
            nodes = trial
    return simplify(nodes)
