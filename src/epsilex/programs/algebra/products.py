"""Rewritings of products and functions that may shorten them: equal powers joined, numbers placed, powers of e."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from epsilex.programs.algebra.arithmetic import (
    EXP,
    LOG,
    POW,
    Algebra,
    Refused,
    in_range,
    raw_product,
    split,
    times,
    total,
)
from epsilex.programs.algebra.expanding import expanded, together
from epsilex.programs.algebra.expression import Call, Expression, Product, Sum, factors_of, is_whole
from epsilex.programs.algebra.numbers import LONG, effort

SCALES = 4  # coefficients of a sum that are tried as its factor

Best = Callable[[Expression], Expression]


def rewritten_products(e: Product, algebra: Algebra, best: Best) -> Iterator[Expression]:
    whole = expanded(e, algebra)
    if whole is not None:
        yield best(whole) if not isinstance(whole, Sum) else whole
    yield from joined_powers(e, algebra)
    yield from scaled_sums(e)
    yield from numbers_in_exponents(e)
    yield from nested_fractions(e, algebra, best)
    yield from factors_inside(e, algebra, best)
    yield from turned_logarithms(e, algebra)


def joined_powers(e: Product, algebra: Algebra) -> Iterator[Expression]:
    """`a^2/b^2` is `(a/b)^2`, and `sqrt(a)*sqrt(b)` is `sqrt(a*b)` where a or b is known to be positive."""
    for size in sorted({abs(exponent) for _, exponent in e.factors} - {1.0}):
        members = [(base, exponent) for base, exponent in e.factors if abs(exponent) == size]
        rest = [pair for pair in e.factors if pair not in members]
        if any(isinstance(base, Product) for base, _ in members):
            continue
        if not is_whole(size):
            unproven = [base for base, _ in members if not algebra.facts.positive(base)]
            if len(unproven) > 1:
                continue
        power = size if any(exponent > 0.0 for _, exponent in members) else -size
        sign = math.copysign(1.0, power)
        pairs = [(base, sign * math.copysign(1.0, exponent)) for base, exponent in members]
        if len(members) > 1:
            yield Product(e.coefficient, (*rest, (raw_product(1.0, pairs), power)))
        if e.coefficient > 0.0 and e.coefficient != 1.0 and effort(size) < LONG:  # 2.7*x^0.83, not (10*x/3)^0.83
            inside = in_range(e.coefficient ** (1.0 / power))
            if effort(inside) < effort(e.coefficient):
                yield raw_product(1.0, [*rest, (_scaled(inside, pairs), power)])


def _scaled(by: float, pairs: list[tuple[Expression, float]]) -> Expression:
    if len(pairs) == 1 and pairs[0][1] == 1.0 and isinstance(pairs[0][0], Sum):
        return _divided(pairs[0][0], 1.0 / by)
    return raw_product(by, pairs)


def scaled_sums(e: Product) -> Iterator[Expression]:
    """Each sum divided by one of its coefficients, which goes to the front."""
    for k, (base, exponent) in enumerate(e.factors):
        if not isinstance(base, Sum):
            continue
        sizes = {abs(c) for c, _ in base.terms} | ({abs(base.constant)} if base.constant else set())
        if exponent == 1.0 and e.coefficient not in (1.0, -1.0):
            sizes.add(1.0 / abs(e.coefficient))
        rest = [pair for i, pair in enumerate(e.factors) if i != k]
        for size in sorted(sizes - {1.0}, key=lambda size: (effort(size), size))[:SCALES]:
            c = in_range(e.coefficient * size**exponent)
            yield raw_product(c, [*rest, (_divided(base, size), exponent)])
        if exponent % 2.0 == 0.0 or exponent % 2.0 == 1.0:
            flipped = e.coefficient * (-1.0) ** exponent
            negative = sum(c < 0.0 for c, _ in base.terms) + (base.constant < 0.0)
            if flipped > e.coefficient or negative > 0:
                yield raw_product(flipped, [*rest, (_divided(base, -1.0), exponent)])


def _divided(base: Sum, by: float) -> Sum:
    constant = in_range(base.constant / by) if base.constant else 0.0
    return Sum(constant, tuple((in_range(c / by), term) for c, term in base.terms))


def numbers_in_exponents(e: Product) -> Iterator[Expression]:
    """`2.71828*exp(x)` is `exp(x + 1)`."""
    if e.coefficient <= 0.0 or e.coefficient == 1.0:
        return
    for k, (base, exponent) in enumerate(e.factors):
        if isinstance(base, Call) and base.code == EXP and exponent == 1.0:
            shift = in_range(math.log(e.coefficient))
            if effort(shift) >= effort(e.coefficient):
                return
            inside = base.arguments[0]
            terms = list(inside.terms) if isinstance(inside, Sum) else [split(inside)]
            constant = shift + (inside.constant if isinstance(inside, Sum) else 0.0)
            rest = [pair for i, pair in enumerate(e.factors) if i != k]
            yield raw_product(1.0, [*rest, (Call(EXP, total(constant, terms)), 1.0)])


def nested_fractions(e: Product, algebra: Algebra, best: Best) -> Iterator[Expression]:
    """`1/(1/a + b/c)` is `a*c/(c + a*b)`."""
    for k, (base, exponent) in enumerate(e.factors):
        found = together(base, algebra) if isinstance(base, Sum) else None
        if found is None:
            continue
        above, below = found
        quotient = algebra.product([(best(above), 1.0), *below])
        rest = [pair for i, pair in enumerate(e.factors) if i != k]
        try:
            yield algebra.product([*rest, (quotient, exponent)], e.coefficient)
        except Refused:
            continue


def factors_inside(e: Product, algebra: Algebra, best: Best) -> Iterator[Expression]:
    """`(a*c^2 - b)/c^2` is `a - b/c^2`, and `c/sqrt(c^2 - v^2)` is `1/sqrt(1 - v^2/c^2)` where c is positive."""
    for k, (base, power) in enumerate(e.factors):
        if not isinstance(base, Sum):
            continue
        for i, (factor, exponent) in enumerate(e.factors):
            moved = exponent / power
            over = power == 1.0 and exponent < 0.0
            root = abs(power) == 0.5 and algebra.facts.positive(factor)
            if i == k or not (over or root) or not is_whole(moved):
                continue
            if not any(dict(factors_of(term)).get(factor, 0.0) * moved < 0.0 for _, term in base.terms):
                continue  # nothing would cancel
            inside = algebra.power(factor, moved)
            terms = [(c, algebra.multiplied(term, inside)) for c, term in base.terms]
            whole = algebra.sum([*terms, (base.constant, inside)] if base.constant else terms)
            rest = [pair for j, pair in enumerate(e.factors) if j not in (i, k)]
            try:
                yield algebra.product([*rest, (best(whole), power)], e.coefficient)
            except Refused:
                continue


def turned_logarithms(e: Product, algebra: Algebra) -> Iterator[Expression]:
    """`-log(a/b)` is `log(b/a)`."""
    for k, (base, exponent) in enumerate(e.factors if e.coefficient < 0.0 else ()):
        inside = base.arguments[0] if isinstance(base, Call) and base.code == LOG and exponent == 1.0 else None
        if isinstance(inside, Product) and {power > 0.0 for _, power in inside.factors} == {True, False}:
            pairs = tuple((part, -power) for part, power in inside.factors)
            turned = Call(LOG, Product(in_range(1.0 / inside.coefficient), pairs))
            rest = [pair for i, pair in enumerate(e.factors) if i != k]
            yield raw_product(-e.coefficient, [*rest, (turned, 1.0)])


def rewritten_calls(e: Call, algebra: Algebra) -> Iterator[Expression]:
    """`exp(b*log(a))` is `a^b`, where a is known to be positive."""
    if e.code != EXP or not isinstance(e.arguments[0], Product):
        return
    exponent = e.arguments[0]
    for k, (base, power) in enumerate(exponent.factors):
        if isinstance(base, Call) and base.code == LOG and power == 1.0 and algebra.facts.positive(base.arguments[0]):
            rest = [pair for i, pair in enumerate(exponent.factors) if i != k]
            yield Call(POW, base.arguments[0], times(exponent.coefficient, raw_product(1.0, rest)))
