"""Programs as a formula for a spreadsheet, such as `=A2*EXP(-(B2^2))`.

Excel differs from mathematics in two ways: a minus sign binds tighter than a power, and powers group from the left.
So signs and powers are put in brackets where a reader of mathematics needs none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from epsilex.programs.fold import Node
from epsilex.programs.formula import Part, Writer, number
from epsilex.programs.operators import CALL, POWER, PRODUCT, Operator

FUNCTIONS = {
    "sin": "SIN({0})", "cos": "COS({0})", "exp": "EXP({0})", "log": "LN({0})", "sqrt": "SQRT({0})", "abs": "ABS({0})",
    "tanh": "TANH({0})", "asin": "ASIN({0})", "acos": "ACOS({0})", "min": "MIN({0},{1})", "max": "MAX({0},{1})",
    "pdiv": "IF(ABS({1})<1E-6,1,({0})/({1}))",
    "plog": "IF(ABS({0})<1E-6,0,LN(ABS({0})))",
}  # fmt: skip
DIGITS = 15  # that Excel keeps
MAX_CHARACTERS = 8192  # of a formula in Excel


def excel(nodes: Iterable[Node], cells: Sequence[str] | None = None) -> str:
    """A formula over cells, one per column of X; by default A2, B2, ..., the first row of a table with a header.

    Numbers have the 15 digits that Excel keeps.
    """
    written = "=" + _ExcelWriter(cells).write(nodes)
    if len(written) > MAX_CHARACTERS:
        raise ValueError(
            f"formula: expected at most {MAX_CHARACTERS} characters, which Excel allows; got {len(written)}"
        )
    return written


def cell(column: int, row: int = 2) -> str:
    """The cell of a column by its number: 0 is A, 26 is AA."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row}"


class _ExcelWriter(Writer):
    def __init__(self, cells: Sequence[str] | None):
        super().__init__(None, DIGITS)
        self.cells = cells

    def decimal(self, value: float) -> Part:
        return Part(number(value, DIGITS).upper())

    def name(self, feature: int) -> str:
        if self.cells is None:
            return cell(feature)
        if feature >= len(self.cells):
            raise ValueError(f"cells: expected at least {feature + 1}, the formula uses column {feature}; got fewer")
        return self.cells[feature]

    def signed(self, part: Part) -> str:
        """A minus sign in front of a power or a product needs brackets, because it would bind to the first factor."""
        part = self.settled(part)
        if not part.negative:
            return part.text
        return f"-({part.text})" if part.level != CALL else f"-{part.text}"

    def power(self, row: Operator, a: Part, b: Part) -> Part:
        return Part(f"{self._closed(a)}^{self._closed(b)}", POWER)

    def _closed(self, part: Part) -> str:
        return self.within(part, CALL) if not part.negative else f"({self.signed(part)})"

    def negation(self, row: Operator, a: Part) -> Part:
        return replace(a, negative=not a.negative)

    def call(self, row: Operator, *parts: Part) -> Part:
        template = FUNCTIONS.get(row.name)
        if template is None:
            raise ValueError(f"operator {row.name!r}: expected one that Excel knows; it has no such function")
        words = [self.signed(part) for part in parts]
        return Part(re.sub(r"\{([01])\}", lambda match: words[int(match[1])], template), CALL)

    def within(self, part: Part, level: int) -> str:
        part = self.settled(part)
        if part.negative:
            return f"({self.signed(part)})" if level > PRODUCT else self.signed(part)
        return part.text if part.level >= level else f"({part.text})"
