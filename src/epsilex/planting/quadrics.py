"""Quadrics: starting programs that contain a sum Q of features, their squares and products.

A target y = F Q or F / Q, or one of these with the root of Q, where F is a product or quotient of features, is
recognised by projecting y / F on all terms of Q at once: one matrix product for a thousand F. The same holds for
y = a + b / Q, a + b exp(Q) and a + b sqrt(Q) (bells and balls of any shape), after a search for the number a.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from epsilex.planting.golden import highest
from epsilex.planting.planter import Limits
from epsilex.planting.sums import EXACT, LONG_SUMS, by_description, path, possible
from epsilex.planting.terms import (
    all_monomials,
    apply,
    constant,
    correlated,
    distinct,
    evaluated,
    feature,
    product_of,
)
from epsilex.planting.transforms import MIN_ROWS, Factor, Transform, least_squares, quotients
from epsilex.programs.fold import Node

FEATURES, KEPT = 9, 2  # features considered, those most correlated with the target; and quadrics kept per kind
CLOSE, NEARLY = 0.99, 0.95  # least R2 of a useful quadric, and of one that another `a` may make useful
SHIFTS = np.linspace(-3.0, 1.0, 33)  # log10 of the distance from the target's range to `a`, relative to its width
REFINED = 40  # steps of the search for `a`


def quadrics(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    names = limits.operators
    if not possible(y, limits, MIN_ROWS):
        return []
    features = correlated(X, y, FEATURES)
    terms = [product_of(two) for two in combinations(features, 2)] + [feature(j) for j in features]
    terms += [apply("square", feature(j)) if "square" in names else product_of((j, j)) for j in features]
    terms, values, unit = distinct(*evaluated(terms, X), len(terms))
    if not terms or len(terms) > len(y) // 4:
        return []
    basis = np.linalg.qr(np.column_stack([np.ones(len(y)), unit.T]))[0]
    found = []
    for transform, r2 in (*_factored(X, y, features, basis, "sqrt" in names), *_shifted(y, basis, names)):
        if r2 > CLOSE:
            room = limits.max_length - len(transform.back(constant(1.0)))
            left = transform.values - transform.values.mean()
            paths = [_needed(values, transform.values)] if r2 > 1.0 - EXACT else path(terms, unit, left, room)
            found += [transform.solve([terms[k] for k in picked], values[picked]) for picked in paths]
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)[:LONG_SUMS]


def _r2(targets: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """R2 of the best sums for targets (any, rows) in the span of `basis` (rows, any); 0 if a target is undefined."""
    targets = np.where(np.isfinite(targets).all(axis=1, keepdims=True), targets, 0.0)
    centred = targets - targets.mean(axis=1, keepdims=True)
    whole = (centred**2).sum(axis=1)
    return ((centred @ basis) ** 2).sum(axis=1) / np.where(whole > 0.0, whole, 1.0)


def _factored(
    X: np.ndarray, y: np.ndarray, features: Sequence[int], basis: np.ndarray, root: bool
) -> Iterator[tuple[Transform, float]]:
    """The few y / F and F / y, and with `root` their squares, that are closest to a quadric; each with its R2."""
    monomials = [((), ()), *all_monomials(features)]
    factors: list[Factor] = [(tuple(map(feature, over)), tuple(map(feature, under))) for over, under in monomials]
    for values, back, free in quotients(factors, X, y, root):
        r2 = np.round(_r2(values, basis), 9)
        for i in np.argsort(-r2, kind="stable")[:KEPT]:
            yield Transform(values[i], partial(back, factors[i]), free), r2[i]


def _shifted(y: np.ndarray, basis: np.ndarray, names: Sequence[str]) -> Iterator[tuple[Transform, float]]:
    """1 / (y - a), log(y - a) and (y - a)^2, or with a - y, for the `a` that brings each closest to a quadric."""
    kinds: list[tuple[Callable, Callable, str]] = [
        (lambda d: 1.0 / d, lambda s: apply("div", constant(1.0), s), "factor")
    ]
    if "exp" in names:
        kinds.append((np.log, lambda s: apply("exp", s), "constant"))
    if "sqrt" in names:
        kinds.append((np.square, lambda s: apply("sqrt", s), "size"))
    width = np.ptp(y)
    for distance in ((y - y.min()) / width, (y.max() - y) / width):
        for function, back, free in kinds:
            r2 = _r2(function(distance + 10.0 ** SHIFTS[:, None]), basis)
            best = int(np.argmax(r2))
            if r2[best] > NEARLY:
                low, high = SHIFTS[max(best - 1, 0)], SHIFTS[min(best + 1, len(SHIFTS) - 1)]
                closeness = partial(_closeness, function, distance, basis)
                shift = highest(closeness, low, high, REFINED)
                yield Transform(function(distance + 10.0**shift), back, free), round(closeness(shift), 9)


def _closeness(function: Callable, distance: np.ndarray, basis: np.ndarray, shift: float) -> float:
    return float(_r2(function(distance + 10.0**shift)[None], basis)[0])


def _needed(values: np.ndarray, target: np.ndarray) -> list[int]:
    """The terms left in an exact sum after the least useful ones are dropped one at a time."""
    picked = list(range(len(values)))
    limit = EXACT * ((target - target.mean()) ** 2).sum()
    while len(picked) > 1:
        columns = np.column_stack([values[picked].T, np.ones(len(target))])
        c, _ = least_squares(columns, target)
        doubt = np.diag(np.linalg.pinv(np.einsum("ki,kj->ij", columns, columns)))
        fewer = list(picked)
        del fewer[int(np.argmin(c[:-1] ** 2 / np.maximum(doubt[:-1], 1e-300)))]
        columns = np.column_stack([values[fewer].T, np.ones(len(target))])
        if least_squares(columns, target)[1] > limit:
            break
        picked = fewer
    return picked
