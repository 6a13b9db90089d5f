"""Groups: starting programs whose dimensions hold, built of products with the target's dimension and of dimensionless
groups (Buckingham's theorem): y = M h(G), with M of the dimension of y and G a pure number.

The terms M and M h(G), for simple functions h, are evaluated on the rows, and sums of them are fitted as other planters
do. Every sum has the dimension of y.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from epsilex.dimensions.law import Law
from epsilex.planting.planter import Limits
from epsilex.planting.sums import FEW_ROWS, Correlations, by_description, path, picks, possible
from epsilex.planting.terms import Term, apply, constant, distinct, evaluated
from epsilex.planting.transforms import MIN_ROWS, combined, least_squares
from epsilex.programs.fold import Node

TARGETS, GROUPS, TERMS = 24, 24, 2000  # at most
PAIRED = 6  # targets whose sums and differences are terms, too, and groups whose functions multiply those
KEPT = 60


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
        found += [apply("div", one, apply(sign, one, apply("square", group))) for sign in ("add", "sub")]
    return found


def _sum(terms: Sequence[Term], values: np.ndarray, y: np.ndarray) -> list[Node] | None:
    """The sum of terms with coefficients by least squares, without a constant; None if float32 cannot hold it."""
    c, _ = least_squares(values.T, y)
    order = np.argsort(-np.abs(c) * values.std(axis=1), kind="stable")
    result = combined([(terms[k], c[k]) for k in order])
    return None if result is None else list(result)
