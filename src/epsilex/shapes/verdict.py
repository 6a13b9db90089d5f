"""Whether a statement holds over a box: proven by intervals with derivatives, checked on many points, or violated.

Branch and bound: a box over which interval arithmetic shows that the statement holds is done, any other is cut in two.
A violation by less than `ROUNDING` of the largest value counts as rounding.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from epsilex.programs.derivative import derivative
from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval, enclose
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import FEATURE
from epsilex.programs.poles import guarded, halves
from epsilex.shapes.statements import Statement

ROUNDING = 1e-9
BOXES, WORK = 400, 3000  # cut at most, and nodes enclosed: exact intervals take their time
STEP = 1e-4  # of a side of the box: step of differences where a derivative is not known
POINTS = 1024  # in a quick check; a thorough one has THOROUGH
THOROUGH = 8192
DECADES = 4.0  # over which points near a face are spread
DIVISORS = {"div": 1, "inv": 0}  # operator -> argument


def points(box: Sequence[Interval], X: np.ndarray, n: int) -> np.ndarray:
    """(n, features) points of a box: on its faces, near them, where formulas may be steep, and anywhere inside. They
    are the same on every call; rows of the data within the box are among them."""
    rng = np.random.default_rng(0)
    low, high = np.array([side.lo for side in box]), np.array([side.hi for side in box])
    share = rng.random((n, len(box)))
    at = rng.random(share.shape)
    near = 10.0 ** (-DECADES * share)
    share = np.select([at < 0.1, at < 0.25, at < 0.75, at < 0.9], [0.0, near, share, 1.0 - near], 1.0)
    drawn = np.clip(low + (high - low) * share, low, high)
    rows = X[((low <= X) & (high >= X)).all(axis=1)][: n // 4]
    return np.vstack([rows, drawn[len(rows) :]])


def has_pole(nodes: Sequence[Node], at: np.ndarray) -> bool:
    """Whether a divisor has both signs at points: in between is a pole, which a statement about values may miss."""
    divisors = (evaluate64(divisor, at) for divisor in guarded(nodes, DIVISORS))
    return any((values > 0.0).any() and (values < 0.0).any() for values in divisors)


def holds(nodes: Sequence[Node], known: Statement, box: Sequence[Interval], at: np.ndarray, size: float) -> bool:
    """Whether a statement holds at points; `size` is a typical value of the target."""
    at = at.copy()
    for column, value in known.pins:
        at[:, column] = value
    out = evaluate64(nodes, at)
    if not np.isfinite(out).all():
        return False
    if known.order:
        out = _slopes(nodes, known, box, at)
        size = float(np.abs(out[np.isfinite(out)]).max(initial=0.0))
    if known.equal:
        return bool((np.abs(out - known.value) <= ROUNDING * size).all())
    return bool((known.sign * out - known.value >= -ROUNDING * size).all())


def _slopes(nodes: Sequence[Node], known: Statement, box: Sequence[Interval], at: np.ndarray) -> np.ndarray:
    """First or second derivatives at points; by differences where the formula has none of its own."""
    slope = _derived(nodes, known)
    if slope is not None:
        out = evaluate64(slope, at)
        if np.isfinite(out).all():
            return out
    side = box[known.feature]
    step = STEP * (side.hi - side.lo)
    middle = np.clip(at[:, known.feature], side.lo + step, side.hi - step)
    values = []
    for shift in (-step, 0.0, step):
        moved = at.copy()
        moved[:, known.feature] = middle + shift
        values.append(evaluate64(nodes, moved))
    low, centre, high = values
    rounding = 1e-12 * np.abs(values).max(axis=0)
    change = high - low if known.order == 1 else high - 2.0 * centre + low
    return np.where(np.abs(change) <= 4.0 * rounding, 0.0, change)


def _derived(nodes: Sequence[Node], known: Statement) -> list[Node] | None:
    found: list[Node] | None = list(nodes)
    for _ in range(known.order):
        found = None if found is None else derivative(found, known.feature)
    return found


def proven(nodes: Sequence[Node], known: Statement, box: Sequence[Interval], size: float) -> bool:
    """Whether intervals prove a statement over the whole box."""
    program = _derived(nodes, known)
    if program is None:
        return False
    pinned = dict(known.pins)
    whole = [Interval(pinned[j], pinned[j]) if j in pinned else side for j, side in enumerate(box)]
    if known.order and enclose(nodes, whole) is None:  # defined everywhere
        return False
    used = sorted({feature for code, feature, _ in program if code == FEATURE} - set(pinned))
    waiting, slack = deque([whole]), ROUNDING * size if known.order == 0 else 0.0
    for _ in range(min(BOXES, max(1, WORK // len(program)))):
        if not waiting:
            return True
        part = waiting.popleft()
        found = enclose(program, part)
        if found is not None and _within(found, known, slack):
            continue
        if not used:
            return False
        waiting += halves(part, whole, used)
    return not waiting


def _within(found: Interval, known: Statement, slack: float) -> bool:
    if known.equal:
        return max(abs(found.lo - known.value), abs(found.hi - known.value)) <= slack
    return (found.lo if known.sign > 0.0 else -found.hi) - known.value >= -slack
