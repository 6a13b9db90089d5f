"""Groups: starting programs whose dimensions hold, built of products with the target's dimension and of dimensionless
groups (Buckingham's theorem): y = M h(G), with M of the dimension of y and G a pure number.

The terms M and M h(G), for simple functions h, are evaluated on the rows, and sums of them are fitted as other planters
do. Every sum has the dimension of y. Where a free function of one group, or of the difference of two, explains y about
as well as any, that function is searched for among all formulas of one column.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from epsilex.dimensions.law import Law
from epsilex.planting.monomials import Group
from epsilex.planting.planter import Limits
from epsilex.planting.reductions import solved
from epsilex.planting.sums import FEW_ROWS, Correlations, by_description, path, picks, possible
from epsilex.planting.symmetries import Problem
from epsilex.planting.terms import Term, apply, constant, distinct, evaluated
from epsilex.planting.transforms import MIN_ROWS, combined, least_squares
from epsilex.programs.fold import Node

TARGETS, GROUPS, TERMS = 24, 24, 2000  # at most
PAIRED = 6  # targets whose sums and differences are terms, too, and groups whose functions multiply those
KEPT = 60
SOLVED, MOST = 3, 2.0  # functions of one group that are searched for, and their residuals over the least
STEPS = 20  # of a free function of one group


def groups(law: Law, X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,)."""
    X, y = X[:FEW_ROWS], y[:FEW_ROWS]
    if not possible(y, limits, MIN_ROWS):
        return []
    library = [t for t in _library(law, limits.operators) if len(t) <= limits.max_length]
    terms, values, unit = distinct(*evaluated(library, X), TERMS)
    if len(terms) < 2:
        return []
    lengths = np.array([len(t) for t in terms])
    wanted = [*picks(Correlations(unit), y, lengths), *path(terms, unit, y - y.mean(), limits.max_length, least=1)]
    found = [_sum([terms[k] for k in picked], values[picked], y) for picked in wanted]
    found += [nodes for problem in _of_one_group(law, X, y, limits) for nodes in solved(problem, limits)[0]]
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)[:KEPT]


def _library(law: Law, names: Sequence[str]) -> list[Term]:
    """Products with the target's dimension, times functions of groups, the simplest first."""
    targets = [tuple(nodes) for nodes in law.targets[:TARGETS]] or [constant(1.0)]
    functions = [_functions(tuple(group), names) for group in law.groups[:GROUPS]]
    pairs = [apply(sign, a, b) for a, b in combinations(targets[:PAIRED], 2) for sign in ("add", "sub")]
    found = [*targets, *(apply("mul", t, h) for t in targets for of_group in functions for h in of_group)]
    found += [apply("mul", t, h) for t in pairs for of_group in functions[:PAIRED] for h in of_group]
    return sorted(found, key=len)


def _functions(group: Term, names: Sequence[str]) -> list[Term]:
    """Simple functions of a pure number."""
    one = constant(1.0)
    beside = [apply("add", one, group), apply("sub", one, group)]
    found = [group, *(apply(name, group) for name in names if name in ("sin", "cos", "exp", "log", "sqrt", "square"))]
    found += [apply("div", one, part) for part in beside]
    if "exp" in names:
        found.append(apply("exp", apply("sub", constant(0.0), group)))
        found += [apply("div", one, apply("sub", apply("exp", group), one))]
    if "sqrt" in names and "square" in names:
        roots = [apply("sqrt", apply(sign, one, apply("square", group))) for sign in ("add", "sub")]
        found += [*roots, *(apply("div", one, root) for root in roots)]
    if "square" in names:
        found += [apply("square", apply(name, group)) for name in ("sin", "cos") if name in names]
        resonances = [apply("div", one, apply(sign, one, apply("square", group))) for sign in ("add", "sub")]
        found += [*resonances, *(apply("square", resonance) for resonance in resonances)]
    return found


def _of_one_group(law: Law, X: np.ndarray, y: np.ndarray, limits: Limits) -> list[Problem]:
    """y = M h(G): the products M and groups G that leave least of y for a free function h, one for each G."""
    groups = [tuple(nodes) for nodes in law.groups[:GROUPS]]
    groups += [apply("sub", a, b) for a, b in combinations(groups[:PAIRED], 2)]
    products, sizes = evaluated([tuple(nodes) for nodes in law.targets[:TARGETS]] or [constant(1.0)], X)
    columns, values, _ = distinct(*evaluated(groups, X), len(groups))
    best: list[tuple[float, int, int]] = []
    for j, z in enumerate(values):
        step = np.minimum(np.argsort(np.argsort(z, kind="stable"), kind="stable") * STEPS // len(z), STEPS - 1)
        best += [(_left(size, y, step), i, j) for i, size in enumerate(sizes) if np.isfinite(size).all() and size.all()]
    best.sort()
    least = {j: (rest, i, j) for rest, i, j in reversed(best)}
    roots, square = (name in limits.operators for name in ("sqrt", "square"))
    return [
        Problem((Group.of(columns[j]),), values[j][None], Group.of(products[i]), sizes[i], y, roots, square)
        for rest, i, j in sorted(least.values())[:SOLVED]
        if rest <= MOST * best[0][0]
    ]


def _left(size: np.ndarray, y: np.ndarray, step: np.ndarray) -> float:
    """The sum of squares that a function of steps, times `size`, leaves of y."""
    both, own = np.bincount(step, size * y, STEPS), np.bincount(step, size * size, STEPS)
    return float(y @ y - (both[own > 0.0] ** 2 / own[own > 0.0]).sum())


def _sum(terms: Sequence[Term], values: np.ndarray, y: np.ndarray) -> list[Node] | None:
    """The sum of terms with coefficients by least squares, without a constant; None if float32 cannot hold it."""
    c, _ = least_squares(values.T, y)
    order = np.argsort(-np.abs(c) * values.std(axis=1), kind="stable")
    result = combined([(terms[k], c[k]) for k in order])
    return None if result is None else list(result)
