"""Constants in float64: Levenberg-Marquardt on the squared residuals under a noise, kept if it lowers them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from epsilex.data.noise import Noise
from epsilex.data.rows import evenly
from epsilex.programs.fold import Node
from epsilex.programs.gradient import Tape, constant_places

MAX_ROWS = 20_000  # more rows change the constants by less than their rounding
STEPS = 20
SETTLED = 1e-4  # nats of a step after which constants are well within their standard errors


@np.errstate(all="ignore")  # squares of derivatives near a pole may overflow
def polish(
    nodes: Sequence[Node], X: np.ndarray, noise: Noise, places: Sequence[int] | None = None, steps: int = STEPS,
    ties: np.ndarray | None = None, tape: Callable = Tape,
) -> list[Node]:  # fmt: skip
    """The program with its constants, or those at `places`, tuned by least squares; unchanged if that does not help.

    With `ties` (places, parameters) of zeros and ones, constants that share a parameter move together. `tape` lays a
    program out for outputs and their derivatives, by default as it is.
    """
    nodes = list(nodes)
    places = constant_places(nodes) if places is None else list(places)
    if not places:
        return nodes
    rows = evenly(len(X), MAX_ROWS)
    X, noise = X[rows], noise.take(rows)
    root = np.sqrt(noise.weight)
    laid_out = tape(nodes, X, places)

    def look(program):
        out = laid_out.outputs(program)
        left = root * noise.residuals(out)
        return out, left, float((left**2).sum())

    def slopes(out):
        derivatives = root[:, None] * noise.slopes(out, laid_out.slopes())
        return derivatives if ties is None else derivatives @ ties

    c = np.array([nodes[k][2] for k in places])
    out, left, cost = look(nodes)
    if not np.isfinite(cost):
        return nodes
    a, damping = slopes(out), 1e-3
    for _ in range(steps):
        normal, gradient = a.T @ a, a.T @ left
        if not (np.isfinite(normal).all() and np.isfinite(gradient).all()):
            break
        diagonal = np.diag(normal).copy()
        diagonal[diagonal == 0] = 1.0
        damped = normal.copy()
        moved = False
        while not moved and damping < 1e8:
            try:
                damped.ravel()[:: len(damped) + 1] = normal.diagonal() + damping * diagonal
                step = np.linalg.solve(damped, gradient)
            except np.linalg.LinAlgError:
                damping *= 10.0
                continue
            step = step if ties is None else ties @ step
            trial = with_constants(nodes, places, c + step)
            out, new_left, new_cost = look(trial)
            if new_cost < cost:
                moved = True
                gain = (cost - new_cost) / cost
                nodes, c, left, a, cost = trial, c + step, new_left, slopes(out), new_cost
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
