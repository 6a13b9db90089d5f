"""Identities of sine and cosine: squares, half and double angles, sums of angles."""

from __future__ import annotations

from collections.abc import Iterator

from epsilex.programs.algebra.arithmetic import COS, SIN, Algebra
from epsilex.programs.algebra.expression import Call, Expression, Product, Sum, is_whole
from epsilex.programs.algebra.numbers import same


def rewritten_angles(e: Expression, algebra: Algebra) -> Iterator[Expression]:
    if isinstance(e, Sum):
        yield from half_angles(e, algebra)
        yield from squares(e, algebra)
        yield from angle_sums(e, algebra)
    elif isinstance(e, Product):
        yield from double_angles(e, algebra)


def half_angles(e: Sum, algebra: Algebra) -> Iterator[Expression]:
    """`1 - cos(u)` is `2*sin(u/2)^2`, and `1 + cos(u)` is `2*cos(u/2)^2`."""
    for c, term in e.terms:
        if isinstance(term, Call) and term.code == COS and same(abs(c), abs(e.constant)):
            half = algebra.sum([(0.5, term.arguments[0])])
            function = algebra.call(COS if c * e.constant > 0.0 else SIN, half)
            rest = [pair for pair in e.terms if pair[1] is not term]
            yield algebra.sum([*rest, (2.0 * e.constant, algebra.power(function, 2.0))])


def squares(e: Sum, algebra: Algebra) -> Iterator[Expression]:
    """`k + c*sin(u)^2` with `cos(u)^2 = 1 - sin(u)^2`, and with the double angle."""
    for c, term in e.terms:
        found = _squared(term)
        if found is None:
            continue
        code, u = found
        rest = [pair for pair in e.terms if pair[1] is not term]
        other = algebra.power(algebra.call(COS if code == SIN else SIN, u), 2.0)
        yield algebra.sum([*rest, (-c, other)], e.constant + c)
        double = algebra.call(COS, algebra.sum([(2.0, u)]))
        yield algebra.sum([*rest, ((-0.5 if code == SIN else 0.5) * c, double)], e.constant + 0.5 * c)


def _squared(term: Expression) -> tuple[int, Expression] | None:
    if isinstance(term, Product) and len(term.factors) == 1 and term.factors[0][1] == 2.0:
        base = term.factors[0][0]
        if isinstance(base, Call) and base.code in (SIN, COS):
            return base.code, base.arguments[0]
    return None


def angle_sums(e: Sum, algebra: Algebra) -> Iterator[Expression]:
    """`sin(u)*cos(v) + cos(u)*sin(v)` is `sin(u + v)`, `cos(u)*cos(v) - sin(u)*sin(v)` is `cos(u + v)`."""
    pairs = [(c, term, found) for c, term in e.terms for found in [_two_waves(term)] if found is not None]
    for i, (c, first, (code_u, u, code_v, v)) in enumerate(pairs):
        for d, second, (code_s, s, code_t, t) in pairs[i + 1 :]:
            if (s, t) != (u, v):
                s, t, code_s, code_t = t, s, code_t, code_s
            if (s, t) != (u, v) or not same(abs(c), abs(d)) or code_s == code_u or code_t == code_v:
                continue
            rest = [pair for pair in e.terms if pair[1] is not first and pair[1] is not second]
            sign = 1.0 if c * d > 0.0 else -1.0
            if code_u != code_v:  # sin(u)*cos(v) with cos(u)*sin(v)
                lead = c if code_u == SIN else d
                inside = algebra.sum([(1.0, u), (sign, v)])
                whole = algebra.call(SIN, inside)
            else:  # cos(u)*cos(v) with sin(u)*sin(v)
                lead = c if code_u == COS else d
                inside = algebra.sum([(1.0, u), (-sign, v)])
                whole = algebra.call(COS, inside)
            yield algebra.sum([*rest, (lead, whole)], e.constant)


def _two_waves(term: Expression) -> tuple[int, Expression, int, Expression] | None:
    if not isinstance(term, Product) or len(term.factors) != 2:
        return None
    (a, p), (b, q) = term.factors
    if p != 1.0 or q != 1.0 or not all(isinstance(f, Call) and f.code in (SIN, COS) for f in (a, b)):
        return None
    return a.code, a.arguments[0], b.code, b.arguments[0]  # type: ignore[attr-defined]


def double_angles(e: Product, algebra: Algebra) -> Iterator[Expression]:
    """`sin(u)*cos(u)` is `sin(2*u)/2`."""
    powers = {(base.code, base.arguments[0]): n for base, n in e.factors if isinstance(base, Call)}
    for (code, u), n in powers.items():
        if code == SIN and powers.get((COS, u)) == n and is_whole(n):
            wave = algebra.call(SIN, algebra.sum([(2.0, u)]))
            pair = (Call(SIN, u), Call(COS, u))
            rest = [(base, exponent) for base, exponent in e.factors if base not in pair]
            yield algebra.product([*rest, (wave, n)], e.coefficient * 0.5**n)
