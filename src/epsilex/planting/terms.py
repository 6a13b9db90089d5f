"""Terms: the simple formulas in sums, from `x` to `x * square(cos(z * w))`, and their values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations, islice, product

import numpy as np

from epsilex.programs import Programs, evaluate
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

MONOMIALS = 1000  # at most
PAIRED = 1000  # features whose products are considered, at most
NARROW = 1e-6  # variance below which a product of standardised features counts as constant
SPIKE = 0.7  # largest share of a term's norm in a single row

Term = tuple[Node, ...]


def feature(j: int, coefficient: float = 1.0) -> Term:
    return ((FEATURE, j, coefficient),)


def constant(value: float) -> Term:
    return ((CONSTANT, 0, value),)


def apply(name: str, *arguments: Term) -> Term:
    return (*(node for a in arguments for node in a), (opcode(name), 0, 0.0))


def outputs(programs: Sequence[Sequence[Node]], X: np.ndarray) -> np.ndarray:
    """Values (programs, rows) of programs run in float32, as float64."""
    return evaluate(Programs.from_nodes(programs, np.float32), X.astype(np.float32)).astype(np.float64)


def evaluated(terms: list[Term], X: np.ndarray) -> tuple[list[Term], np.ndarray]:
    return terms, outputs(terms, X)


def correlated(X: np.ndarray, y: np.ndarray, n: int) -> list[int]:
    """The `n` features most correlated with the target, by value, by square, or by their product with another feature.

    The best of many products correlates by chance. So features are compared by `rows * r^2`, minus what the best of as
    many random ones would reach.
    """
    rows, d = X.shape
    if d <= n:
        return list(range(d))
    Z, t = _standardised(X), _standardised(y[:, None])[:, 0]
    by_value = np.einsum("ij,i->j", Z, t) / rows
    Z = np.clip(Z, -3.0, 3.0)  # products of outliers would be larger outliers
    by_square = np.einsum("ij,i->j", Z * Z, t) / rows / np.sqrt(np.maximum((Z * Z).var(axis=0), NARROW))
    score = rows * np.maximum(by_value**2, by_square**2) - 2.0 * np.log(2 * d)
    paired = np.argsort(-score, kind="stable")[:PAIRED]
    pairs = len(paired) * (len(paired) - 1) / 2
    by_product = rows * _best_products(Z[:, paired], t) ** 2 - 2.0 * np.log(pairs)
    score[paired] = np.maximum(score[paired], by_product)
    return sorted(np.argsort(-np.round(score, 6), kind="stable")[:n].tolist())


def _standardised(columns: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and standard deviation 1; a constant column becomes zero."""
    spread = columns.std(axis=0)
    return (columns - columns.mean(axis=0)) / np.where(spread == 0.0, np.inf, spread)


def _best_products(Z: np.ndarray, t: np.ndarray) -> np.ndarray:
    """For each feature, the greatest correlation of its product with another feature with the target."""
    covariance = Z.T @ (t[:, None] * Z) / len(t)
    variance = (Z * Z).T @ (Z * Z) / len(t) - (Z.T @ Z / len(t)) ** 2
    r = np.abs(covariance) / np.sqrt(np.maximum(variance, NARROW))
    np.fill_diagonal(r, 0.0)
    return r.max(axis=1)


Monomial = tuple[tuple[int, ...], tuple[int, ...]]  # features in numerator and denominator


def library(features: Sequence[int], monomials: Sequence[Monomial], names: Sequence[str], n: int) -> list[Term]:
    """At most `n` terms of these features and unary operators, the simplest first."""
    few = [_quotient(m) for m in monomials if len(m[0]) + len(m[1]) <= 2]
    pairs = pair_sums(features)
    functions = [apply(name, a) for a in [*few, *pairs] for name in names]
    functions += [apply("exp", _negative(a)) for a in few if "exp" in names]
    periodic = [name for name in names if name in ("sin", "cos")]
    squares = [apply("square", apply(name, a)) for a in [*few, *pairs] for name in periodic if "square" in names]
    groups = (
        (_quotient(m) for m in monomials),
        pairs,
        (apply("div", constant(1.0), a) for a in pairs),
        (
            apply("div", product_of(over), apply("square", feature(j)))
            for j in features
            if "square" in names
            for over in chain(combinations(features, 1), combinations(features, 2))
            if j not in over
        ),
        functions,
        (apply(name, feature(j), a) for a in pairs for j in features for name in ("mul", "div")),
        (apply("div", product_of(two), a) for a in pairs for two in combinations(features, 2)),
        squares,
        (
            apply("exp", a)
            for m in monomials
            if "exp" in names and 2 < sum(map(len, m)) < 5
            for a in (_quotient(m), _negative(_quotient(m)))
        ),
        (apply("mul", feature(j), a) for a in functions for j in features),
        (apply("mul", feature(j), a) for a in squares for j in features),
        (apply("div", a, feature(j)) for a in functions for j in features),
    )
    return list(islice(chain.from_iterable(groups), n))


def pair_sums(features: Sequence[int]) -> list[Term]:
    return [apply(sign, feature(i), feature(j)) for i, j in combinations(features, 2) for sign in ("add", "sub")]


def all_monomials(features: Sequence[int], most: int | None = None) -> list[Monomial]:
    """Products and quotients of up to `most` features, or of as many as MONOMIALS allows."""
    result: list[Monomial] = []
    for size in range(1, 1 + min(len(features), most or len(features))):
        new = [
            (tuple(j for j, up in sides if up), tuple(j for j, up in sides if not up))
            for who in combinations(features, size)
            for ups in product((True, False), repeat=size)
            for sides in [list(zip(who, ups, strict=True))]
        ]
        if size > 2 and len(result) + len(new) > MONOMIALS:
            break
        result += new
    return result


def _quotient(monomial: Monomial) -> Term:
    over, under = monomial
    return apply("div", product_of(over), product_of(under)) if under else product_of(over)


def product_of(features: Sequence[int]) -> Term:
    return multiplied([feature(j) for j in features])


def multiplied(terms: Sequence[Term]) -> Term:
    if not terms:
        return constant(1.0)
    result = terms[0]
    for a in terms[1:]:
        result = apply("mul", result, a)
    return result


def _negative(term: Term) -> Term:
    """The negative of a term, by the sign of its first leaf, which is a factor."""
    (code, column, value), *rest = term
    return ((code, column, -value), *rest)


def distinct(terms: list[Term], values: np.ndarray, n: int) -> tuple[list[Term], np.ndarray, np.ndarray]:
    """The first `n` terms whose values are finite, vary, do not hang on a single row and are not multiples of earlier
    ones; their values; and their values centred and of unit norm."""
    unit = unit_length(values)
    with np.errstate(all="ignore"):
        varies = values.std(axis=1) > 1e-6 * np.abs(values).max(axis=1)
    kept = np.flatnonzero(varies & (unit != 0.0).any(axis=1))
    unit = unit[kept]
    sign = np.sign(unit[np.arange(len(unit)), np.abs(unit).argmax(axis=1)])
    _, first = np.unique(np.round(unit * sign[:, None], 4), axis=0, return_index=True)
    first = np.sort(first)[:n]
    return [terms[k] for k in kept[first]], values[kept[first]], unit[first]


def unit_length(values: np.ndarray) -> np.ndarray:
    """Rows centred and of unit norm; zero where a row is not finite, does not vary, or hangs on a single value."""
    with np.errstate(all="ignore"):
        centred = values - values.mean(axis=1, keepdims=True)
        unit = centred / np.sqrt((centred**2).sum(axis=1, keepdims=True))
        good = np.isfinite(unit).all(axis=1) & (np.abs(unit).max(axis=1) < SPIKE)
    return np.where(good[:, None], unit, 0.0)
