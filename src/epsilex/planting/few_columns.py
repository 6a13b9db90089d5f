"""Formulas of one to three columns: sums of functions, products of functions, and functions with a constant inside.

With so few columns the library can be rich: `sqrt(z) * cos(w)`, `1 / sqrt(1 - z^2)`, `1 / (exp(b z) - 1)`. The target,
or a root or square of it, times or over a simple factor, is compared with all terms at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import numpy as np

from epsilex.planting.bends import bent
from epsilex.planting.sums import Correlations, picks
from epsilex.planting.terms import Term, apply, constant, distinct, evaluated, feature, unit_length
from epsilex.planting.transforms import Factor, Family, Transform, families, times
from epsilex.programs.fold import Node

TERMS = 700  # at most
TARGETS = 10  # transforms of the target whose sums are solved
PLAIN = ("square", "sqrt", "log", "exp", "sin", "cos", "tanh", "asin")  # functions in the library


@np.errstate(all="ignore")  # programs that are undefined are left out
def formulas(
    Z: np.ndarray, target: np.ndarray, names: Sequence[str], size: np.ndarray | float = 1.0
) -> list[list[Node]]:
    """Programs over the columns of Z (rows, one to three) for a target (rows,), up to a factor and a constant; errors
    of the target count times `size` (rows,)."""
    k = Z.shape[1]
    terms, values, unit = distinct(*evaluated(_library(k, names), Z), TERMS)
    if len(terms) < 2:
        return []
    whole, lengths = Correlations(unit), np.array([len(t) for t in terms])
    found = [
        transform.solve([terms[i] for i in picked], values[picked])
        for transform in _best(families(Z, target, _factors(k, names), names, size), unit)
        for picked in picks(whole, transform.values, lengths)
    ]
    for j in range(k):
        found += bent(Z, target, j, names, size)
    return [nodes for nodes in found if nodes is not None]


def _library(k: int, names: Sequence[str]) -> list[Term]:
    """Functions of each column, of sums, products and quotients of two, and products of functions of two columns."""
    columns = [feature(j) for j in range(k)]
    single = [_functions(z, names) for z in columns]
    pairs = [apply("mul", a, b) for a, b in combinations(columns, 2)]
    pairs += [apply("div", a, b) for a, b in permutations(columns, 2)]
    pairs += [apply(sign, a, b) for a, b in combinations(columns, 2) for sign in ("sub", "add")]
    terms = [t for functions in single for t in functions]
    terms += [f for a in pairs for f in _functions(a, names)]
    terms += [apply("mul", f, g) for one, two in combinations(single, 2) for f in one for g in two]
    return terms


def _functions(a: Term, names: Sequence[str]) -> list[Term]:
    """Functions of a program."""
    found = [a, apply("div", constant(1.0), a)]
    found += [
        apply(name, a) for name in ("square", "sqrt", "log", "exp", "sin", "cos", "tanh", "asin") if name in names
    ]
    if "exp" in names:
        found.append(apply("exp", times(a, -1.0)))
    if "square" in names:
        found.append(apply("div", constant(1.0), apply("square", a)))
        found += [apply("square", apply(name, a)) for name in ("sin", "cos") if name in names]
    found += [apply(name, apply("div", constant(1.0), a)) for name in ("exp", "tanh") if name in names]
    return found


def _factors(k: int, names: Sequence[str]) -> list[Factor]:
    """Factors that may be moved to the side of the target, in the numerator and in the denominator."""
    one = constant(1.0)
    found: list[Term] = []
    for j in range(k):
        z = feature(j)
        square = apply("square", z) if "square" in names else apply("mul", z, z)
        sums = [apply(sign, one, a) for a in (z, square) for sign in ("sub", "add")]
        found += [z, square, *sums]
        if "sqrt" in names:
            found += [apply("sqrt", a) for a in sums]
        found += [apply(name, z) for name in ("sin", "cos") if name in names]
        found += [apply("sub", one, apply("cos", z))] if "cos" in names else []
    return [((), ()), *(((f,), ()) for f in found), *(((), (f,)) for f in found)]


def _best(families: Iterator[Family], unit: np.ndarray) -> list[Transform]:
    """The transforms without a factor, and the others that a single term explains best."""
    plain: list[Transform] = []
    found: list[tuple[float, int, Transform]] = []
    for family in families:
        r = np.round(np.abs(unit @ unit_length(family.values).T).max(axis=0), 7) * family.usable()
        if r[0] > 0.0:
            plain.append(family.transform(0))
        for i in np.argsort(-r[1:], kind="stable")[:TARGETS].tolist():
            if r[i + 1] > 0.0:
                found.append((1.0 - r[i + 1], len(found), family.transform(i + 1)))
    return plain + [transform for _, _, transform in sorted(found, key=lambda f: f[:2])[:TARGETS]]
