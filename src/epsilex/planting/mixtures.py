"""Mixtures: starting programs with two exponentials, or two powers, of one feature.

    exp(a x) + c exp(b x)   a drug taken up and cleared, chains of decays, a fast and a slow decay
    x^a + c x^b             attraction and repulsion of two atoms, drag with two terms

The best single exponential stands between the two, where tuning its constants and adding another gain little, so a
search seldom finds the pair. Here all pairs of a grid of rates are compared at once: the R2 of two terms follows from
their correlations. The best pairs are refined by a pattern search. Scale and offset are left to linear scaling, and the
mixture may also be that of y times or over another feature.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from epsilex.planting.curves import (
    FEATURES,
    NARROWER,
    ROWS,
    STEPS,
    WIDTHS,
    argument,
    factored_targets,
    multiplied_by,
    unit_norm,
)
from epsilex.planting.planter import Limits
from epsilex.planting.sums import by_description, possible
from epsilex.planting.terms import Term, apply, constant, correlated, feature
from epsilex.planting.transforms import Transform
from epsilex.programs.fold import Node

LEAST_ROWS = 10  # two rates, two factors and an offset are no finding on fewer
COLLINEAR = 1e-6  # 1 - r^2 below which two exponentials count as the same
SHARPEST = 0.95  # largest share of the norm of an exponential in a single row: it fades within a row or so
REFINED, KEPT = 8, 4  # mixtures refined, and kept


@dataclass(frozen=True, slots=True)
class Mixture:
    """exp(a u) and exp(b u) of feature `column`, for y times `other` to the power -`power`, with an offset or without;
    r2 is their share of the squares."""

    function: str
    column: int
    rates: tuple[float, float]
    other: int
    power: int
    offset: bool
    r2: float


def mixtures(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    X, y = X[:ROWS], y[:ROWS]
    if not possible(y, limits, LEAST_ROWS) or not {"exp", "log"} <= set(limits.operators):
        return []
    features = correlated(X, y, FEATURES)
    found = [mixture for j in features for mixture in _on_grid(X, y, features, j) if mixture.r2 > 0.0]
    found = sorted(found, key=lambda mixture: -round(mixture.r2, 9))
    programs = [_program(_refined(mixture, X, y), X, y) for mixture in found[:REFINED]]
    held = [p for p in programs if p and len(p) <= limits.max_length and all(abs(value) < 1e30 for _, _, value in p)]
    return by_description(held, X, y)[:KEPT]


def _on_grid(X: np.ndarray, y: np.ndarray, features: Sequence[int], j: int) -> Iterator[Mixture]:
    """The best mixture of feature `j` for each function of it, for each target, with an offset and without."""
    for function in ("x", "log"):
        u = argument(function, X[:, j])
        if u is None:
            continue
        rates = np.concatenate([1.0 / WIDTHS, -1.0 / WIDTHS]) / np.ptp(u)
        for other, power, target in factored_targets(X, y, features, j):
            for offset in (False, True) if other < 0 else (False,):
                r2 = _closeness(rates, rates, u, target, offset)
                k, m = np.unravel_index(np.argmax(np.round(r2, 9)), r2.shape)
                yield Mixture(function, j, (float(rates[k]), float(rates[m])), other, power, offset, float(r2[k, m]))


def _closeness(a: np.ndarray, b: np.ndarray, u: np.ndarray, target: np.ndarray, offset: bool) -> np.ndarray:
    """Share (a, b) of the target's squares that each pair of exponentials explains; 0 where both are the same."""
    with np.errstate(all="ignore"):
        first, second = (unit_norm(np.exp(rates[:, None] * u), offset, SHARPEST) for rates in (a, b))
        t = unit_norm(target, offset, SHARPEST)
        p, q, g = first @ t, second @ t, first @ second.T
        apart = 1.0 - g**2
        r2 = (p[:, None] ** 2 + q**2 - 2.0 * p[:, None] * q * g) / apart
        sizes = np.outer((first**2).sum(axis=1), (second**2).sum(axis=1))  # 0 where one of them is left out
    return np.where((apart > COLLINEAR) & np.isfinite(r2) & (sizes > 0.0), r2, 0.0)


def _refined(mixture: Mixture, X: np.ndarray, y: np.ndarray) -> Mixture:
    """The mixture after a pattern search over both rates."""
    u, target = _sides(mixture, X, y)
    wide = 1.25
    for _ in range(STEPS):
        a, b = (rate * np.array([wide, 1.0, 1.0 / wide]) for rate in mixture.rates)
        r2 = _closeness(a, b, u, target, mixture.offset)
        k, m = np.unravel_index(np.argmax(r2), r2.shape)
        if r2[k, m] > mixture.r2:
            mixture = replace(mixture, rates=(float(a[k]), float(b[m])), r2=float(r2[k, m]))
        else:
            wide = wide**NARROWER
    return mixture


def _program(mixture: Mixture, X: np.ndarray, y: np.ndarray) -> list[Node] | None:
    u, target = _sides(mixture, X, y)
    values = np.exp(np.array(mixture.rates)[:, None] * u)
    back = partial(multiplied_by, other=mixture.other, power=mixture.power)
    terms = [_exponential(mixture.function, mixture.column, rate) for rate in mixture.rates]
    return Transform(target, back, "both" if mixture.offset else "factor").solve(terms, values)


def _sides(mixture: Mixture, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u and the target of a mixture, both (rows,)."""
    u = argument(mixture.function, X[:, mixture.column])
    assert u is not None  # it was on the grid
    return u, y if mixture.other < 0 else y * X[:, mixture.other] ** -mixture.power


def _exponential(function: str, column: int, rate: float) -> Term:
    if function == "x":
        return apply("exp", feature(column, rate))
    return apply("exp", apply("mul", constant(rate), apply("log", feature(column))))
