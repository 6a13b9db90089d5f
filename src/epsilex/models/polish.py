"""Constants in float64: Levenberg-Marquardt on the squared residuals under a noise, kept if it lowers them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from epsilex.data.noise import Noise
from epsilex.data.rows import evenly
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places, jacobian64

MAX_ROWS = 20_000  # more rows change the constants by less than their rounding
STEPS = 20
SETTLED = 1e-4  # nats of a step after which constants are well within their standard errors


@np.errstate(all="ignore")  # squares of derivatives near a pole may overflow
def polish(
    nodes: Sequence[Node], X: np.ndarray, noise: Noise, places: Sequence[int] | None = None, steps: int = STEPS,
    ties: np.ndarray | None = None, jacobian: Callable = jacobian64,
) -> list[Node]:  # fmt: skip
    """The program with its constants, or those at `places`, tuned by least squares; unchanged if that does not help.

    With `ties` (places, parameters) of zeros and ones, constants that share a parameter move together. `jacobian` gives
    outputs and their derivatives, by default of the program as it is.
    """
    nodes = list(nodes)
    places = constant_places(nodes) if places is None else list(places)
    if not places:
        return nodes
    rows = evenly(len(X), MAX_ROWS)
    X, noise = X[rows], noise.take(rows)
    root = np.sqrt(noise.weight)

    def look(program):
        out, derivatives = jacobian(program, X, places)
        left = root * noise.residuals(out)
        slopes = root[:, None] * noise.slopes(out, derivatives)
        return left, slopes if ties is None else slopes @ ties, float((left**2).sum())

    c = np.array([nodes[k][2] for k in places])
    left, a, cost = look(nodes)
    if not np.isfinite(cost):
        return nodes
    damping = 1e-3
    for _ in range(steps):
        normal, gradient = a.T @ a, a.T @ left
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
            step = step if ties is None else ties @ step
            trial = with_constants(nodes, places, c + step)
            new_left, new_a, new_cost = look(trial)
            if new_cost < cost:
                moved = True
                gain = (cost - new_cost) / cost
                nodes, c, left, a, cost = trial, c + step, new_left, new_a, new_cost
                damping = max(damping * 0.2, 1e-12)
            else:
                damping *= 5.0
        if not moved or 0.5 * len(X) * gain < SETTLED or cost == 0.0:
            break
    return nodes


def with_constants(nodes: Sequence[Node], places: Sequence[int], values: np.ndarray) -> list[Node]:
    """The program with other constants at `places`."""
    result = list(nodes)
    for k, value in zip(places, values, strict=True):
        result[k] = (result[k][0], result[k][1], float(value))
    return result
