"""Constants in float64: Levenberg-Marquardt on the squared error, kept where it lowers the loss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places, jacobian64

MAX_ROWS = 20_000  # more rows change the constants less than their rounding


@np.errstate(all="ignore")  # squares of derivatives near a pole may overflow
def polish(nodes: Sequence[Node], X: np.ndarray, y: np.ndarray, weight: np.ndarray, steps: int = 20) -> list[Node]:
    """The program with its constants tuned to least squares; as it was where that does not help."""
    nodes = list(nodes)
    places = constant_places(nodes)
    if not places:
        return nodes
    if len(y) > MAX_ROWS:
        rows = np.linspace(0, len(y) - 1, MAX_ROWS).astype(int)
        X, y, weight = X[rows], y[rows], weight[rows]
    root = np.sqrt(weight)
    c = np.array([nodes[k][2] for k in places])
    out, jacobian = jacobian64(nodes, X, places)
    cost = _cost(out, y, weight)
    if not np.isfinite(cost):
        return nodes
    damping = 1e-3
    for _ in range(steps):
        a = root[:, None] * jacobian
        normal, gradient = a.T @ a, a.T @ (root * (y - out))
        if not (np.isfinite(normal).all() and np.isfinite(gradient).all()):
            break
        diagonal = np.diag(normal).copy()
        diagonal[diagonal == 0] = 1.0
        moved = False
        while not moved and damping < 1e8:
            try:
                step = np.linalg.solve(normal + damping * np.diag(diagonal), gradient)
            except np.linalg.LinAlgError:
                damping *= 10.0
                continue
            trial = with_constants(nodes, places, c + step)
            new_out, new_jacobian = jacobian64(trial, X, places)
            new_cost = _cost(new_out, y, weight)
            if new_cost < cost:
                moved = True
                gain = (cost - new_cost) / cost
                nodes, c, out, jacobian, cost = trial, c + step, new_out, new_jacobian, new_cost
                damping = max(damping * 0.2, 1e-12)
            else:
                damping *= 5.0
        if not moved or gain < 1e-10 or cost == 0.0:
            break
    return nodes


def with_constants(nodes: Sequence[Node], places: Sequence[int], values: np.ndarray) -> list[Node]:
    """The program with other constants at `places`."""
    result = list(nodes)
    for k, value in zip(places, values, strict=True):
        result[k] = (result[k][0], result[k][1], float(value))
    return result


def _cost(out: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    return float((weight * (y - out) ** 2).sum())
