"""The tree on which formulas are rewritten: numbers, features, n-ary sums, products of powers, and functions.

Nodes are immutable and compare by value. `key` orders them, so that every sum and product has one order of its parts.
Printed nodes are counted in two ways:

tokens  names, numbers and symbols of the printed text: `2*x^2` has five. A number that looks fitted counts for three,
        because `1607.7/sqrt(2584700 + f^2)` is shorter than `1/sqrt(1 + (0.000622*f)^2)`, but hides that a number is 1
length  as `epsilex.programs.length.length` counts: numbers that multiply, and exponents, belong to what they stand at
"""

from __future__ import annotations

from functools import lru_cache

from epsilex.programs.algebra.numbers import effort, symbols

SIGN = 0.25  # reading effort of a minus sign in front of a product
REVERSED = 0.2  # of a sum in another order, so that no minus sign is in front of it
NAME = 0.5  # of a name: each once, if possible
BRACKET = 0.3  # of a number in front of a sum: `2.5*x + 1.3` rather than `2.5*(x + 0.52)`
NO_COLUMN = 10**9  # the column of an expression without features


class Expression:
    """A node; subclasses set `key` and `lowest`, the lowest column they use, and count themselves."""

    __slots__ = ("_counts", "_hash", "_place", "key", "lowest")
    key: tuple

    def _made(self, key: tuple, lowest: int) -> None:
        self.key, self._hash, self.lowest = key, hash(key), lowest
        self._counts: tuple[int, int, float] | None = None
        self._place: tuple | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other) -> bool:
        return self is other or (self._hash == other._hash and self.key == other.key)

    @property
    def counts(self) -> tuple[int, int, float]:
        """Tokens, length, and how hard the numbers are to read."""
        if self._counts is None:
            self._counts = self._count()
        return self._counts

    @property
    def place(self) -> tuple:
        """Where it is written as a term of a sum: by its lowest column, higher powers first."""
        if self._place is None:
            columns = [(base.lowest, -exponent) for base, exponent in factors_of(self)]
            self._place = (*min(columns), isinstance(self, Sum), self.key)
        return self._place

    @property
    def tokens(self) -> int:
        return self.counts[0]

    @property
    def length(self) -> int:
        return self.counts[1]

    @property
    def cost(self) -> tuple:
        """What is printed, the shortest first; a fixed order decides between equals."""
        return (*self.counts, self.key)

    def _count(self) -> tuple[int, int, float]:
        raise NotImplementedError


class Number(Expression):
    __slots__ = ("value",)

    def __init__(self, value: float):
        self.value = float(value) + 0.0  # no negative zero
        self._made((0, self.value), NO_COLUMN)

    def _count(self):
        return symbols(self.value), 1, effort(self.value)


class Variable(Expression):
    __slots__ = ("column",)

    def __init__(self, column: int):
        self.column = column
        self._made((1, column), column)

    def _count(self):
        return 1, 1, NAME


class Product(Expression):
    """`coefficient * base ** exponent * ...`; the exponents are numbers."""

    __slots__ = ("coefficient", "factors")

    def __init__(self, coefficient: float, factors: tuple[tuple[Expression, float], ...]):
        self.coefficient = float(coefficient)
        self.factors = tuple(sorted(factors, key=_factor_key)) if len(factors) > 1 else factors
        key = 2, tuple([(base.key, exponent) for base, exponent in self.factors]), self.coefficient
        self._made(key, min([base.lowest for base, _ in self.factors], default=NO_COLUMN))

    def _count(self):
        tokens, length, reading, above, bracket = len(self.factors) - 1, len(self.factors) - 1, 0.0, False, False
        for base, exponent in self.factors:
            t, n, r = base.counts
            size = abs(exponent)
            if size == 1.0:
                tokens, length, reading = tokens + t, length + n, reading + r
            else:
                tokens, length = tokens + t + (1 if size == 0.5 else 1 + symbols(size)), length + n + 1
                reading += r + (0.0 if size == 0.5 else effort(size))
            above = above or exponent > 0.0
            bracket = bracket or (exponent == 1.0 and isinstance(base, Sum))
        c = abs(self.coefficient)
        if c != 1.0 and bracket:
            reading += BRACKET
        number = symbols(c)
        below = [abs(exponent) for _, exponent in self.factors if exponent < 0.0] if not above else []
        lone = len(below) == 1 and c == 1.0 and below[0] not in (0.5, 1.0)
        if below:
            tokens += 0 if lone else 1 + number  # the number above the line, and the line
            length += 1 if len(below) > 1 or below[0] == 1.0 else 0
        elif c != 1.0:
            tokens += 1 + number
        if self.coefficient == -1.0 and (above or lone):
            tokens += 1
        return tokens, length, reading + (0.0 if c == 1.0 else effort(c)) + (SIGN if self.coefficient < 0.0 else 0.0)


class Sum(Expression):
    """`constant + coefficient * term + ...`; no term is a number or a product with a coefficient."""

    __slots__ = ("constant", "terms")

    def __init__(self, constant: float, terms: tuple[tuple[float, Expression], ...]):
        self.constant = float(constant) + 0.0
        self.terms = tuple(sorted(terms, key=_term_key)) if len(terms) > 1 else terms
        key = 4, tuple([(term.key, coefficient) for coefficient, term in self.terms]), self.constant
        self._made(key, min([term.lowest for _, term in self.terms], default=NO_COLUMN))

    def _count(self):
        tokens = length = len(self.terms) - 1
        reading, positive = 0.0, self.constant > 0.0
        for coefficient, term in self.terms:
            t, n, r = term.counts
            c = abs(coefficient)
            tokens += t + (0 if c == 1.0 else symbols(c) - 1 if is_inverse(term) else 1 + symbols(c))
            length += n
            reading += r + (0.0 if c == 1.0 else effort(c) + (BRACKET if isinstance(term, Sum) else 0.0))
            positive = positive or coefficient > 0.0
        if self.constant != 0.0:
            number = symbols(abs(self.constant))
            tokens, length, reading = tokens + 1 + number, length + 2, reading + effort(abs(self.constant))
        return tokens + (not positive), length, reading + (REVERSED if leading(self) < 0.0 else 0.0)


class Call(Expression):
    """An operator of the table, applied to expressions."""

    __slots__ = ("arguments", "code")

    def __init__(self, code: int, *arguments: Expression):
        self.code, self.arguments = code, arguments
        key = 3, code, tuple([argument.key for argument in arguments])
        self._made(key, min([argument.lowest for argument in arguments], default=NO_COLUMN))

    def _count(self):
        parts = [argument.counts for argument in self.arguments]
        return (1 + sum(p[0] for p in parts), 1 + sum(p[1] for p in parts), sum(p[2] for p in parts))


ZERO, ONE = Number(0.0), Number(1.0)


def is_inverse(expression: Expression) -> bool:
    """Whether it is printed as `1/...`, so that a coefficient takes the place of the 1."""
    return isinstance(expression, Product) and all(exponent < 0.0 for _, exponent in expression.factors)


def _factor_key(pair):
    return pair[0].key, pair[1]


def _term_key(pair):
    return pair[1].key, pair[0]


@lru_cache(maxsize=4096)
def is_whole(number: float) -> bool:
    return float(number).is_integer()


def factors_of(e: Expression) -> tuple[tuple[Expression, float], ...]:
    return e.factors if isinstance(e, Product) else ((e, 1.0),)


def leading(a: Sum) -> float:
    """The coefficient of the term that is written first, if signs do not matter."""
    return min(a.terms, key=place)[0] if len(a.terms) > 1 else a.terms[0][0]


def place(item: tuple[float, Expression]) -> tuple:
    """Where a term of a sum is written."""
    return item[1].place
