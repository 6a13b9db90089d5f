"""Laurent sums: starting programs y = a x^p + b x^q + ... of one feature, whose exponents are simple numbers.

    a/x^12 - b/x^6                  two atoms (Lennard-Jones); Mie, London, Keesom with other exponents
    a x + b x^2,  a x + b/x + c     drag, stopping distances, costs of stock, van Deemter's equation
    sqrt(a x^2 + b + c/x^2)         the impedance of a series circuit; hyperbolas
    1/sqrt(1 + a x^2)               filters
    a + b log x + c x               Tafel with a resistance; Kirchhoff's vapour pressures

Steep terms hang on the first few rows, and so does the square or inverse of a target that spans decades. So all are
weighted by what they mean for y: an error of y^q is q y^(q - 1) times that of y. The squares of all sums of up to three
terms follow from their products; each exponent is charged as the whole number or fraction it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations

import numpy as np

from epsilex.planting.curves import factored_targets, multiplied_by
from epsilex.planting.planter import Limits
from epsilex.planting.sums import by_description, possible
from epsilex.planting.terms import Term, apply, constant, correlated, feature, multiplied
from epsilex.planting.transforms import Transform, combined, least_squares, with_ones
from epsilex.programs.fold import Node

FEATURES, ROWS, LEAST_ROWS = 3, 256, 6
CORE = (-4.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)  # exponents in sums of up to three terms
STEEP = (-12.0, -10.0, -9.0, -8.0, -7.0, -6.0, -5.0, 5.0, 6.0)  # and in sums of two
LOG = 7.5  # stands for the logarithm among the exponents
SHARPEST = 0.95  # largest share of the norm of a term in a single row
NEAR_ZERO = 0.02  # of the largest |y|: below this neither y^2 nor its inverses tell y
TERM, KEPT, PLANTED = 5.0, 4, 10  # nats of a term, sums kept per target and number of terms, and planted


@dataclass(frozen=True, slots=True)
class _Side:
    """A power of y on the left: the exponent, the way back, and what linear scaling supplies."""

    exponent: int
    back: Callable[[Term], Term]
    free: str


SIDES = (
    _Side(2, lambda s: apply("sqrt", s), "size"),
    _Side(-1, lambda s: apply("div", constant(1.0), s), "factor"),
    _Side(-2, lambda s: apply("div", constant(1.0), apply("sqrt", s)), "size"),
)


def laurent(X: np.ndarray, y: np.ndarray, limits: Limits) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), which keeps the user's 0."""
    X, y, names = X[:ROWS], y[:ROWS], set(limits.operators)
    if not possible(y, limits, LEAST_ROWS) or not {"square", "sqrt", "exp", "log"} <= names:
        return []
    features = correlated(X, y, FEATURES)
    found = [program for j in features for program in _of_feature(X, y, features, j)]
    return by_description([f for f in found if f is not None and len(f) <= limits.max_length], X, y)[:PLANTED]


def _of_feature(X: np.ndarray, y: np.ndarray, features: Sequence[int], j: int) -> Iterator[list[Node] | None]:
    exponents, values = _terms(X[:, j])
    if len(exponents) < 2:
        return
    for other, power, target in factored_targets(X, y, features, j):
        factor = np.ones(len(y)) if other < 0 else X[:, other] ** power
        back = partial(multiplied_by, other=other, power=power)
        free = "both" if other < 0 else "factor"
        yield from _sums(exponents, values, j, Transform(target, back, free, np.abs(factor)))
    size = np.abs(y).max()
    for side in SIDES:
        if (y > NEAR_ZERO * size).all():
            root = (y / size) ** (1 - side.exponent)
            yield from _sums(exponents, values, j, Transform((y / size) ** side.exponent, side.back, side.free, root))


def _terms(x: np.ndarray) -> tuple[tuple[float, ...], np.ndarray]:
    """Exponents, and the terms (exponents, rows) of a feature that are defined on all rows; 0 is the constant."""
    if not np.ptp(x) > 0.0:
        return (), np.empty((0, len(x)))
    low, zero = float(x.min()), bool((x == 0.0).any())
    usable = [p for p in CORE if (low >= 0.0 or p.is_integer()) and not (zero and p < 0.0)]
    values = [x**p for p in usable]
    if low > 0.0:
        usable, values = [*usable, *STEEP, LOG], [*values, *(x**p for p in STEEP), np.log(x)]
    return tuple(usable), np.array(values)


def _sums(
    exponents: tuple[float, ...], values: np.ndarray, j: int, transform: Transform
) -> Iterator[list[Node] | None]:
    """The best sums of one, two and three terms, with the constant counted as one, that are close to a target."""
    columns, target = values * transform.root, transform.values * transform.root
    norm = np.sqrt((columns**2).sum(axis=1))
    columns, target = columns / norm[:, None], target / np.sqrt((target**2).sum())
    sharp = ~(np.abs(columns).max(axis=1) < SHARPEST)
    gram, along = columns @ columns.T, columns @ target
    for picked, nats in _subsets(exponents):
        matrix = gram[picked[:, :, None], picked[:, None, :]] + 1e-12 * np.eye(picked.shape[1])
        right = along[picked]
        r2 = (right * np.linalg.solve(matrix, right[:, :, None])[:, :, 0]).sum(axis=1)
        score = 0.5 * len(target) * np.log(np.maximum(1.0 - r2, 1e-12)) + nats
        score = np.where(sharp[picked].any(axis=1) | ~np.isfinite(score), np.inf, score)
        for k in np.argsort(np.round(score, 6), kind="stable")[:KEPT]:
            members = [i for i in picked[k] if exponents[i] != 0.0]
            if np.isfinite(score[k]) and members:
                terms = [_power(j, exponents[i]) for i in members]
                yield transform.solve(terms, values[members])
                if transform.free != "both" and len(members) < len(picked[k]):
                    yield _from_one(transform, terms, values[members])


def _from_one(transform: Transform, terms: Sequence[Term], values: np.ndarray) -> list[Node] | None:
    """The program whose sum begins with 1, as in 1/sqrt(1 + (f/g)^2): if linear scaling finds a factor of 1 as well,
    that is one constant less than c/sqrt(d + f^2)."""
    *c, one = least_squares((with_ones(values.T).T * transform.root).T, transform.values * transform.root)[0]
    if not one > 0.0:
        return None
    whole = combined([(constant(1.0), 1.0), *((term, float(k / one)) for term, k in zip(terms, c, strict=True))])
    return None if whole is None else list(transform.back(whole))


@lru_cache(maxsize=16)
def _subsets(exponents: tuple[float, ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Per number of terms their indices (sums, terms), and their nats (sums,)."""
    core = [k for k, p in enumerate(exponents) if p in CORE or p == LOG]
    groups: list[list[tuple[int, ...]]] = [[(k,) for k in range(len(exponents))]]
    groups += [list(combinations(range(len(exponents)), 2)), list(combinations(core, 3))]
    return [
        (np.array(group), np.array([sum(_nats(exponents[k]) for k in one) for one in group], float)) for group in groups
    ]


def _nats(p: float) -> float:
    """About what a term of this exponent costs: a higher power is named by a larger number."""
    return TERM + (0.0 if p in (0.0, 1.0) else 2.0 + np.log(abs(2.0 * p if p % 1.0 else p)))


def _power(j: int, p: float) -> Term:
    """x^p by products, squares and roots where these are short."""
    x = feature(j)
    if p == LOG:
        return apply("log", x)
    size, square = abs(p), apply("square", x)
    short = {0.5: [apply("sqrt", x)], 1.0: [x], 1.5: [x, apply("sqrt", x)], 2.0: [square], 3.0: [x, square],
             4.0: [apply("square", square)]}  # fmt: skip
    if size not in short:
        return apply("exp", apply("mul", constant(p), apply("log", x)))
    above = multiplied(short[size])
    return above if p > 0.0 else apply("div", constant(1.0), above)
