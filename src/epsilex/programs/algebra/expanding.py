"""Products of sums multiplied out, and sums of fractions over one denominator."""

from __future__ import annotations

from epsilex.programs.algebra.arithmetic import Algebra, raw_product, split
from epsilex.programs.algebra.expression import ONE, Expression, Product, Sum, factors_of, is_whole

MOST_TERMS = 48  # of an expanded sum
HIGHEST = 4  # power of a sum that is multiplied out

Terms = list[tuple[float, Expression]]


def expanded(e: Expression, algebra: Algebra) -> Expression | None:
    """The expression multiplied out; None if nothing is to be done, or too much."""
    found = _terms(e, algebra)
    return None if found is None else algebra.sum(found)


def _terms(e: Expression, algebra: Algebra) -> Terms | None:
    if isinstance(e, Product):
        return _of_product(e, algebra)
    if not isinstance(e, Sum):
        return None
    result: Terms = [(e.constant, ONE)]
    changed = False
    for c, term in e.terms:
        inner = _terms(term, algebra)
        changed = changed or inner is not None
        result += [(c * k, part) for k, part in inner] if inner is not None else [(c, term)]
        if len(result) > MOST_TERMS:
            return None
    return result if changed else None


def _of_product(e: Product, algebra: Algebra) -> Terms | None:
    rest, sums = [], []
    for base, exponent in e.factors:
        if isinstance(base, Sum) and is_whole(exponent) and 0.0 < exponent <= HIGHEST:
            sums += [base] * int(exponent)
        else:
            rest.append((base, exponent))
    if not sums:
        return None
    result: Terms = [split(algebra.product(rest, e.coefficient))]
    for one in sums:
        parts = [(one.constant, ONE), *one.terms] if one.constant else list(one.terms)
        if len(result) * len(parts) > MOST_TERMS:
            return None
        products = [(c * k, algebra.multiplied(x, y)) for c, x in result for k, y in parts]
        whole = algebra.sum(products)
        result = [(whole.constant, ONE), *whole.terms] if isinstance(whole, Sum) else [split(whole)]
    return result


def together(e: Sum, algebra: Algebra) -> tuple[Expression, list[tuple[Expression, float]]] | None:
    """Numerator and denominator of a sum of fractions; None if it has no fractions."""
    below: dict[Expression, float] = {}
    for _, term in e.terms:
        for base, exponent in factors_of(term):
            if exponent < 0.0:
                below[base] = min(below.get(base, 0.0), exponent)
    if not below:
        return None
    terms: Terms = []
    for c, term in [*e.terms, *([(e.constant, ONE)] if e.constant else [])]:
        have = {} if term is ONE else dict(factors_of(term))
        if term is not ONE and len(have) < len(factors_of(term)):
            return None  # a base that may be 0 stands above and below
        for base, exponent in below.items():
            have[base] = have.get(base, 0.0) - exponent
        whole = raw_product(1.0, [(base, exponent) for base, exponent in have.items() if exponent != 0.0])
        terms.append((c, whole))
    above = algebra.sum(terms)
    return expanded(above, algebra) or above, list(below.items())
