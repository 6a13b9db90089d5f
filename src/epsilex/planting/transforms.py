"""Transforms of y: roots, logarithms, inverses and factors moved to the side of y, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from epsilex.data.shadow import NOISE
from epsilex.planting.terms import (
    Monomial,
    Term,
    apply,
    constant,
    evaluated,
    feature,
    multiplied,
    pair_sums,
    unit_length,
)
from epsilex.programs.fold import Node
from epsilex.programs.operators import FEATURE, lookup

FACTORS = 4  # features moved to the side of y, or of 1 / y, and half as many of other kinds
LEAST = 1e-6  # of the largest |y|: in a family y is not inverted if it comes closer to 0
MIN_ROWS = 6  # for a sum to mean anything
LARGEST_EXPONENT = 60.0  # of e, well within float32


@dataclass(frozen=True)
class Transform:
    """A transform of y, and the way back.

    values     (rows,)
    back       program of the sum -> program of y
    free       what linear scaling supplies to the sum: its "factor", its "size", which is a positive factor, its
               "constant" (turned into a factor), "both" factor and constant, or "nothing"
    root       (rows,) square roots of the rows' weights
    """

    values: np.ndarray
    back: Callable[[Term], Term]
    free: str
    root: np.ndarray | float = 1.0

    def solve(self, terms: Sequence[Term], values: np.ndarray) -> list[Node] | None:
        """The program of y, with coefficients by least squares; None if float32 cannot hold them."""
        columns = values.T
        if self.free in ("both", "constant"):
            weighted = (with_ones(columns).T * self.root).T
            c = least_squares(weighted, self.values * self.root)[0][:-1]
            offset = centred_exponent(columns @ c) if self.free == "constant" else 0.0
        else:
            c, offset = with_constant_if_missed(columns, self.values, 1e-9, self.root)
        order = np.argsort(-np.abs(c) * columns.std(axis=0), kind="stable")  # the most important comes first
        terms, c = [terms[k] for k in order], c[order]
        if self.free not in ("constant", "nothing") and c[0] != 0.0:
            divisor = abs(c[0]) if self.free == "size" else c[0]
            c, offset = c / divisor, offset / divisor
        result = combined([*zip(terms, c, strict=True), (constant(1.0), offset)])
        return None if result is None else list(self.back(result))


def transforms(y: np.ndarray, names: Sequence[str]) -> Iterator[Transform]:
    """y itself, and functions of it that its values and the operators allow."""
    yield Transform(y, lambda s: s, "both")
    size = np.abs(y).max()
    if (np.abs(y) > 1e-3 * size).all():
        yield Transform(size / y, lambda s: apply("div", constant(1.0), s), "factor")
    if (y > 1e-6 * size).all():
        if "sqrt" in names:
            yield Transform((y / size) ** 2, lambda s: apply("sqrt", s), "size")
        if "square" in names:
            yield Transform(np.sqrt(y / size), lambda s: apply("square", s), "factor")


def logarithms(y: np.ndarray, names: Sequence[str]) -> Iterator[tuple[Transform, np.ndarray]]:
    """The logarithm of y, or of -y, on the rows where that is large, and these rows; smaller values may be only
    rounding or noise. An error of y is y times the error of its logarithm, so rows are weighted by y."""
    for values in (y, -y) if "exp" in names else ():
        large = large_rows(values)
        if len(large) >= MIN_ROWS:
            root = values[large] / values.max()
            yield Transform(np.log(values[large]), lambda s: apply("exp", s), "constant", root), large


def inverses(y: np.ndarray) -> Iterator[tuple[Transform, np.ndarray]]:
    """1 / y on the rows where |y| is large, and these rows; elsewhere noise makes 1 / y large and of any sign."""
    size = np.abs(y).max()
    large = np.flatnonzero(np.abs(y) > 0.2 * size)
    if MIN_ROWS <= len(large) < len(y):
        yield Transform(size / y[large], lambda s: apply("div", constant(1.0), s), "factor"), large


def large_rows(y: np.ndarray) -> np.ndarray:
    """Rows where y is well above 0 and above the noise that negative values reveal; none if that noise is too large."""
    size, below = np.abs(y).max(), max(-float(y.min()), 0.0)
    return np.flatnonzero(y > max(1e-3 * size, 3.0 * below)) if below < NOISE * size else np.empty(0, np.int64)


def whole_transforms(y: np.ndarray, names: Sequence[str]) -> Iterator[Transform]:
    """`transforms`, and the logarithm if it covers all rows."""
    yield from transforms(y, names)
    yield from (transform for transform, rows in logarithms(y, names) if len(rows) == len(y))


def factored(
    X: np.ndarray, y: np.ndarray, features: Sequence[int], monomials: Sequence[Monomial], unit: np.ndarray, root: bool
) -> Iterator[Transform]:
    """y / F and F / y, and with `root` their squares, for the features, pairs and other monomials F after which a
    single term explains most."""
    factors: list[Factor] = [(tuple(map(feature, over)), tuple(map(feature, under))) for over, under in monomials]
    kind = [0 if len(over) + len(under) == 1 else 1 for over, under in monomials]
    factors += [((a,), ()) for a in pair_sums(features)]
    kind += [2] * (len(factors) - len(kind))
    for values, back, free in quotients(factors, X, y, root):
        r = np.round(np.abs(unit @ unit_length(values).T).max(axis=0), 6)
        for k in range(3):
            who = np.flatnonzero(np.array(kind) == k)
            for i in who[np.argsort(-r[who], kind="stable")[: FACTORS if k == 0 else FACTORS // 2]]:
                if r[i] > 0.0:
                    yield Transform(values[i], partial(back, factors[i]), free)


Factor = tuple[tuple[Term, ...], tuple[Term, ...]]  # terms in numerator and denominator


def quotients(
    factors: list[Factor], X: np.ndarray, y: np.ndarray, root: bool, least: float = 1e-3
) -> list[tuple[np.ndarray, Callable, str]]:
    """(factors, rows) values of y / F, of F / y if |y| is nowhere below a share `least` of its maximum, and with `root`
    their squares; each with the way back to y and its `free`."""
    size = np.abs(y).max()
    with np.errstate(all="ignore"):
        F = evaluated([_times_factor(factor, constant(1.0)) for factor in factors], X)[1]
        found: list[tuple[np.ndarray, Callable, str]] = [(y / size / F, _times_factor, "factor")]
        if (np.abs(y) > least * size).all():
            found.append((F / (y / size), _factor_over, "factor"))
        for values, back, _ in list(found) if root else ():
            found.append((values**2, partial(_under_root, back), "size"))
    return found


@dataclass(frozen=True)
class Family:
    """Transforms of y by one function and several factors.

    values, root  (factors, rows): as in `Transform`
    """

    factors: list[Factor]
    values: np.ndarray
    back: Callable[[Factor, Term], Term]
    free: str
    root: np.ndarray

    def usable(self) -> np.ndarray:
        """(factors,) whether the transform is defined everywhere."""
        return np.isfinite(self.values).all(axis=1) & np.isfinite(self.root).all(axis=1)

    def transform(self, i: int) -> Transform:
        return Transform(self.values[i], partial(self.back, self.factors[i]), self.free, self.root[i])


def families(
    X: np.ndarray, y: np.ndarray, factors: list[Factor], names: Sequence[str], size: np.ndarray | float = 1.0
) -> Iterator[Family]:
    """y over factors, factors over y, their squares and roots; without a factor the logarithm and inverse functions.

    An error of (y / F)^q is y / (q (y / F)^q) times smaller than that of y, which counts times `size` (rows,).
    """
    for values, back, free in quotients(factors, X, y, "sqrt" in names, LEAST):
        yield Family(factors, values, back, free, np.abs(size * y / values))
        if free == "factor" and "square" in names:
            roots = np.where((values > 0.0).all(axis=1, keepdims=True), np.sqrt(np.abs(values)), np.nan)
            yield Family(factors, roots, partial(_squared, back), free, np.abs(size * y / roots))
    none: list[Factor] = [((), ())]
    if "exp" in names and ((y > 0.0).all() or (y < 0.0).all()):
        logs = np.log(np.abs(y))[None]
        yield Family(none, logs, lambda _, term: apply("exp", term), "constant", np.abs(size * y)[None])
    plain = np.broadcast_to(size, y.shape)[None]
    if "asin" in names and (np.abs(y) <= 0.5 * np.pi).all():
        yield Family(none, np.sin(y)[None], lambda _, term: apply("asin", term), "nothing", plain)
    if "acos" in names and ((y >= 0.0) & (y <= np.pi)).all():
        yield Family(none, np.cos(y)[None], lambda _, term: apply("acos", term), "nothing", plain)


def _squared(back: Callable[[Factor, Term], Term], factor: Factor, term: Term) -> Term:
    return back(factor, apply("square", term))


def _times_factor(factor: Factor, term: Term) -> Term:
    over, under = factor
    for a in over:
        term = a if term == constant(1.0) else apply("mul", a, term)
    return apply("div", term, multiplied(under)) if under else term


def _factor_over(factor: Factor, term: Term) -> Term:
    over, under = factor
    for a in under:
        term = apply("mul", a, term)
    return apply("div", multiplied(over), term)


def _under_root(back: Callable[[Factor, Term], Term], factor: Factor, term: Term) -> Term:
    return back(factor, apply("sqrt", term))


def centred_exponent(exponent: np.ndarray) -> float:
    """What to add to an exponent (rows,) whose exponential float32 does not hold, as in growth over calendar years."""
    low, high = exponent.min(), exponent.max()
    return 0.0 if max(high, -low) < LARGEST_EXPONENT else float(-0.5 * (low + high))


def least_squares(columns: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """Coefficients and the residual sum of squares."""
    c = np.linalg.lstsq(columns, target, rcond=None)[0]
    return c, float(((target - columns @ c) ** 2).sum())


def with_ones(columns: np.ndarray) -> np.ndarray:
    return np.column_stack([columns, np.ones(len(columns))])


def with_constant_if_missed(
    columns: np.ndarray, target: np.ndarray, nothing: float, root: np.ndarray | float = 1.0
) -> tuple[np.ndarray, float]:
    """Coefficients by least squares, with rows weighted by `root` squared, and a constant; the constant is 0 if the
    residual without it is hardly larger, up to a share `nothing` of the target's squares."""
    both, target = (with_ones(columns).T * root).T, target * root
    c, rest = least_squares(both, target)
    plain, plain_rest = least_squares(both[:, :-1], target)
    if plain_rest <= 1.001 * rest + nothing * (target**2).sum():
        return plain, 0.0
    return c[:-1], float(c[-1])


def combined(parts: Sequence[tuple[Term, float]]) -> Term | None:
    """The sum of terms times numbers, without those times 0; None if none is left or float32 cannot hold a number."""
    result: Term | None = None
    for term, coefficient in parts:
        if coefficient == 0.0:
            continue
        if not 1e-30 < abs(coefficient) < 1e30:
            return None
        result = _added(result, term, float(coefficient))
    return result


def _added(result: Term | None, term: Term, coefficient: float) -> Term:
    """The sum with one more term; a coefficient within rounding of 1 becomes 1."""
    if abs(abs(coefficient) - 1.0) < 1e-4:
        coefficient = float(np.sign(coefficient))
    if result is not None and coefficient < 0.0:
        return apply("sub", result, times(term, -coefficient))
    scaled = times(term, coefficient)
    return scaled if result is None else apply("add", result, scaled)


def times(term: Term, coefficient: float) -> Term:
    """The term times a number, which goes into its first leaf if that is a factor."""
    if coefficient == 1.0:
        return term
    if _begins_with_a_factor(term):
        (code, column, value), *rest = term
        return ((code, column, value * coefficient), *rest)
    return apply("mul", constant(coefficient), term)


def _begins_with_a_factor(term: Term) -> bool:
    """Whether only products, and quotients with the leaf in the numerator, lie between the root and the first leaf."""
    starts: list[int] = []  # of the subtrees so far
    for k, (code, _, _) in enumerate(term):
        if code <= FEATURE:
            starts.append(k)
            continue
        operator = lookup(code)
        del starts[len(starts) - operator.arity + 1 :]
        if starts[-1] == 0 and operator.name not in ("mul", "div"):
            return False
    return True
