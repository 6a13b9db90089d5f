"""Separable: starting programs f(x) g(z) and f(x) + g(z), where f and g are curves of one feature each.

Growth that two nutrients limit, a rate that depends on temperature and on concentration, a trend and a season: each
factor or term has a slope and a position inside, and four such constants are too many for a grid. But given one of the
curves, the best other one follows from a few products with the matrix of all curves of its feature. So the two are
found in turn, beginning with one alone (backfitting: Breiman, Friedman, Journal of the American Statistical
Association 80, 1985).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from epsilex.planting.curves import FEATURES, ROWS, SHAPES, Curve, Shape, argument, grid, refined
from epsilex.planting.planter import Limits
from epsilex.planting.sums import by_description, possible
from epsilex.planting.terms import SPIKE, apply, correlated, outputs
from epsilex.planting.transforms import combined, least_squares
from epsilex.programs.fold import Node

LEAST_ROWS = 24
TURNS = 2  # in which both curves are found
EACH, REFINED, KEPT = 3, 9, 10  # curves per feature, pairs of curves refined per kind, and programs kept
LINE = Shape(("x", "log"), (1.0,), False, lambda v: v, lambda slope, b: slope)  # as a term; factors are in `curves`
KINDS = ("mul", "add")


@dataclass(frozen=True)
class _Values:
    """Values of curves (curves, rows), their squares, and the sums of these (curves,)."""

    plain: np.ndarray
    squares: np.ndarray
    norms: np.ndarray

    @classmethod
    def of(cls, plain: np.ndarray) -> _Values:
        squares = plain**2
        return cls(plain, squares, squares.sum(axis=1))


@dataclass(frozen=True)
class _Table:
    """Curves of a feature on the grid, and their values."""

    curves: list[Curve]
    values: _Values

    @classmethod
    def of(cls, x: np.ndarray, column: int, shapes: Sequence[Shape]) -> _Table:
        curves: list[Curve] = []
        found = [np.empty((0, len(x)))]
        for shape in shapes:
            for function in shape.functions:
                u = argument(function, x)
                if u is not None:
                    a, b, values = grid(shape, u)
                    curves += [Curve(shape, function, column, float(p), float(q)) for p, q in zip(a, b, strict=True)]
                    found.append(values)
        whole = np.vstack(found)
        away = whole - whole.mean(axis=1, keepdims=True)
        size = np.sqrt((away**2).sum(axis=1))
        good = np.isfinite(size) & (np.abs(away).max(axis=1) < SPIKE * size)
        return cls([curve for curve, g in zip(curves, good, strict=True) if g], _Values.of(whole[good]))

    def best(self, closeness: np.ndarray) -> Iterator[tuple[Curve, np.ndarray]]:
        """The best curves of different shapes, with their R2 in them, and their values."""
        seen: list[tuple] = []
        for k in np.argsort(-np.round(closeness, 9), kind="stable").tolist():
            curve = self.curves[k]
            if curve.kind not in seen:
                seen.append(curve.kind)
                yield replace(curve, r2=float(closeness[k])), self.values.plain[k]


@np.errstate(all="ignore")  # curves that are not finite are left out
def separable(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    X, y = X[:ROWS], y[:ROWS]
    if not possible(y, limits, LEAST_ROWS) or not {"exp", "log", "square"} <= set(limits.operators):
        return []
    features = [j for j in correlated(X, y, FEATURES) if np.ptp(X[:, j]) > 0.0]
    best: list[tuple[str, Curve, Curve]] = []
    for kind in KINDS:
        pairs: list[tuple[str, Curve, Curve]] = []
        shapes = (*SHAPES, LINE) if kind == "add" else SHAPES
        tables = [table for j in features for table in [_Table.of(X[:, j], j, shapes)] if table.curves]
        alone = [next(t.best(_closeness(kind, np.ones(len(y)), y, t.values))) for t in tables]
        for i, j in combinations(range(len(tables)), 2):
            i, j = (i, j) if alone[i][0].r2 >= alone[j][0].r2 else (j, i)
            pairs += [(kind, *pair) for pair in _in_turn(kind, tables[i], tables[j], alone[i], y)]
        best += sorted(pairs, key=lambda pair: -round(pair[1].r2, 9))[:REFINED]
    programs = [_program(kind, *_refined(kind, one, two, X, y), X, y) for kind, one, two in best]
    held = [p for p in programs if p and len(p) <= limits.max_length and all(abs(value) < 1e30 for _, _, value in p)]
    return by_description(held, X, y)[:KEPT]


def _closeness(kind: str, other: np.ndarray, y: np.ndarray, values: _Values) -> np.ndarray:
    """R2 of c f g, or of c f + d g + e, for the values g of one curve, `other`, and curves f."""
    whole = float(((y - y.mean()) ** 2).sum())
    if kind == "mul":  # an offset would make most shapes alike
        left, along, square = y, values.plain @ (other * y), values.squares @ other**2
    else:
        basis = np.linalg.qr(np.column_stack([np.ones(len(y)), other]))[0]
        left = y - basis @ (basis.T @ y)
        along, rest = values.plain @ left, values.norms - ((values.plain @ basis) ** 2).sum(axis=1)
        square = np.where(rest > 1e-9 * values.norms, rest, np.inf)
    r2 = 1.0 - (float(left @ left) - along**2 / np.where(square > 0.0, square, np.inf)) / whole
    return np.where(np.isfinite(r2), np.clip(r2, 0.0, 1.0), 0.0)


def _in_turn(
    kind: str, one: _Table, two: _Table, begin: tuple[Curve, np.ndarray], y: np.ndarray
) -> Iterator[tuple[Curve, Curve]]:
    """Pairs of curves of different shapes, the first with the R2 of both; `begin` is the best curve of the first
    feature alone. On the grid a wrong shape may be closer than the right one, so each goes with each."""
    for _ in range(TURNS):
        mates = list(islice(two.best(_closeness(kind, begin[1], y, two.values)), EACH))
        firsts = list(islice(one.best(_closeness(kind, mates[0][1], y, one.values)), EACH))
        begin = firsts[0]
    values = _Values.of(np.array([g for _, g in firsts]))
    for mate, g in mates:
        closeness = _closeness(kind, g, y, values).tolist()
        yield from ((replace(curve, r2=r2), mate) for (curve, _), r2 in zip(firsts, closeness, strict=True))


def _refined(kind: str, one: Curve, two: Curve, X: np.ndarray, y: np.ndarray) -> tuple[Curve, Curve]:
    """Both curves after pattern searches in turn."""

    def closer(curve: Curve, other: Curve) -> Curve:
        g = other.of(X)
        return refined(replace(curve, r2=0.0), X, lambda values: _closeness(kind, g, y, _Values.of(values)))

    one = closer(one, two)
    two = closer(two, one)
    return closer(one, two), two


def _program(kind: str, one: Curve, two: Curve, X: np.ndarray, y: np.ndarray) -> list[Node] | None:
    """The product, or the sum with the best ratio of its terms."""
    terms = [one.program(), two.program()]
    if kind == "mul":
        return list(apply("mul", *terms))
    values = outputs(terms, X)  # a program of a curve leaves out factors, which linear scaling supplies to only one
    if not np.isfinite(values).all():
        return None
    c, _ = least_squares(np.column_stack([*values, np.ones(len(y))]), y)
    found = combined([(terms[0], 1.0), (terms[1], float(c[1] / c[0]))]) if c[0] != 0.0 else None
    return None if found is None else list(found)
