"""Values and derivatives of one program in float64, by the operator table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, lookup


def constant_places(nodes: Sequence[Node]) -> list[int]:
    """Nodes whose constant can be tuned: constants and features, but not whole exponents.

    A whole exponent of `pow` is part of the formula's shape: another value would be undefined for negative bases.
    """
    powers = {k - 1 for k, node in enumerate(nodes) if node[0] > FEATURE and lookup(node[0]).name == "pow"}
    return [
        k for k, (code, _, value) in enumerate(nodes)
        if code == FEATURE or (code == CONSTANT and not (k in powers and value.is_integer()))
    ]  # fmt: skip


def jacobian64(nodes: Sequence[Node], X: np.ndarray, places: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Outputs (rows,) and their derivatives with respect to the constants at `places` (rows, places); reverse mode."""
    n = len(X)
    values: list = []
    arguments: list[tuple[int, ...]] = []
    stack: list[int] = []
    with np.errstate(all="ignore"):
        for k, (code, feature, constant) in enumerate(nodes):
            if code == CONSTANT:
                values.append(np.full(n, constant))
                arguments.append(())
            elif code == FEATURE:
                values.append(constant * X[:, feature])
                arguments.append(())
            else:
                row = lookup(code)
                children = tuple(stack[-row.arity :])
                del stack[-row.arity :]
                values.append(row.value(*(values[c] for c in children)))
                arguments.append(children)
            stack.append(k)
        slope: list = [None] * len(nodes)
        slope[-1] = np.ones(n)
        for k in range(len(nodes) - 1, -1, -1):
            code = nodes[k][0]
            if code in (CONSTANT, FEATURE):
                continue
            row = lookup(code)
            inputs = [values[c] for c in arguments[k]]
            for j, child in enumerate(arguments[k]):
                slope[child] = slope[k] * _partial(row, j, inputs, values[k])
        columns = [slope[k] * (1.0 if nodes[k][0] == CONSTANT else X[:, nodes[k][1]]) for k in places]
    return values[-1], np.stack(columns, axis=1) if columns else np.empty((n, 0))


def _partial(row, j: int, inputs: list, value):
    if row.partials is not None:
        return row.partials[j](*inputs, value)
    h = 1e-6 * (1.0 + np.abs(inputs[j]))
    up, down = list(inputs), list(inputs)
    up[j], down[j] = inputs[j] + h, inputs[j] - h
    return (row.value(*up) - row.value(*down)) / (2.0 * h)
