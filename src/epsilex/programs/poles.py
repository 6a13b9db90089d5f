"""Poles: whether a formula is finite everywhere in a box, proven by intervals, or has a pole there.

Branch and bound: a box over which interval arithmetic encloses the formula is done; any other is checked at its centre
and corners, then cut in two. If the argument of a quotient, logarithm or root has another sign there than on the data,
the formula has a pole or is undefined in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval, enclose
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, lookup, opcode

GUARDED = {"div": 1, "inv": 0, "log": 0, "sqrt": 0, "pow": 0}  # operator -> the argument that must keep its sign
WITHIN_ONE = ("asin", "acos")  # operators of arguments from -1 to 1
_ONE, _SQUARE, _MINUS = (CONSTANT, 0, 1.0), (opcode("square"), 0, 0.0), (opcode("sub"), 0, 0.0)
CORNERS = 6  # check all corners for at most this many features
POINTS = 2048  # drawn from the box as a first check
EXPECTED = 10.0  # expected number of undefined training rows above which the data avoids that region


def finiteness(nodes: Sequence[Node], box: Sequence[Interval], X: np.ndarray, budget: int = 256) -> str:
    """ "finite" if that is proven, "pole" if the formula is undefined at a place that the data does not avoid,
    "unknown" if neither is found within `budget` boxes."""
    nodes = list(nodes)
    if enclose(nodes, box) is not None:
        return "finite"
    guards = guarded(nodes)
    signs = [_sign(guard, X) for guard in guards]
    low, high = np.array([b.lo for b in box]), np.array([b.hi for b in box])
    some = low + (high - low) * np.random.default_rng(0).random((POINTS, len(box)))
    bad = _changed(guards, signs, some)
    if bad.mean() * len(X) > EXPECTED:
        return "unknown"  # the data avoids such places
    if bad.any():
        return "pole"
    used = sorted({feature for code, feature, _ in nodes if code == FEATURE})
    waiting = deque([(list(box), 0)])
    for _ in range(budget):
        if not waiting:
            return "finite"
        part, depth = waiting.popleft()
        if enclose(nodes, part) is not None:
            continue
        if _changed(guards, signs, _looked_at(part, used)).any():
            return "pole"
        waiting += [(half, depth + 1) for half in halves(part, box, used)]
    return "finite" if not waiting else "unknown"


def guarded(nodes: Sequence[Node], among: dict[str, int] = GUARDED) -> list[list[Node]]:
    """The programs whose sign decides where the formula is defined: arguments a of `among`, by operator, or 1 - a^2."""
    found: list[list[Node]] = []
    starts: list[int] = []
    for k, (code, _, _) in enumerate(nodes):
        if code <= FEATURE:
            starts.append(k)
            continue
        row = lookup(code)
        first = starts[len(starts) - row.arity :]
        ends = [*first[1:], k]
        place = among.get(row.name)
        if place is not None and any(c == FEATURE for c, _, _ in nodes[first[place] : ends[place]]):
            found.append(list(nodes[first[place] : ends[place]]))
        elif row.name in WITHIN_ONE:
            found.append([_ONE, *nodes[first[0] : k], _SQUARE, _MINUS])
        del starts[len(starts) - row.arity + 1 :]
    return found


def _sign(guard: Sequence[Node], X: np.ndarray) -> float:
    """The sign of an argument on the data; 0 if it has both signs or is 0 somewhere."""
    values = evaluate64(guard, X)
    return 1.0 if (values > 0.0).all() else -1.0 if (values < 0.0).all() else 0.0


def _changed(guards: Sequence[Sequence[Node]], signs: Sequence[float], points: np.ndarray) -> np.ndarray:
    """(points,) bool: where an argument with one sign on the data has another."""
    bad = np.zeros(len(points), bool)
    for guard, sign in zip(guards, signs, strict=True):
        if sign != 0.0:
            with np.errstate(all="ignore"):
                bad |= sign * evaluate64(guard, points) < 0.0
    return bad


def _looked_at(part: Sequence[Interval], used: Sequence[int]) -> np.ndarray:
    """The centre of a box and its corners."""
    centre = np.array([0.5 * b.lo + 0.5 * b.hi for b in part])
    if len(used) > CORNERS:
        return centre[None]
    points = np.tile(centre, (2 ** len(used) + 1, 1))
    for place, j in enumerate(used):
        points[1:, j] = np.where(np.arange(2 ** len(used)) >> place & 1, part[j].hi, part[j].lo)
    return points


def halves(part: list[Interval], box: Sequence[Interval], used: Sequence[int]) -> list[list[Interval]]:
    """The box cut in two across the side that is widest relative to the whole box."""
    j = max(used, key=lambda j: (part[j].hi - part[j].lo) / max(box[j].hi - box[j].lo, 1e-300))
    middle = 0.5 * part[j].lo + 0.5 * part[j].hi
    lower, upper = list(part), list(part)
    lower[j], upper[j] = Interval(part[j].lo, middle), Interval(middle, part[j].hi)
    return [lower, upper]
