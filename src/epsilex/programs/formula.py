"""Formula text: a program in infix notation, as a person would write it.

The text is exact. Parsed and evaluated, it gives the program's values to the last bit. Brackets are dropped, minus
signs moved and arguments swapped only where IEEE arithmetic gives the same result. So `a + (b + c)` is written
`b + c + a`, while `(a + b) + (c + d)` keeps one pair. Use `simplify` to reorder sums freely.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CALL, CONSTANT, NEGATION, POWER, PRODUCT, SUM, TABLE, Operator

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_NUMBERS = ("inf", "nan")  # text of a non-finite constant; the parser accepts neither


def text(nodes: Iterable[Node], names: Sequence[str] | None = None, digits: int | None = None) -> str:
    """Infix text of a program.

    Parameters
    ----------
    nodes : iterable of (opcode, feature, constant)
        The program, in postfix order.
    names : sequence of str, optional
        Feature names, by default `x0`, `x1`, ... A name that is not a plain identifier is put in backticks.
    digits : int, optional
        Number of significant digits of constants. By default they are exact.
    """
    return Writer(names, digits).write(nodes)


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
    """

    text: str
    level: int = CALL
    symbol: str = ""
    negative: bool = False


class Writer:
    """Writes programs as infix text, bottom up; other notations override its small methods."""

    brackets = "({})"

    def __init__(self, names: Sequence[str] | None, digits: int | None):
        if digits is not None and digits < 1:
            raise ValueError(f"digits: expected at least 1; got {digits}")
        self.names, self.digits = names, digits

    def write(self, nodes: Iterable[Node]) -> str:
        return self.signed(fold(nodes, self.leaf, self.branch))

    def number(self, value: float) -> Part:
        return Part(number(value, self.digits))

    def name(self, feature: int) -> str:
        return quoted(name_of(feature, self.names))

    def times(self, a: str, b: str) -> str:
        return f"{a}*{b}"

    def leaf(self, code: int, feature: int, constant: float) -> Part:
        factor = replace(self.number(abs(constant)), negative=math.copysign(1.0, constant) < 0.0)
        if code == CONSTANT:
            return factor
        if factor.text == "1":
            return replace(factor, text=self.name(feature))
        return Part(self.times(factor.text, self.name(feature)), PRODUCT, "*", factor.negative)

    def branch(self, row: Operator, *parts: Part) -> Part:
        writers = {SUM: self.sum, PRODUCT: self.product, NEGATION: self.negation, POWER: self.power}
        return writers.get(row.precedence, self.call)(row, *parts)  # type: ignore[operator]

    def signed(self, part: Part) -> str:
        if not part.negative:
            return part.text
        return "-" + (self.brackets.format(part.text) if part.level == SUM else part.text)

    def within(self, part: Part, level: int) -> str:
        """Text of an argument that must bind at least as tightly as `level`."""
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
        return replace(self.factors(row, a, b), negative=negative)

    def factors(self, row: Operator, a: Part, b: Part) -> Part:
        left, right = self.within(a, PRODUCT), self.within(b, PRODUCT + 1)
        return Part(self.times(left, right) if row.commutative else f"{left}/{right}", PRODUCT, row.symbol)

    def negation(self, row: Operator, a: Part) -> Part:
        return replace(a, negative=not a.negative)

    def power(self, row: Operator, a: Part, b: Part) -> Part:
        return Part(f"{self.within(a, CALL)}**{self.within(b, NEGATION)}", POWER)

    def call(self, row: Operator, *parts: Part) -> Part:
        return Part(f"{row.symbol}({', '.join(self.signed(part) for part in parts)})")
