"""Marks on a front: its knee, and the range of errors that its axis shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

DECADES = 1e4  # the axis reaches no lower than this share of the largest training error
FALL, DEPTH = 2.0, 0.1  # a front bends if its error falls by this factor, and its knee is so far below the line
BELOW, ABOVE = 10.0, 3.0  # room of the axis below the chosen model, and above the largest training error


def knee(lengths: Sequence[int], errors: Sequence[float]) -> int | None:
    """Index of the model at which the front bends most; None if it does not bend.

    That is the model farthest below the straight line from the first to the last, in length and logarithm of the
    error, both over their range.

    V. Satopaa, J. Albrecht, D. Irwin, B. Raghavan, Finding a "kneedle" in a haystack, ICDCSW 2011.
    """
    if len(errors) < 3 or lengths[-1] <= lengths[0]:
        return None
    floor = max(errors[0] / DECADES, 1e-300)
    heights = [math.log(max(error, floor)) for error in errors]
    fall = heights[0] - heights[-1]
    if not fall >= math.log(FALL) or not math.isfinite(fall):
        return None
    width = lengths[-1] - lengths[0]
    depths = [
        (heights[0] - height) / fall - (length - lengths[0]) / width
        for length, height in zip(lengths, heights, strict=True)
    ]
    deepest = max(range(len(depths)), key=lambda k: depths[k])
    return deepest if depths[deepest] >= DEPTH else None


def shown_range(
    errors: Sequence[float | None], held_back: Sequence[float | None], chosen: int
) -> tuple[float, float] | None:
    """Least and largest error on the axis of a front, which a formula through every row, or far off, does not stretch.

    Errors beyond are drawn at its ends. None if no training error is positive.
    """
    training = _positive(errors)
    if not training:
        return None
    everything = [*training, *_positive(held_back)]
    top, own = max(training), errors[chosen] or 0.0
    low = max(min(everything), own / BELOW, top / DECADES)
    return min(low, top), min(max(everything), ABOVE * top)


def _positive(errors: Sequence[float | None]) -> list[float]:
    return [error for error in errors if error is not None and 0.0 < error < math.inf]
