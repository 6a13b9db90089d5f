"""Normal forms of sums and products, for `simplify`: constants fold, equal terms join, equal factors cancel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, opcode

SMALLEST, LARGEST = 1e-300, 1e300  # beyond this, coefficients lose digits, so such products are left alone
NOISE = 1e-15  # share of their size below which coefficients count as cancelled

ADD, SUB, MUL, DIV, NEG, INV = (opcode(name) for name in ("add", "sub", "mul", "div", "neg", "inv"))
PRODUCTS = {CONSTANT, FEATURE, MUL, DIV, NEG, INV}  # what a product is taken apart at


@dataclass(slots=True, eq=False)
class Term:
    """A part of a program: its nodes in postfix order, and its arguments. It is never changed; to freeze it would
    make it three times as slow to make."""

    nodes: tuple[Node, ...]
    args: tuple[Term, ...] = ()

    @property
    def code(self) -> int:
        return self.nodes[-1][0]

    @property
    def constant(self) -> float:
        """Value of a constant, coefficient of a feature."""
        return self.nodes[-1][2]

    def __len__(self) -> int:
        return len(self.nodes)


def constant(value: float) -> Term:
    return Term(((CONSTANT, 0, float(value) + 0.0),))  # 0 without a sign


def feature(leaf: Term, coefficient: float) -> Term:
    """The feature of a leaf, with another coefficient."""
    return Term(((FEATURE, leaf.nodes[0][1], coefficient),))


def make(code: int, *args: Term) -> Term:
    if len(args) == 2:  # in one step, because this is made most
        return Term((*args[0].nodes, *args[1].nodes, (code, 0, 0.0)), args)
    return Term((*args[0].nodes, (code, 0, 0.0)), args)


@dataclass(slots=True)
class Product:
    """`above / below * over[0] * over[1] * ... / (under[0] * ...)`; no factor is a number, product or quotient.

    Features appear without their coefficients. The two parts of the coefficient are kept apart, so that 0.3 in a
    denominator stays 0.3. `inverse` says whether the program contained an `inv`.
    """

    above: float = 1.0
    below: float = 1.0
    over: list[Term] = field(default_factory=list)
    under: list[Term] = field(default_factory=list)
    inverse: bool = False

    @property
    def coefficient(self) -> float:
        return self.above / self.below

    @property
    def key(self) -> tuple:
        """A key that ignores coefficients."""
        return _sorted_nodes(self.over), _sorted_nodes(self.under)

    @property
    def size(self) -> Product:
        """The product without its sign."""
        return Product(abs(self.above), abs(self.below), self.over, self.under, self.inverse)

    @property
    def is_number(self) -> bool:
        return not self.over and not self.under

    @property
    def is_sum(self) -> bool:
        return len(self.over) == 1 and not self.under and self.over[0].code in (ADD, SUB)

    def scale(self, value: float, below: bool = False) -> None:
        """Multiply or divide by a number; the coefficient becomes NaN if digits would be lost."""
        if below:
            self.below = _in_range(self.below * value)
        elif value == 0.0:
            self.above = 0.0
        elif self.above != 0.0:
            self.above = _in_range(self.above * value)

    def put(self, factor: Term, below: bool) -> None:
        """Add a factor, or cancel it against an equal one on the other side."""
        same, other = (self.under, self.over) if below else (self.over, self.under)
        for k, known in enumerate(other):
            if known.nodes == factor.nodes:
                del other[k]
                return
        same.append(factor)


def _sorted_nodes(parts: Sequence[Term]) -> tuple:
    if len(parts) < 2:
        return (parts[0].nodes,) if parts else ()
    return tuple(sorted([part.nodes for part in parts]))


def factors(term: Term) -> Product | None:
    """The normal form of any term as a product; None if its coefficient is out of range."""
    if term.nodes[-1][0] not in PRODUCTS:
        return Product(over=[term])
    product = Product()
    todo = [(term, False)]
    while todo:
        term, below = todo.pop()
        code, column, value = term.nodes[-1]
        if code == CONSTANT:
            product.scale(value, below)
        elif code == FEATURE:
            if value == 1.0:
                product.put(term, below)
            else:
                product.scale(value, below)
                product.put(Term(((FEATURE, column, 1.0),)), below)
        elif code in (MUL, DIV):
            todo += [(term.args[1], below != (code == DIV)), (term.args[0], below)]
        elif code == NEG:
            product.scale(-1.0, below)
            todo.append((term.args[0], below))
        elif code == INV:
            product.inverse = True
            todo.append((term.args[0], not below))
        else:
            product.put(term, below)
    return product if product.above == 0.0 or _is_in_range(product.coefficient) else None


def write_product(product: Product) -> Term:
    """A product as a term: one quotient, with its coefficient in a feature, a sum or a separate number."""
    if product.above == 0.0:
        return constant(0.0)
    under = product.under
    over, rest = _absorb(product.over, product.coefficient)
    if rest != 1.0 and (over or product.inverse):
        under, left = _absorb(under, product.below / product.above)
        rest = 1.0 if left == 1.0 else rest
    if under and not over and product.inverse and rest == 1.0:
        return make(INV, _chain(under))
    minus = rest == -1.0 and bool(over)
    if not over or (rest != 1.0 and not minus):
        over = [constant(rest), *over]
    quotient = make(DIV, _chain(over), _chain(under)) if under else _chain(over)
    return make(NEG, quotient) if minus else quotient


def terms(term: Term) -> list[Product] | None:
    """The normal form of any term as a sum, its number last; None if a coefficient is out of range."""
    products: dict[tuple, Product] = {}
    sizes: dict[tuple, float] = {}
    todo = [(term, 1.0)]
    while todo:
        term, sign = todo.pop()
        code = term.code
        if code in (ADD, SUB):
            todo += [(term.args[1], -sign if code == SUB else sign), (term.args[0], sign)]
            continue
        product = factors(term)
        if product is None:
            return None
        product.above *= sign
        coefficient = product.above / product.below
        if product.is_sum and abs(coefficient) == 1.0:
            todo.append((product.over[0], coefficient))
            continue
        key = product.key
        known = products.setdefault(key, product)
        if known is product:
            sizes[key] = abs(coefficient)
        else:
            sizes[key] += abs(coefficient)
            known.above, known.below = known.coefficient + coefficient, 1.0
    kept = []
    for key, product in products.items():
        size = abs(product.above / product.below)
        if size > NOISE * sizes[key]:
            if not SMALLEST <= size <= LARGEST:
                return None
            kept.append(product)
    return [p for p in kept if not p.is_number] + [p for p in kept if p.is_number]


def write_sum(products: Sequence[Product]) -> Term:
    """`products[0] + products[1] + ...`, starting with a product that needs no leading minus sign, if there is one."""
    if not products:
        return constant(0.0)
    first = products[0] if len(products) == 1 else max(products, key=_leads)
    total = write_product(first)
    for product in products:
        if product is not first:
            size = write_product(product.size)
            total = make(ADD if product.coefficient > 0.0 else SUB, total, size)
    return total


def _leads(product: Product) -> tuple[bool, bool]:
    """Whether a product needs no minus sign, and whether it is easily read."""
    return product.coefficient > 0.0, product.is_number or any(part.code == FEATURE for part in product.over)


def _is_in_range(value: float) -> bool:
    return SMALLEST <= abs(value) <= LARGEST


def _in_range(value: float) -> float:
    return value if _is_in_range(value) else math.nan


def _absorb(parts: list[Term], coefficient: float) -> tuple[list[Term], float]:
    """Put a coefficient into the first factor that absorbs it without another node; returns the rest of it."""
    if coefficient == 1.0:
        return parts, coefficient
    for k, part in enumerate(parts):
        if part.code == FEATURE:
            return [*parts[:k], feature(part, coefficient), *parts[k + 1 :]], 1.0
    for k, part in enumerate(parts):
        scaled = _scaled_sum(part, coefficient) if part.code in (ADD, SUB) else None
        if scaled is not None:
            return [*parts[:k], scaled, *parts[k + 1 :]], 1.0
    return parts, coefficient


def _scaled_sum(term: Term, coefficient: float) -> Term | None:
    """A sum times a coefficient, if every term already has a constant, so that no node is added."""
    products = terms(term)
    if products is None or any(abs(p.coefficient) == 1.0 and not p.is_number for p in products):
        return None
    for product in products:
        product.scale(coefficient)
    scaled = write_sum(products) if all(_is_in_range(p.coefficient) for p in products) else None
    return scaled if scaled is not None and len(scaled) <= len(term) else None


def _chain(parts: Sequence[Term]) -> Term:
    product = parts[0]
    for part in parts[1:]:
        product = make(MUL, product, part)
    return product
