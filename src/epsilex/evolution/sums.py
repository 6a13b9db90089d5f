"""Sums: formulas to start from that need no evolution, y, log y, y / (x z), ... = a A + b B + ... of simple terms.

Thousands of terms, from `x` to `x * square(cos(z * w))`, are evaluated on a few hundred rows. The correlations of all
pairs of them come from one product of matrices, and with those the R2 of every sum of two. The best few, with third
and fourth terms added one at a time, are programs to start from. Many laws of physics are such a sum,
once a root, logarithm, inverse or factor is moved to the side of y.

What follows no such law may still be a longer sum, or close to one: terms are added one at a time for as long as there
is room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, islice, product

import numpy as np

from epsilex.evolution.settings import Settings
from epsilex.programs import Programs, evaluate
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, lookup, opcode

TERMS, TERMS_EACH = 2500, 2.5  # at most, the simplest; and for each individual of the population
MONOMIALS = 1000  # of them, at most
FACTORS = 4  # features that are moved to the side of y, or of 1 / y, and half as many of other kinds
FEATURES = 8  # that the terms are made of, those most correlated with the target
PATH_FEATURES, LONG_SUMS = 25, 20  # of the long sums, whose terms are of one or two features
PAIRS = 8  # kept of each side of the equation
LONGER = 2  # of these are given a third term, and a fourth
COLLINEAR = 1e-4  # 1 - r^2 of two terms below which they are taken for one
SPIKE = 0.7  # share of a term's length that a single row may have
MIN_ROWS, SAFE_ROWS, EXACT = 20, 100, 1e-8  # on fewer rows than are safe, only sums that leave so little are no chance
CHUNK = 32  # terms whose pairs are looked at together, so that they stay in cache

Term = tuple[Node, ...]


def feature(j: int, coefficient: float = 1.0) -> Term:
    return ((FEATURE, j, coefficient),)


def constant(value: float) -> Term:
    return ((CONSTANT, 0, value),)


def apply(name: str, *arguments: Term) -> Term:
    return (*(node for a in arguments for node in a), (opcode(name), 0, 0.0))


def sums(X: np.ndarray, y: np.ndarray, settings: Settings) -> list[list[Node]]:
    """Programs, the most promising first, for X (rows, features) and y (rows,), whose 0 is the user's."""
    names = list(settings.operators)
    if not possible(y, settings, MIN_ROWS):
        return []
    features = correlated(X, y, FEATURES)
    monomials = all_monomials(features)
    terms, values, unit = _terms(X, features, monomials, settings)
    if len(terms) < 2:
        return []
    lengths = np.array([len(t) for t in terms])
    whole = Correlations(unit)
    found = [
        side.solve([terms[k] for k in picked], values[picked])
        for side in (*sides(y, names), *factored(X, y, features, monomials, unit, "sqrt" in names))
        for picked in _picks(whole, side.values, lengths)
    ]
    for log in log_side(y, names):
        large = _large(y)
        part = whole if len(large) == len(y) else Correlations(_unit(values[:, large]))
        found += [
            log.solve([terms[k] for k in picked], values[picked][:, large])
            for picked in _picks(part, log.values, lengths)
        ]
    return by_description([f for f in found if f is not None and len(f) <= settings.max_length], X, y)


def possible(y: np.ndarray, settings: Settings, rows: int) -> bool:
    """Whether there is arithmetic to make sums with, and a target of so many rows at least to look for."""
    return {"add", "sub", "mul", "div"} <= set(settings.operators) and len(y) >= rows and np.ptp(y) > 0.0


def long_sums(X: np.ndarray, y: np.ndarray, settings: Settings) -> list[list[Node]]:
    """Programs of sums that grow by a term at a time: of squares and products, of terms of one feature, and of all
    terms."""
    names = settings.operators
    if not possible(y, settings, SAFE_ROWS):
        return []
    features = correlated(X, y, PATH_FEATURES)
    terms, values, unit = _terms(X, features, [m for m in all_monomials(features) if sum(map(len, m)) <= 2], settings)
    products = {CONSTANT, FEATURE, opcode("mul"), opcode("square")}
    kinds = (
        [len(t) <= 3 and all(code in products for code, _, _ in t) for t in terms],  # of degree two
        [len({column for code, column, _ in t if code == FEATURE}) == 1 for t in terms],
        [True] * len(terms),
    )
    found = []
    for side in (*sides(y, names), *log_side(y, names)):
        if len(side.values) == len(y):
            for who in map(np.flatnonzero, kinds):
                paths = path([terms[k] for k in who], unit[who], side.values, settings.max_length)
                found += [side.solve([terms[k] for k in who[picked]], values[who[picked]]) for picked in paths]
    return by_description([f for f in found if f is not None and len(f) <= settings.max_length], X, y)[:LONG_SUMS]


def path(terms: list[Term], unit: np.ndarray, target: np.ndarray, max_length: int) -> Iterator[list[int]]:
    """The terms of longer and longer sums: each next one explains most of the rest, less what its length costs.

    Of a term only its part that is orthogonal to those picked matters. Its length and its product with the target are
    brought up to date from the products of the terms, so that no row is looked at again.
    """
    lengths = np.array([len(t) for t in terms])
    picked: list[int] = []
    shadows = np.empty((0, len(terms)))  # of all terms on the directions picked so far
    left, n = target - target.mean(), len(target)
    whole = rest = float((left**2).sum())
    product, square = np.einsum("ij,j->i", unit, left), np.ones(len(terms))
    while len(picked) < max_length // 2:
        room = max_length - int((lengths[picked] + 2).sum())
        gain = np.where(square > COLLINEAR, product**2 / np.maximum(square, COLLINEAR), 0.0)
        score = n * np.log(np.maximum(rest - gain, 1e-9 * whole)) + lengths * np.log(n)
        score[(gain <= 0.0) | (lengths >= room)] = np.inf
        if not len(score) or not np.isfinite(score).any():
            return
        k = int(np.argmin(score))
        picked = [*picked, k]
        size = np.sqrt(square[k])
        shadow = (np.einsum("ij,j->i", unit, unit[k]) - np.einsum("ji,j->i", shadows, shadows[:, k])) / size
        step = product[k] / size
        product, square, rest = product - step * shadow, square - shadow**2, rest - step**2
        shadows = np.vstack([shadows, shadow])
        if len(picked) > 1:
            yield picked
        if rest < EXACT * whole:
            return


def _terms(X: np.ndarray, features: Sequence[int], monomials: Sequence[Monomial], settings: Settings):
    """The library's terms of these features that are worth a look: programs, values, and values of length 1."""
    unary = [name for name in settings.operators if lookup(opcode(name)).arity == 1 and name != "neg"]
    n = min(TERMS, round(TERMS_EACH * settings.population_size))
    return distinct(*evaluated(library(features, monomials, unary, 2 * n), X), n)


def evaluated(terms: list[Term], X: np.ndarray) -> tuple[list[Term], np.ndarray]:
    return terms, evaluate(Programs.from_nodes(terms, np.float32), X.astype(np.float32)).astype(np.float64)


# The library ----------------------------------------------------------------------------------------------------------


def correlated(X: np.ndarray, y: np.ndarray, n: int) -> list[int]:
    """The `n` features most correlated with the target, by value or by square."""
    if X.shape[1] <= n:
        return list(range(X.shape[1]))
    size = np.zeros(X.shape[1])
    for column in (X, X * X):
        centred = column - column.mean(axis=0)
        length = np.sqrt((centred**2).sum(axis=0))
        length[length == 0.0] = np.inf
        size = np.maximum(size, np.abs((y - y.mean()) @ centred) / length)
    return sorted(np.argsort(-size, kind="stable")[:n].tolist())


Monomial = tuple[tuple[int, ...], tuple[int, ...]]  # features above and below the line


def library(features: Sequence[int], monomials: Sequence[Monomial], names: Sequence[str], n: int) -> list[Term]:
    """`n` terms of these features and unary operators at most, the simplest first."""
    few = [_quotient(m) for m in monomials if len(m[0]) + len(m[1]) <= 2]
    pairs = _pairs(features)
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


def _pairs(features: Sequence[int]) -> list[Term]:
    return [apply(sign, feature(i), feature(j)) for i, j in combinations(features, 2) for sign in ("add", "sub")]


def all_monomials(features: Sequence[int]) -> list[Monomial]:
    """Products and quotients of features, of as many factors as there is room for."""
    result: list[Monomial] = []
    for size in range(1, len(features) + 1):
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
    return _multiplied([feature(j) for j in features])


def _negative(term: Term) -> Term:
    """The term with the sign of its first leaf changed, which is a factor of it."""
    (code, column, value), *rest = term
    return ((code, column, -value), *rest)


def distinct(terms: list[Term], values: np.ndarray, n: int) -> tuple[list[Term], np.ndarray, np.ndarray]:
    """The first `n` terms whose values are finite, vary, and hang on no single row, without multiples of earlier ones;
    their values, and these centred and of length 1."""
    unit = _unit(values)
    with np.errstate(all="ignore"):
        varies = values.std(axis=1) > 1e-6 * np.abs(values).max(axis=1)
    kept = np.flatnonzero(varies & (unit != 0.0).any(axis=1))
    unit = unit[kept]
    sign = np.sign(unit[np.arange(len(unit)), np.abs(unit).argmax(axis=1)])
    _, first = np.unique(np.round(unit * sign[:, None], 4), axis=0, return_index=True)
    first = np.sort(first)[:n]
    return [terms[k] for k in kept[first]], values[kept[first]], unit[first]


def _unit(values: np.ndarray) -> np.ndarray:
    """Rows centred and of length 1; zero where one is not finite, does not vary, or hangs on a single place."""
    with np.errstate(all="ignore"):
        centred = values - values.mean(axis=1, keepdims=True)
        unit = centred / np.sqrt((centred**2).sum(axis=1, keepdims=True))
        good = np.isfinite(unit).all(axis=1) & (np.abs(unit).max(axis=1) < SPIKE)
    return np.where(good[:, None], unit, 0.0)


# The equation's other side --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """What stands for y on its side of the equation, and the way back.

    values     (rows,)
    back       program of the sum -> program of y
    free       what of the sum linear scaling supplies: its "factor", its "size", which is a positive factor, its
               "constant" (turned into a factor), or "both" factor and constant
    """

    values: np.ndarray
    back: Callable[[Term], Term]
    free: str

    def solve(self, terms: Sequence[Term], values: np.ndarray) -> list[Node] | None:
        """The program of y, its coefficients by least squares; None where float32 cannot hold them."""
        columns = values.T
        with_constant = np.column_stack([columns, np.ones(len(columns))])
        c, rest = least_squares(with_constant, self.values)
        offset = c[-1]
        if self.free in ("both", "constant"):
            offset = 0.0
        else:
            plain, plain_rest = least_squares(columns, self.values)
            if plain_rest <= 1.001 * rest + 1e-9 * (self.values**2).sum():
                c, offset = np.append(plain, 0.0), 0.0
        order = np.argsort(-np.abs(c[:-1]) * columns.std(axis=0), kind="stable")  # what matters most comes first
        terms, c = [terms[k] for k in order], c[order]
        if self.free != "constant" and c[0] != 0.0:
            divisor = abs(c[0]) if self.free == "size" else c[0]
            c, offset = c / divisor, offset / divisor
        if not ((np.abs(c) > 1e-30) & (np.abs(c) < 1e30)).all() or not abs(offset) < 1e30:
            return None
        result: Term | None = None
        for term, coefficient in zip(terms, c, strict=True):
            result = _added(result, term, float(coefficient))
        assert result is not None
        if offset != 0.0:
            result = apply("add", result, constant(float(offset)))
        return list(self.back(result))


def sides(y: np.ndarray, names: Sequence[str]) -> Iterator[Side]:
    """y itself, and functions of it that its values and the operators allow."""
    yield Side(y, lambda s: s, "both")
    size = np.abs(y).max()
    if (np.abs(y) > 1e-3 * size).all():
        yield Side(size / y, lambda s: apply("div", constant(1.0), s), "factor")
    if (y > 1e-6 * size).all():
        if "sqrt" in names:
            yield Side((y / size) ** 2, lambda s: apply("sqrt", s), "size")
        if "square" in names:
            yield Side(np.sqrt(y / size), lambda s: apply("square", s), "factor")


def log_side(y: np.ndarray, names: Sequence[str]) -> Iterator[Side]:
    """The logarithm of y where it is large; that of other values may be nothing but rounding."""
    large = _large(y)
    if "exp" in names and (y > -1e-6 * np.abs(y).max()).all() and len(large) >= MIN_ROWS:
        yield Side(np.log(y[large]), lambda s: apply("exp", s), "constant")


def _large(y: np.ndarray) -> np.ndarray:
    return np.flatnonzero(y > 1e-3 * np.abs(y).max())


def factored(
    X: np.ndarray, y: np.ndarray, features: Sequence[int], monomials: Sequence[Monomial], unit: np.ndarray, root: bool
) -> Iterator[Side]:
    """y / F and F / y, and where there is a `root` their squares, for the features, pairs and other monomials F that
    leave most to a single term."""
    factors: list[Factor] = [(tuple(map(feature, over)), tuple(map(feature, under))) for over, under in monomials]
    kind = [0 if len(over) + len(under) == 1 else 1 for over, under in monomials]
    factors += [((a,), ()) for a in _pairs(features)]
    kind += [2] * (len(factors) - len(kind))
    for values, back, free in quotients(factors, X, y, root):
        r = np.round(np.abs(unit @ _unit(values).T).max(axis=0), 6)
        for k in range(3):
            who = np.flatnonzero(np.array(kind) == k)
            for i in who[np.argsort(-r[who], kind="stable")[: FACTORS if k == 0 else FACTORS // 2]]:
                if r[i] > 0.0:
                    yield Side(values[i], partial(back, factors[i]), free)


Factor = tuple[tuple[Term, ...], tuple[Term, ...]]  # terms above and below the line


def quotients(
    factors: list[Factor], X: np.ndarray, y: np.ndarray, root: bool
) -> list[tuple[np.ndarray, Callable, str]]:
    """(factors, rows) values of y / F, of F / y where y keeps away from 0, and with a `root` their squares; each with
    the way back to y, and what is free of it."""
    size = np.abs(y).max()
    with np.errstate(all="ignore"):
        F = evaluated([_times_factor(factor, constant(1.0)) for factor in factors], X)[1]
        found: list[tuple[np.ndarray, Callable, str]] = [(y / size / F, _times_factor, "factor")]
        if (np.abs(y) > 1e-3 * size).all():
            found.append((F / (y / size), _factor_over, "factor"))
        for values, back, _ in list(found) if root else ():
            found.append((values**2, partial(_under_root, back), "size"))
    return found


def _times_factor(factor: Factor, term: Term) -> Term:
    over, under = factor
    for a in over:
        term = a if term == constant(1.0) else apply("mul", a, term)
    return apply("div", term, _multiplied(under)) if under else term


def _factor_over(factor: Factor, term: Term) -> Term:
    over, under = factor
    for a in under:
        term = apply("mul", a, term)
    return apply("div", _multiplied(over), term)


def _under_root(back: Callable[[Factor, Term], Term], factor: Factor, term: Term) -> Term:
    return back(factor, apply("sqrt", term))


def _multiplied(terms: Sequence[Term]) -> Term:
    if not terms:
        return constant(1.0)
    result = terms[0]
    for a in terms[1:]:
        result = apply("mul", result, a)
    return result


def least_squares(columns: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """Coefficients and the sum of squares left."""
    c = np.linalg.lstsq(columns, target, rcond=None)[0]
    return c, float(((target - columns @ c) ** 2).sum())


def _added(result: Term | None, term: Term, coefficient: float) -> Term:
    """The sum with one more term; a coefficient within rounding of 1 is 1."""
    if abs(abs(coefficient) - 1.0) < 1e-4:
        coefficient = float(np.sign(coefficient))
    if result is not None and coefficient < 0.0:
        return apply("sub", result, _times(term, -coefficient))
    scaled = _times(term, coefficient)
    return scaled if result is None else apply("add", result, scaled)


def _times(term: Term, coefficient: float) -> Term:
    """The term times a number, which goes to a leaf that is a factor of it where there is one."""
    if coefficient == 1.0:
        return term
    if all(code <= FEATURE or lookup(code).name in ("mul", "div") for code, _, _ in term):
        (code, column, value), *rest = term  # the first leaf of a product or quotient is above the line
        return ((code, column, value * coefficient), *rest)
    return apply("mul", constant(coefficient), term)


# The choice -----------------------------------------------------------------------------------------------------------


class Correlations:
    """Of all terms with each other. unit (terms, rows): their values centred and of length 1."""

    def __init__(self, unit: np.ndarray):
        self.unit, self.single = unit, unit.astype(np.float32)
        self.gram = (unit @ unit.T).astype(np.float32)
        spread = 1.0 - self.gram * self.gram
        self.inverse = np.where(spread > COLLINEAR, 1.0 / np.maximum(spread, COLLINEAR), 0.0).astype(np.float32)

    def best_partners(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The greatest R2 of each term with another one, and which, where `r` is their correlation with the target:
        (r_i^2 + r_j^2 - 2 r_i r_j g) / (1 - g^2)."""
        r = np.round(r, 6).astype(np.float32)
        best, partner = np.empty(len(r), np.float32), np.empty(len(r), np.int64)
        square = r * r
        for first in range(0, len(r), CHUNK):
            rows = slice(first, first + CHUNK)
            found = self.gram[rows] * (-2.0 * r[rows, None])
            found *= r
            found += square
            found += square[rows, None]
            found *= self.inverse[rows]
            partner[rows] = found.argmax(axis=1)
            best[rows] = np.take_along_axis(found, partner[rows, None], axis=1)[:, 0]
        return best, partner


def _picks(terms: Correlations, target: np.ndarray, lengths: np.ndarray) -> Iterator[list[int]]:
    """The terms of the best single terms, pairs, and pairs with more terms added."""
    centred = target - target.mean()
    size = np.sqrt((centred**2).sum())
    if not (np.isfinite(size) and size > 0.0):
        return
    t = centred / size
    n = len(t)
    cost = lengths * np.log(n)
    unit = terms.unit
    r = np.einsum("ij,j->i", unit, t)  # not by BLAS, whose threads cost more than so small a product
    for k in np.argsort(n * np.log(1.0 - np.minimum(r * r, 1.0) + 1e-9) + cost, kind="stable")[:2]:
        yield [int(k)]
    best, partner = terms.best_partners(r)
    score = n * np.log(1.0 - np.minimum(best, 1.0) + 1e-9) + cost + cost[partner]
    pairs = []
    for i in np.argsort(score, kind="stable"):
        pair = sorted((int(i), int(partner[i])))
        if pair not in pairs:
            pairs.append(pair)
        if len(pairs) == PAIRS:
            break
    yield from pairs
    for picked in pairs[:LONGER]:
        for _ in range(2):
            columns = np.column_stack([unit[picked].T, np.ones(n)])
            c, rest = least_squares(columns, t)
            if rest < 1e-8:
                break
            left = t - columns @ c
            gain = np.abs(np.einsum("ij,j->i", terms.single, left.astype(np.float32)))
            gain[picked] = 0.0
            picked = [*picked, int(np.argmax(gain))]
            yield picked


def by_description(found: list[list[Node]], X: np.ndarray, y: np.ndarray) -> list[list[Node]]:
    """Programs by n log(squared error after linear scaling) + length log n; those with undefined values left out."""
    if not found:
        return []
    n = len(y)
    outputs = evaluate(Programs.from_nodes(found, np.float32), X.astype(np.float32)).astype(np.float64)
    score = np.full(len(found), np.inf)
    for i in np.flatnonzero(np.isfinite(outputs).all(axis=1)):
        _, rest = least_squares(np.column_stack([outputs[i], np.ones(n)]), y)
        share = rest / ((y - y.mean()) ** 2).sum()
        if n >= SAFE_ROWS or share < EXACT:
            score[i] = n * np.log(share + 1e-12) + len(found[i]) * np.log(n)
    return [found[i] for i in np.argsort(score, kind="stable") if np.isfinite(score[i])]
