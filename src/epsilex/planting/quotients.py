"""Quotients: starting programs M (a A + b B) / (C + c D), of up to three terms per sum, for few and noisy rows.

Doppler shifts, lenses, inhibited enzymes: y (C + c D) = M (a A + b B) is linear in a, b and c, but weighs the error of
a row by its denominator. So the rows are divided by the denominator of the last solution (Sanathanan, Koerner, IEEE
Transactions on Automatic Control 8, 1963). Errors may be as large in all rows or proportional to y: both are tried.
All ratios are solved at once, the best are solved again with new weights, and the best of these get a third term.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.planting.monomials import power
from epsilex.planting.planter import Limits
from epsilex.planting.ratios import Ratios, Terms
from epsilex.planting.sums import possible
from epsilex.planting.terms import Term, apply, constant, correlated, feature, multiplied, outputs
from epsilex.planting.transforms import combined
from epsilex.programs.fold import Node

FEATURES, ROWS = 5, 256  # at most; the features are those most correlated with the target
LEAST_ROWS = 8  # three or four constants are no finding on fewer
REFINED, EXTENDED, KEPT = 200, 32, 8  # ratios of a kind and first weighting; of those, that get another term; programs
PASSES = 4
NOTHING = 1e-12  # squared error treated as zero, of a target of size 1
FAR = 0.02  # least size of a denominator, as a share of the sum of the sizes of its terms
SMALL = 1e-3  # share of the largest |y| below which errors are not proportional to y
RIDGE = 1e-12  # on products of unit-norm columns


@dataclass(frozen=True)
class _Fit:
    """A single ratio, its description length, the coefficients of its sums, and its denominator (rows,)."""

    score: float
    ratio: Ratios
    over: np.ndarray
    under: np.ndarray
    denominator: np.ndarray

    @property
    def key(self) -> tuple:
        return tuple(sorted(self.ratio.top[0])), tuple(sorted(self.ratio.below[0])), self.ratio.offset


def quotients(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    X, y = X[:ROWS], y[:ROWS]
    if not possible(y, limits, LEAST_ROWS):
        return []
    features = [j for j in correlated(X, y, FEATURES) if np.ptp(X[:, j]) > 0.0]
    if not features:
        return []
    size = np.abs(X[:, features]).max(axis=0)
    u, y = X[:, features] / size, y / np.abs(y).max()
    terms = Terms.of((u > 0.0).all(axis=0) | (u < 0.0).all(axis=0))
    values, kinds = terms.values(u), list(terms.ratios())
    even, relative = np.ones(len(y)), 1.0 / np.maximum(np.abs(y), SMALL)
    fits: list[_Fit] = []
    for root in (even, relative) if (np.abs(y) > SMALL).all() else (even,):
        found: list[_Fit] = []
        for kind in kinds:
            for denominator in (even, relative):  # y is mostly its numerator, or mostly one over its denominator
                closest = _closest(kind, values, terms.simple, y, root / denominator)
                found += _refined(kind.take(closest), values, y, root, denominator)
        for fit in _best(found)[:EXTENDED]:
            for kind in fit.ratio.longer(terms):
                found += _refined(kind, values, y, root, fit.denominator)
        fits += found
    programs = [_program(fit, terms.exponents, features, size) for fit in _best(fits)[: 2 * KEPT]]
    held = [nodes for nodes in programs if nodes is not None and len(nodes) <= limits.max_length]
    defined = np.isfinite(outputs(held, X)).all(axis=1) if held else []
    return [nodes for nodes, good in zip(held, defined, strict=True) if good][:KEPT]


def _best(fits: Iterable[_Fit]) -> list[_Fit]:
    """The best fit of each ratio, the best first."""
    best: dict[tuple, _Fit] = {}
    for fit in sorted(fits, key=lambda fit: round(fit.score, 6)):
        best.setdefault(fit.key, fit)
    return list(best.values())


def _closest(ratios: Ratios, values: np.ndarray, simple: int, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The most promising ratios by one solution with weighted rows, from the products of all terms (terms, rows)."""
    every = np.vstack([values, values[:simple] * y]) * weight
    size = np.sqrt((every**2).sum(axis=1))
    unit, plain = every / size[:, None], values[:simple] * weight
    gram, plain = unit @ unit.T, plain @ plain.T
    below = ratios.below + len(values)
    target, others = below[:, :1], below[:, 1:]
    who = np.hstack([ratios.top, *([ratios.below] if ratios.offset else []), others])
    products = gram[who, target]
    c = _solved(gram[who[:, :, None], who[:, None, :]], products)
    rest = np.maximum(1.0 - (c * products).sum(axis=1), NOTHING) * size[target[:, 0]] ** 2
    under = np.hstack([np.ones(target.shape), -c[:, -others.shape[1] :] * size[target] / size[others]])
    squares = np.einsum("ki,kij,kj->k", under, plain[ratios.below[:, :, None], ratios.below[:, None, :]], under)
    score = 0.5 * len(y) * np.log(rest / squares) + ratios.price(len(y))
    return np.argsort(np.round(np.where(np.isfinite(score), score, np.inf), 6), kind="stable")[:REFINED]


def _refined(
    ratios: Ratios, values: np.ndarray, y: np.ndarray, root: np.ndarray, denominator: np.ndarray
) -> Iterator[_Fit]:
    """Fits whose denominators stay away from 0, begun with a denominator; errors count `root` (rows,) times."""
    top, below = values[ratios.top], values[ratios.below]
    above = np.concatenate([top, below], axis=1) if ratios.offset else top
    columns = np.concatenate([above, -y * below[:, 1:]], axis=1)
    for _ in range(PASSES):
        c = _least_squares(columns, y * below[:, 0], root / denominator)
        under = np.hstack([np.ones((len(c), 1)), c[:, above.shape[1] :]])
        parts = under[:, :, None] * below
        whole, least = parts.sum(axis=1), FAR * np.abs(parts).sum(axis=1)
        denominator = np.maximum(np.abs(whole), least)
    columns = (np.concatenate([top, whole[:, None]], axis=1) if ratios.offset else top) / whole[:, None]
    over = _least_squares(columns, np.broadcast_to(y, whole.shape), root)
    rest = ((((over[:, :, None] * columns).sum(axis=1) - y) * root) ** 2).mean(axis=1)
    score = 0.5 * len(y) * np.log(np.maximum(rest, NOTHING)) - np.log(root).sum() + ratios.price(len(y))
    good = np.isfinite(score) & ((whole > least).all(axis=1) | (whole < -least).all(axis=1))
    for k in np.argsort(np.round(np.where(good, score, np.inf), 6), kind="stable")[: min(2 * KEPT, int(good.sum()))]:
        yield _Fit(float(score[k]), ratios.take(np.array([k])), over[k, : top.shape[1]], under[k], denominator[k])


def _least_squares(columns: np.ndarray, target: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(any, columns) coefficients for columns (any, columns, rows), targets (any, rows), weights (rows,) or each."""
    columns = columns * np.broadcast_to(weight, target.shape)[:, None]
    size = np.sqrt((columns**2).sum(axis=2))
    size = np.where(size > 0.0, size, 1.0)
    unit = columns / size[:, :, None]
    return _solved(unit @ unit.transpose(0, 2, 1), (unit @ (target * weight)[:, :, None])[:, :, 0]) / size


def _solved(gram: np.ndarray, products: np.ndarray) -> np.ndarray:
    return np.linalg.solve(gram + RIDGE * np.eye(gram.shape[1]), products[:, :, None])[:, :, 0]


def _program(fit: _Fit, exponents: np.ndarray, features: Sequence[int], size: np.ndarray) -> list[Node] | None:
    """The ratio without its slope and offset; None if float32 cannot hold its numbers."""

    def factors(e: np.ndarray) -> list[Term]:
        return [power(feature(j), k, False) for j, k in zip(features, e.tolist(), strict=True) if k > 0]

    def total(e: np.ndarray, c: np.ndarray) -> Term | None:
        c, sizes = c / c[np.argmax(np.abs(c))], (size**e).prod(axis=1)
        c = c * sizes[np.argmax(np.abs(c))] / sizes  # the largest term has coefficient 1
        return combined([(multiplied(factors(each)), float(a)) for each, a in zip(e, c, strict=True)])

    above, below = exponents[fit.ratio.top[0]], exponents[fit.ratio.below[0]]
    shared = above.min(axis=0)
    top, bottom = total(above - shared, fit.over), total(below, fit.under)
    if top is None or bottom is None:
        return None
    over = [*factors(shared), *([] if top == constant(1.0) else [top])]
    return list(apply("div", multiplied(over), multiplied([*factors(-shared), bottom])))
