"""Cases drawn from more rows than a search can see at once, and drawn anew every so many generations.

Down-sampling of training data between generations is as old as genetic programming: Gathercole, Ross, "Dynamic training
subset selection for supervised learning in genetic programming", PPSN III (1994). A draw has the address (seed, number
of the draw), so it depends neither on threads nor on islands, and a resumed search sees the same cases. Shadow rows,
the range of tame programs and the loss are those of the first draw throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from epsilex.data.rows import drawn_rows
from epsilex.data.shadow import limits
from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.purposes import CASES, generator


def from_rows(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, loss: str | Callable, shadow: np.ndarray | None,
    more_shadow: np.ndarray | None, zero: float, n: int, seed: int,
) -> Cases:  # fmt: skip
    """The first draw of `n` cases from more rows; arguments as those of `Cases.from_arrays`."""
    who = drawn(len(y), n, seed, 0)
    cases = Cases.from_arrays(X[who], y[who], weight[who], loss, shadow, more_shadow, zero)
    cases.rows_X, cases.rows_y, cases.rows_weight, cases.seed = X.astype(np.float32), y, weight, seed
    if shadow is not None:
        cases.limits = limits(y, zero)
    return cases


def redrawn(first: Cases, number: int) -> Cases:
    """Another draw from the rows of the `first`, which is number 0; they share their buffers."""
    if first.rows_X is None or first.rows_y is None or first.rows_weight is None:
        raise ValueError("cases: expected cases that were drawn from more rows; got all rows there are")
    who = drawn(len(first.rows_y), len(first), first.seed, number)
    X, y = first.rows_X[who], first.rows_y[who]
    new = Cases.from_arrays(X, y, first.rows_weight[who], "mae", first.shadow, None, first.zero)
    own = {name: getattr(new, name) for name in ("X", "y", "centred", "y_mean", "weight", "padded_y", "root_weight")}
    cases = replace(first, **own, inputs=new.inputs)
    cases.error_buffers = first.error_buffers
    return cases


def drawn(n_rows: int, n: int, seed: int, number: int) -> np.ndarray:
    """Indices of `n` of the rows, ascending: a draw by its number."""
    return drawn_rows(n_rows, n, generator(seed, number, CASES))


def draw_of(generation: int, every: int) -> int:
    """The number of the draw on which the state of a generation was measured: its step began with it."""
    return max(generation - 1, 0) // every
