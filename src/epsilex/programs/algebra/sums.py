"""Rewritings of sums that may shorten them: common factors, completed squares, joined logarithms and fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from epsilex.programs.algebra.arithmetic import LOG, Algebra, in_range, raw_product, split, total
from epsilex.programs.algebra.expanding import together
from epsilex.programs.algebra.expression import ONE, Call, Expression, Number, Product, Sum, factors_of
from epsilex.programs.algebra.numbers import effort, same

SCALES = 4  # coefficients that are tried as a factor of the whole sum

Best = Callable[[Expression], Expression]
Terms = list[tuple[float, Expression]]


def rewritten_sums(e: Sum, algebra: Algebra, best: Best) -> Iterator[Expression]:
    yield from common_factors(e, algebra, best)
    yield from common_numbers(e)
    yield from completed_squares(e, algebra)
    yield from all_squares(e, algebra)
    yield from squares_of_inverses(e, algebra)
    yield from joined_logarithms(e, algebra, best)
    yield from one_fraction(e, algebra, best)


def common_factors(e: Sum, algebra: Algebra, best: Best) -> Iterator[Expression]:
    """`a*b + a*c + d` is `a*(b + c) + d`."""
    seen: dict[tuple[Expression, bool], list[int]] = {}
    for k, (_, term) in enumerate(e.terms):
        for base, exponent in factors_of(term):
            seen.setdefault((base, exponent > 0.0), []).append(k)
    for (base, above), members in seen.items():
        if len(set(members)) < len(members):  # the base stands above and below, because it may be 0
            continue
        powers = {k: dict(factors_of(e.terms[k][1]))[base] for k in members}
        least = min(powers.values()) if above else max(powers.values())
        alike = [k for k in members if powers[k] == least]
        # Nobody writes x*(a*x + b) + c for a*x^2 + b*x + c.
        whole = len(members) == len(e.terms) and not e.constant
        groups = [members] if len(alike) == len(members) else [members, alike] if whole else [alike]
        for group in groups:
            if len(group) > 1:
                yield _factored(e, base, least, group, algebra, best)


def _factored(e: Sum, base: Expression, power: float, group: list[int], algebra: Algebra, best: Best) -> Expression:
    """The sum with `base ** power` in front of the terms of a group."""
    inner = [(e.terms[k][0], _without(e.terms[k][1], base, power)) for k in group]
    whole = algebra.product([(base, power), (best(algebra.sum(inner)), 1.0)])
    rest = [e.terms[k] for k in range(len(e.terms)) if k not in group]
    if not rest and not e.constant:
        return whole
    c, term = split(whole)
    return algebra.sum(rest, e.constant + c) if term is ONE else total(e.constant, [*rest, (c, term)])


def _without(term: Expression, base: Expression, power: float) -> Expression:
    """The term divided by `base ** power`."""
    left = [(b, exponent - power if b == base else exponent) for b, exponent in factors_of(term)]
    return raw_product(1.0, [(b, exponent) for b, exponent in left if exponent != 0.0])


def common_numbers(e: Sum) -> Iterator[Expression]:
    """`2*a + 2*b + c` is `2*(a + b) + c`; and the whole sum divided by one of its coefficients."""
    sizes: dict[float, list[int]] = {}
    for k, (c, _) in enumerate(e.terms):
        size = next((s for s in sizes if same(s, abs(c))), abs(c))
        sizes.setdefault(size, []).append(k)
    for size, members in sizes.items():
        if size == 1.0 or len(members) < 2:
            continue
        joins = e.constant != 0.0 and same(abs(e.constant), size)
        sign = 1.0 if any(e.terms[k][0] > 0.0 for k in members) or (joins and e.constant > 0.0) else -1.0
        inside = Sum(
            math.copysign(1.0, e.constant) * sign if joins else 0.0,
            tuple((math.copysign(1.0, e.terms[k][0]) * sign, e.terms[k][1]) for k in members),
        )
        rest = [pair for k, pair in enumerate(e.terms) if k not in members]
        constant = 0.0 if joins else e.constant
        yield total(constant, [*rest, (size * sign, inside)])
    numbers = [*sizes, *([abs(e.constant)] if e.constant else [])]
    for size in numbers[:SCALES]:
        if size != 1.0:
            yield _scaled(e, size)
    if e.constant <= 0.0 and all(c < 0.0 for c, _ in e.terms):
        yield _scaled(e, -1.0)


def _scaled(e: Sum, by: float) -> Expression:
    constant = in_range(e.constant / by) if e.constant else 0.0
    return Product(by, ((Sum(constant, tuple((in_range(c / by), term) for c, term in e.terms)), 1.0),))


def completed_squares(e: Sum, algebra: Algebra) -> Iterator[Expression]:
    """`u^2 + 2*u*w + w^2` is `(u + w)^2`, and `u^2 - 6*u + 14` is `(u - 3)^2 + 5`."""
    terms = {term: c for c, term in e.terms}
    for a, term in e.terms:
        if not (isinstance(term, Product) and len(term.factors) == 1 and term.factors[0][1] == 2.0):
            continue
        u = term.factors[0][0]
        for b, other in e.terms:
            factors = dict(factors_of(other))
            if other is term or factors.get(u) != 1.0:
                continue
            w = _without(other, u, 1.0)
            square = ONE if w == ONE else algebra.power(w, 2.0)
            if e.constant == 0.0 if w == ONE else split(square)[1] not in terms:
                continue
            half = b / (2.0 * a)
            if w == ONE and not _easier(half, e.constant - a * half * half, b, e.constant):
                continue
            inside = algebra.sum([(1.0, u), (half, w)])
            rest = [(c, t) for c, t in e.terms if t is not term and t is not other]
            whole = algebra.power(inside, 2.0)
            yield algebra.sum([*rest, (a, whole), (-a * half * half, square)], e.constant)


def _easier(shift: float, left: float, linear: float, constant: float) -> bool:
    """Whether the numbers of a completed square are no harder to read: `4*x^2 + 3*x + 2` stays."""
    return effort(shift) + (effort(left) if left else 0.0) <= effort(linear) + effort(constant)


def all_squares(e: Sum, algebra: Algebra) -> Iterator[Expression]:
    """`u^2 - 6*u + v^2 - 6*v + 23` is `(u - 3)^2 + (v - 3)^2 + 5`: one square alone would not be shorter."""
    linear = {term: c for c, term in e.terms}
    pairs = []
    for a, term in e.terms:
        if isinstance(term, Product) and len(term.factors) == 1 and term.factors[0][1] == 2.0:
            u = term.factors[0][0]
            if u in linear:
                pairs.append((a, u, term, linear[u] / (2.0 * a)))
    if len(pairs) < 2 or e.constant == 0.0:
        return
    used = {part for _, u, term, _ in pairs for part in (u, term)}
    whole = [(a, algebra.power(algebra.sum([(1.0, u)], half), 2.0)) for a, u, _, half in pairs]
    left = e.constant - sum(a * half * half for a, _, _, half in pairs)
    yield algebra.sum([*((c, term) for c, term in e.terms if term not in used), *whole], left)


def squares_of_inverses(e: Sum, algebra: Algebra) -> Iterator[Expression]:
    """`w^2 + 25/w^2 - 7` is `(w - 5/w)^2 + 3`: what cancels at resonance."""
    powers = {factors_of(term)[0]: (c, term) for c, term in e.terms if len(factors_of(term)) == 1}
    for (u, exponent), (a, term) in powers.items():
        b, other = powers.get((u, -2.0), (0.0, term))
        if exponent != 2.0 or a * b <= 0.0 or e.constant == 0.0:
            continue
        root = math.copysign(math.sqrt(b / a), a * e.constant)
        left = e.constant - 2.0 * a * root
        if effort(root) + (effort(left) if left else 0.0) > effort(b) + effort(e.constant):
            continue
        inside = algebra.sum([(1.0, u), (root, algebra.power(u, -1.0))])
        rest = [(c, t) for c, t in e.terms if t is not term and t is not other]
        yield algebra.sum([*rest, (a, algebra.power(inside, 2.0))], left)


def joined_logarithms(e: Sum, algebra: Algebra, best: Best) -> Iterator[Expression]:
    """`log(a) - log(b)` is `log(a/b)`, and `log(a) + 0.693147` is `log(2*a)`."""
    logs = [(c, term) for c, term in e.terms if isinstance(term, Call) and term.code == LOG]
    for i, (c, first) in enumerate(logs):
        u = first.arguments[0]
        if e.constant and abs(e.constant / c) < 50.0:
            inside = best(algebra.multiplied(Number(math.exp(e.constant / c)), u))
            yield algebra.sum([(k, t) for k, t in e.terms if t is not first] + [(c, Call(LOG, inside))])
        for d, second in logs[i + 1 :]:
            v = second.arguments[0]
            if not same(abs(c), abs(d)) or not (algebra.facts.positive(u) or algebra.facts.positive(v)):
                continue
            if c < 0.0 < d:
                u, v, k = v, u, d
            else:
                k = c
            inside = best(algebra.product([(u, 1.0), (v, 1.0 if c * d > 0.0 else -1.0)]))
            rest = [(k_, t) for k_, t in e.terms if t is not first and t is not second]
            yield algebra.sum([*rest, (k, algebra.call(LOG, inside))], e.constant)
            u = first.arguments[0]


def one_fraction(e: Sum, algebra: Algebra, best: Best) -> Iterator[Expression]:
    """`1 + x/(y - x)` is `y/(y - x)`."""
    found = together(e, algebra)
    if found is not None:
        above, below = found
        yield algebra.product([(best(above), 1.0), *below])
