"""The shortest form: a best-first search over rewritings, from the parts to the whole.

Every part is replaced by its best form before the whole is looked at. At one node the search starts from the normal
form and from the form multiplied out, always goes on from the shortest form found so far, and ends after `POPS` forms
or when the budget of the whole formula is spent; the best so far is the answer.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from epsilex.programs.algebra.angles import rewritten_angles
from epsilex.programs.algebra.arithmetic import Algebra, Refused
from epsilex.programs.algebra.expanding import expanded
from epsilex.programs.algebra.expression import Call, Expression, Number, Product, Sum, Variable
from epsilex.programs.algebra.products import rewritten_calls, rewritten_products
from epsilex.programs.algebra.sums import rewritten_sums

POPS = 6  # forms of one part that are rewritten further
SLACK = 4  # tokens by which a form may be longer than the best and still be rewritten
BUDGET = 300  # forms looked at in one formula


class Search:
    def __init__(self, algebra: Algebra, budget: int = BUDGET):
        self.algebra, self.budget = algebra, budget
        self.known: dict[Expression, Expression] = {}

    def best(self, e: Expression) -> Expression:
        """The shortest form of an expression."""
        if isinstance(e, (Number, Variable)):
            return e
        if e not in self.known:
            self.known[e] = e  # a form that comes back to itself is no shorter
            found = self._searched(self._with_best_parts(e), e)
            self.known[e] = found
            self.known.setdefault(found, found)
        return self.known[e]

    def _searched(self, e: Expression, original: Expression) -> Expression:
        best = min(e, original, key=_cost)
        heap, seen = [(e.cost, e)], {e}
        for start in self._starts(e):
            if start not in seen:
                seen.add(start)
                heapq.heappush(heap, (start.cost, start))
        for _ in range(POPS):
            if not heap or self.budget <= 0:
                break
            _, form = heapq.heappop(heap)
            best = min(best, form, key=_cost)
            if form.tokens > best.tokens + SLACK:
                break
            for other in self._neighbours(form):
                self.budget -= 1
                if other not in seen:
                    seen.add(other)
                    heapq.heappush(heap, (other.cost, other))
        if heap:
            best = min(best, heap[0][1], key=_cost)
        return best

    def _starts(self, e: Expression) -> Iterator[Expression]:
        try:
            whole = expanded(e, self.algebra)
        except Refused:
            return
        if whole is not None:
            yield whole

    def _neighbours(self, e: Expression) -> Iterator[Expression]:
        """Forms that one rewriting makes of the whole expression; those that are refused are left out."""
        found: list[Iterator[Expression]] = [rewritten_angles(e, self.algebra)]
        if isinstance(e, Sum):
            found.append(rewritten_sums(e, self.algebra, self.best))
        elif isinstance(e, Product):
            found.append(rewritten_products(e, self.algebra, self.best))
        elif isinstance(e, Call):
            found.append(rewritten_calls(e, self.algebra))
        for forms in found:
            try:
                yield from forms
            except (Refused, OverflowError, ZeroDivisionError):
                continue

    def _with_best_parts(self, e: Expression) -> Expression:
        best, algebra = self.best, self.algebra
        try:
            if isinstance(e, Sum):
                return algebra.sum([(c, best(term)) for c, term in e.terms], e.constant)
            if isinstance(e, Product):
                return algebra.product([(best(base), exponent) for base, exponent in e.factors], e.coefficient)
            assert isinstance(e, Call)
            parts = [best(part) for part in e.arguments]
            return algebra.call(e.code, *parts) if e.code > 0 else e
        except (Refused, OverflowError, ZeroDivisionError):
            return e


def _cost(e: Expression) -> tuple:
    return e.cost
