"""Lean forms: a formula without details that the data does not support.

A search leaves offsets and factors everywhere, decorations, and numbers that are nearly whole. Here a formula is
changed step by step for as long as its description gets shorter, with its constants tuned again after each step: a
constant becomes 0, 1 or a simple fraction, two constants become one, an operator is replaced by an argument, a quotient
with an offset passes through 0, a power of a sum begins at 1, or fractions are put together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.choice.description import Description, describe
from epsilex.models.choice.language import Language
from epsilex.models.polish import polish
from epsilex.models.simpler import is_simple, numbers, promised
from epsilex.programs.algebra.clearing import cleared
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.algebra.terms import (
    ADD,
    DIV,
    MUL,
    NEG,
    SUB,
    Product,
    Term,
    constant,
    factors,
    make,
    terms,
    write_product,
    write_sum,
)
from epsilex.programs.fold import Node, fold
from epsilex.programs.gradient import constant_places
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

SQUARE, SQRT, POW = (opcode(name) for name in ("square", "sqrt", "pow"))
PRUNING_ROWS = 2000  # enough to tell whether a term matters
STEPS = 8  # of tuning for a trial form
NEAR_ONE = 2.0  # times 1, or 1 over it, up to which a*b^p may be 1: that is decided by the data
LARGEST_LOG = 200.0  # of b^p, which floats hold
TRIALS, ROWS, FEW = 250, 300, 75  # total number of trial forms on ROWS rows, fewer on more, more down to FEW rows


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A program and its description."""

    nodes: tuple[Node, ...]
    description: Description

    @property
    def total(self) -> float:
        return self.description.total


@dataclass
class Bench:
    """Tunes, tidies and describes forms; no form is tried twice."""

    X: np.ndarray
    noises: Sequence[Noise]
    language: Language
    allowed: Callable[[Sequence[Node]], bool] | None = None
    tried: dict[tuple, Form | None] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        return max(20, TRIALS * ROWS // max(len(self.X), FEW))

    def described(self, nodes: Sequence[Node]) -> Form | None:
        """None if the formula is not finite on every row, or not allowed."""
        if self.allowed is not None and not self.allowed(nodes):
            return None
        found = describe(nodes, self.X, self.noises, self.language)
        return None if found is None else Form(tuple(nodes), found)

    def tuned(self, nodes: Sequence[Node], noise: Noise, fixed: frozenset[int] = frozenset(), steps: int = 20):
        """The program with all constants but the `fixed` ones tuned under a noise, then tidied."""
        places = [k for k in constant_places(nodes) if k not in fixed]
        done = polish(nodes, self.X, noise, places, steps, tape=self.language.tape)
        return self.tidy(self.language.each(done, simplify))

    def tidy(self, nodes: Sequence[Node]) -> list[Node]:
        some = self.X[:PRUNING_ROWS]
        return self.language.tidy(nodes, some)

    def best(self, nodes: Sequence[Node], noises: Sequence[Noise] | None = None, steps: int = 20) -> Form | None:
        """The best of the unchanged program and the program tuned under each noise."""
        forms = [self.described(nodes)]
        forms += [self.described(self.tuned(nodes, noise, steps=steps)) for noise in noises or self.noises]
        known = [form for form in forms if form is not None]
        return min(known, key=lambda form: form.total) if known else None

    def promised(self, form: Form) -> float:
        """The total of the description that the form may get by other constants, and simpler ones."""
        return promised(form.nodes, form.description, self.X, self.noises, self.language.jacobian)

    def shorter(self, form: Form) -> Form | None:
        """The best form one step away from this one, if its description is shorter."""
        best = form
        nothing: frozenset[int] = frozenset()
        anew = ((nodes, _simple(nodes)) for nodes in self.language.smaller(form.nodes, written_anew))
        others = ((nodes, nothing) for nodes in self.language.smaller(form.nodes, smaller))
        snapped = numbers(form.nodes, form.description, self.X, self.language.jacobian)
        for nodes, fixed in chain(snapped, anew, others):  # none is made that will not be tried
            key = (tuple((code, column) for code, column, _ in nodes), tuple(nodes[k] for k in sorted(fixed)))
            if key not in self.tried:
                if len(self.tried) >= self.trials:
                    break
                self.tried[key] = None
                if self.allowed is None or self.allowed(self.language.each(nodes, simplify)):
                    trial = self.tuned(nodes, form.description.noise, fixed, STEPS)
                    self.tried[key] = self.described(trial)
            found = self.tried[key]
            if found is not None and found.total < best.total - 1e-9:
                best = found
        return None if best is form else best

    def descend(self, form: Form) -> Iterator[Form]:
        """Forms of ever shorter descriptions, beginning with this one."""
        current: Form | None = form
        while current is not None:
            yield current
            current = self.shorter(current)


def smaller(nodes: Sequence[Node]) -> Iterator[list[Node]]:
    """The program with one operator replaced by an argument, or one quotient that passes through 0."""
    root = fold(nodes, lambda *leaf: Term((leaf,)), lambda row, *args: make(row.opcode, *args))
    for change in (_through_zero, _arguments):
        for term in _changed(root, change):
            yield simplify(term.nodes)


def written_anew(nodes: Sequence[Node]) -> Iterator[list[Node]]:
    """The program in forms that keep its simple numbers: fractions put together, and one product a*(b + u)^p as
    (1 + u/b)^p, if a*b^p is near 1: `1607/sqrt(2589000 + f^2)`, the gain of a circuit, is `1/sqrt(1 + (f/1609)^2)`, and
    `3.1/(3.2 + u)` is `1/(1 + u/3.2)`."""
    for whole in (True, False):
        other = cleared(nodes, whole)
        if other != list(nodes):
            yield other
    root = fold(nodes, lambda *leaf: Term((leaf,)), lambda row, *args: make(row.opcode, *args))
    for term in _changed(root, _from_one):
        yield simplify(term.nodes)


def _simple(nodes: Sequence[Node]) -> frozenset[int]:
    """Places of numbers that were simplified, the 1 and bare features among them."""
    return frozenset(k for k in constant_places(nodes) if is_simple(nodes[k]))


def _from_one(term: Term) -> Iterator[Term]:
    """A product with a coefficient and a sum, without the coefficient and with 1 in the sum."""
    product = factors(term) if term.code in (MUL, DIV) else None
    if product is None or product.is_number or abs(product.coefficient) == 1.0:
        return
    for side, power in ((product.over, 1.0), (product.under, -1.0)):
        for k, factor in enumerate(side):
            found = _over_number(factor)
            others = [*product.over, *product.under]
            # A product that is 0 where u is, as x/(1 + x/b), would have a slope of 1 in the user's units.
            if found is None or any(_columns(factor) & _columns(other) for other in others if other is not factor):
                continue
            size, one = found
            at_zero = product.coefficient * size**power
            if not 1.0 / NEAR_ONE < abs(at_zero) < NEAR_ONE:
                continue
            rest = [*side[:k], one, *side[k + 1 :]]
            over, under = (rest, product.under) if side is product.over else (product.over, rest)
            yield write_product(Product(math.copysign(1.0, at_zero), 1.0, over, under, not over))


def _columns(term: Term) -> set[int]:
    return {column for code, column, _ in term.nodes if code == FEATURE}


def _over_number(term: Term) -> tuple[float, Term] | None:
    """A power of b + u, not of 1 + u, as a power of b and one of 1 + u/b; None for any other term."""
    if term.code in (SQRT, SQUARE) or (term.code == POW and term.args[1].code == CONSTANT):
        power = 0.5 if term.code == SQRT else 2.0 if term.code == SQUARE else term.args[1].constant
        found = _over_number(term.args[0])
        if found is None or (found[0] < 0.0 and not power.is_integer()):
            return None
        if abs(power * math.log(abs(found[0]))) > LARGEST_LOG:
            return None
        return found[0] ** power, make(term.code, found[1], *term.args[1:])
    parts = terms(term) if term.code in (ADD, SUB) else None
    if not parts or not parts[-1].is_number or parts[-1].coefficient == 1.0:
        return None
    number = parts[-1].coefficient
    for part in parts:
        part.scale(number, below=True)
    return number, write_sum([replace(part, above=part.coefficient, below=1.0) for part in parts])


def _changed(term: Term, change: Callable[[Term], Iterator[Term]]) -> Iterator[Term]:
    """The term with one of its parts changed."""
    yield from change(term)
    for place, argument in enumerate(term.args):
        for other in _changed(argument, change):
            yield make(term.code, *term.args[:place], other, *term.args[place + 1 :])


def _arguments(term: Term) -> Iterator[Term]:
    """Each argument of an operator, as if the other were 0 or 1."""
    for place, argument in enumerate(term.args):
        if place == 1 and term.code in (SUB, DIV):
            yield make(NEG, argument) if term.code == SUB else make(DIV, constant(1.0), argument)
        else:
            yield argument


def _through_zero(term: Term) -> Iterator[Term]:
    """The term without its value at 0, in one constant less, where no single number shows that this value is 0:

    c + d/(e + T)    c T/(e + T): saturation from 0, found over the common denominator as (c T + c e + d)/(e + T)
    c + k (T + e)^2  k (T^2 + 2 e T): a linear and a square term, found as a completed square
    """
    if term.code not in (ADD, SUB):
        return
    for offset, rest in (term.args, term.args[::-1]):
        product = factors(rest) if offset.code == CONSTANT else None
        if product is None:
            continue
        if not product.over and len(product.under) == 1:
            below = product.under[0]
            for part, _ in _beside_numbers(below):
                yield make(DIV, make(MUL, offset, part), below)
        elif not product.under and len(product.over) == 1 and product.over[0].code == SQUARE:
            for part, e in _beside_numbers(product.over[0].args[0]):
                both = make(ADD, make(SQUARE, part), make(MUL, constant(2.0 * e), part))
                yield make(MUL, constant(product.coefficient), both)


def _beside_numbers(term: Term) -> Iterator[tuple[Term, float]]:
    """The part T of T + e, T - e or e - T and the number beside it, as it is in T + e up to the sign of all."""
    if term.code in (ADD, SUB):
        for part, other in (term.args, term.args[::-1]):
            if other.code == CONSTANT and part.code != CONSTANT:
                value = other.nodes[0][2]
                yield part, value if term.code == ADD else -value
