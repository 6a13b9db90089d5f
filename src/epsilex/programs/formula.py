"""Formula text: a program in infix notation, as a person would write it.

The text is exact. Parsed and evaluated, it gives the program's values to the last bit; only `x^2` is always read as a
square, which may differ from `pow` in the last bit. Brackets are dropped, minus signs moved and arguments swapped only
where IEEE arithmetic gives the same result. So `a + (b + c)` is written `b + c + a`, while `(a + b) + (c + d)` keeps
one pair. `epsilex.programs.algebra` rewrites a program freely.

With `named`, numbers are written as in a textbook, `q1*q2/(4*pi*r^2)`: equal to the program up to rounding.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from epsilex.programs.constants import Written, named_number
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CALL, CONSTANT, NEGATION, POWER, PRODUCT, SUM, TABLE, Operator, lookup, opcode

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
DIV = opcode("div")
_NOT_NUMBERS = ("inf", "nan")  # text of a non-finite constant; the parser accepts neither


def text(
    nodes: Iterable[Node], names: Sequence[str] | None = None, digits: int | None = None,
    named: Mapping[str, float] | None = None,
) -> str:  # fmt: skip
    """Infix text of a program.

    Parameters
    ----------
    nodes : iterable of (opcode, feature, constant)
        The program, in postfix order.
    names : sequence of str, optional
        Feature names, by default `x0`, `x1`, ... A name that is not a plain identifier is put in backticks.
    digits : int, optional
        Number of significant digits of constants. By default they are exact.
    named : mapping from names to numbers, optional
        Write simple fractions, pi, e and these constants by name, where a number agrees to all its digits. An empty
        mapping allows fractions, pi and e.
    """
    return Writer(names, digits, named).write(nodes)


def number(value: float, digits: int | None = None) -> str:
    """Shortest text that reads back as `value`, rounded to `digits` significant digits if given."""
    if digits is not None:
        value = float(f"{value:.{digits}g}")
    return repr(float(value)).removesuffix(".0")


def name_of(feature: int, names: Sequence[str] | None) -> str:
    """Name of a column; `x` and its number if there are no names."""
    if names is None:
        return f"x{feature}"
    if feature >= len(names):
        raise ValueError(f"names: expected at least {feature + 1}, the program uses column {feature}; got {len(names)}")
    return str(names[feature])


def quoted(name: str) -> str:
    """The name as written in formula text: in backticks unless it is a plain identifier without another meaning."""
    if _PLAIN_NAME.fullmatch(name) and name not in _NOT_NUMBERS and all(name != row.symbol for row in TABLE):
        return name
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class Part:
    """Text of a part of a program, with its minus sign kept apart.

    level   binding strength of the outermost symbol: SUM, PRODUCT, POWER or CALL
    symbol  that symbol, of a sum or product
    below   numbers that are still to be written under the fraction line of the product that it belongs to
    one     whether it is the number 1, perhaps rounded, which a product does not need
    """

    text: str
    level: int = CALL
    symbol: str = ""
    negative: bool = False
    below: tuple[str, ...] = ()
    one: bool = False


class Writer:
    """Writes programs as infix text, bottom up; other notations override its small methods."""

    brackets = "({})"

    def __init__(self, names: Sequence[str] | None, digits: int | None, named: Mapping[str, float] | None = None):
        if digits is not None and digits < 1:
            raise ValueError(f"digits: expected at least 1; got {digits}")
        self.names, self.digits, self.named = names, digits, named
        self.taken = frozenset(map(str, names or ()))

    def write(self, nodes: Iterable[Node]) -> str:
        return self.signed(fold(nodes, self.leaf, self.branch))

    def number(self, value: float) -> Part:
        """A number that is not negative."""
        known = None if self.named is None else named_number(value, self.named, self.taken)
        if known is None or known.is_plain:
            return self.decimal(value)
        return self.fraction(known)

    def decimal(self, value: float) -> Part:
        shown = number(value, self.digits)
        return Part(shown, one=shown == "1" and self.digits is not None)

    def fraction(self, known: Written) -> Part:
        over = [self.symbol(factor) for factor in known.over]
        whole = self.times(*over) if len(over) == 2 else over[0] if over else "1"
        level = PRODUCT if len(over) > 1 else POWER if over and "^" in over[0] else CALL
        return Part(
            whole,
            level,
            "*" if level == PRODUCT else "",
            below=tuple(self.symbol(factor) for factor in known.under),
            one=not over,
        )

    def symbol(self, factor: str) -> str:
        """A factor of a number: digits, the name of a constant, or a root."""
        return factor

    def name(self, feature: int) -> str:
        return quoted(name_of(feature, self.names))

    def times(self, a: str, b: str) -> str:
        return f"{a}*{b}"

    def over(self, a: Part, below: Sequence[str]) -> Part:
        """A part over a product of factors."""
        under = below[0]
        for factor in below[1:]:
            under = self.times(under, factor)
        under = self.brackets.format(under) if len(below) > 1 else under
        return Part(f"{self.within(a, PRODUCT)}/{under}", PRODUCT, "/")

    def settled(self, part: Part) -> Part:
        """The part with its own fraction line, if it needs one."""
        if not part.below:
            return part
        return replace(self.over(replace(part, below=(), negative=False), part.below), negative=part.negative)

    def leaf(self, code: int, feature: int, constant: float) -> Part:
        factor = replace(self.number(abs(constant)), negative=math.copysign(1.0, constant) < 0.0)
        if code == CONSTANT:
            return factor
        if factor.text == "1":
            return replace(factor, text=self.name(feature), one=False)
        return Part(self.times(factor.text, self.name(feature)), PRODUCT, "*", factor.negative, factor.below)

    def branch(self, row: Operator, *parts: Part) -> Part:
        own = {"square": self.square, "inv": self.inverse}.get(row.name)
        if own is not None:
            return own(row, *parts)
        writers = {SUM: self.sum, PRODUCT: self.product, NEGATION: self.negation, POWER: self.power}
        return writers.get(row.precedence, self.call)(row, *parts)  # type: ignore[operator]

    def signed(self, part: Part) -> str:
        part = self.settled(part)
        if not part.negative:
            return part.text
        return "-" + (self.brackets.format(part.text) if part.level == SUM else part.text)

    def within(self, part: Part, level: int) -> str:
        """Text of an argument that must bind at least as tightly as `level`."""
        part = self.settled(part)
        binds = NEGATION if part.negative and part.level != PRODUCT else part.level
        return self.signed(part) if binds >= level else self.brackets.format(self.signed(part))

    def sum(self, row: Operator, a: Part, b: Part) -> Part:
        minus = (row.symbol == "-") != b.negative
        b = replace(b, negative=False)
        if a.negative and not minus:  # -a + b
            a, b, minus = b, replace(a, negative=False), True
        if not minus and b.level == SUM and a.level != SUM:  # a + (b + c)
            a, b = b, a
        symbol = "-" if minus else "+"
        return Part(f"{self.within(a, SUM)} {symbol} {self.within(b, SUM + 1)}", SUM, symbol)

    def product(self, row: Operator, a: Part, b: Part) -> Part:
        negative = a.negative != b.negative
        a, b = replace(a, negative=False), replace(b, negative=False)
        if row.commutative and b.symbol == row.symbol and a.level != PRODUCT:  # a*(b*c)
            a, b = b, a
        if row.commutative:
            return replace(self.multiplied(row, a, b), negative=negative)
        return replace(self.divided(row, a, b), negative=negative)

    def multiplied(self, row: Operator, a: Part, b: Part) -> Part:
        """A product; numbers under the line wait for the whole product."""
        below = (*a.below, *b.below)
        a, b = replace(a, below=()), replace(b, below=())
        if a.one or b.one:
            return replace(b if a.one else a, below=below)
        return replace(self.factors(row, a, b), below=below)

    def divided(self, row: Operator, a: Part, b: Part) -> Part:
        if not a.below:
            return self.factors(row, a, self.settled(b))
        b = self.settled(b)
        inside = [b.text] if b.level >= PRODUCT and b.symbol != "/" else [self.within(b, PRODUCT + 1)]
        return self.over(replace(a, below=()), [*a.below, *inside])

    def factors(self, row: Operator, a: Part, b: Part) -> Part:
        left, right = self.within(a, PRODUCT), self.within(b, PRODUCT + 1)
        return Part(self.times(left, right) if row.commutative else f"{left}/{right}", PRODUCT, row.symbol)

    def negation(self, row: Operator, a: Part) -> Part:
        return replace(a, negative=not a.negative)

    def square(self, row: Operator, a: Part) -> Part:
        return self.power(row, a, Part("2"))

    def inverse(self, row: Operator, a: Part) -> Part:
        return replace(self.divided(lookup(DIV), Part("1"), replace(a, negative=False)), negative=a.negative)

    def power(self, row: Operator, a: Part, b: Part) -> Part:
        return Part(f"{self.within(a, CALL)}^{self.within(b, NEGATION)}", POWER)

    def call(self, row: Operator, *parts: Part) -> Part:
        return Part(f"{row.symbol}({', '.join(self.signed(part) for part in parts)})")
