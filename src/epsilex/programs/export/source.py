"""Programs as standalone source code: a Python module that needs only NumPy, and a C99 function.

Operations come in the program's order, so a module computes what `evaluate64` does, to the last bit. Expressions
are cut into assignments before they grow too long or too deep for a reader or a compiler.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from epsilex.programs.fold import Node, fold
from epsilex.programs.formula import name_of, text
from epsilex.programs.operators import CALL, CONSTANT, FEATURE, NEGATION, POWER, PRODUCT, Operator

MAX_NESTING = 6
MAX_LINE = 80

# Sources that may stand within an expression: a function, a method, a power.
_SECOND = r"(\{1\}|\(?-?\d+\)?)"
_FUNCTION = re.compile(rf"[\w.:]+\(\{{0\}}(, {_SECOND})?\)")
_METHOD = re.compile(rf"\{{0\}}\.\w+\({_SECOND}?\)")
_POWER = re.compile(rf"\{{0\}}(\^|\.\^|\*\*){_SECOND}")


@dataclass(frozen=True, slots=True)
class Code:
    """An expression; `value` is set if it is a number, `leaf` if it may be repeated at no cost."""

    text: str
    level: int = CALL
    nesting: int = 0
    leaf: bool = False
    value: float | None = None

    def within(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


class Source:
    """Assignments and the final expression of a program, in Python; other languages override its small methods."""

    language, infinity, nan, assignment = "numpy", "np.inf", "np.nan", "{} = {}"
    negation = NEGATION  # binding strength of a minus sign

    def __init__(self, nodes: Iterable[Node]):
        self.lines: list[str] = []
        self.result = fold(nodes, self.leaf, self.branch)

    def column(self, feature: int) -> str:
        return f"x{feature}"

    def number(self, value: float) -> Code:
        word = {math.inf: self.infinity, -math.inf: f"-{self.infinity}"}.get(value, self.decimal(value))
        word = self.nan if math.isnan(value) else word
        return Code(word, self.negation if word.startswith("-") else CALL, leaf=True, value=np.float64(value))

    def decimal(self, value: float) -> str:
        return repr(float(value))

    def template(self, row: Operator, values: Sequence[float | None]) -> str | None:
        """Source of an operator; None if it is its symbol. `values` are those of the arguments that are numbers."""
        template = getattr(row, self.language)
        if template is None and row.precedence == CALL:
            raise ValueError(f"operator {row.name!r}: expected its source, {self.language}=..., to export it; got None")
        return template

    def symbol(self, row: Operator) -> str:
        return row.symbol

    def leaf(self, code: int, feature: int, constant: float) -> Code:
        if code == CONSTANT:
            return self.number(constant)
        if constant == 1.0:
            return Code(self.column(feature), leaf=True)
        factor = self.number(constant)
        return Code(f"{factor.text} * {self.column(feature)}", min(PRODUCT, factor.level), 1)

    def branch(self, row: Operator, *parts: Code) -> Code:
        values = [part.value for part in parts]
        if None not in values:
            with np.errstate(all="ignore"):
                return self.number(float(row.value(*values)))
        template = self.template(row, values)
        if template is not None:
            return self.filled(template, parts)
        if row.arity == 1:
            written, level = f"-{parts[0].within(CALL)}", self.negation
        else:
            left, right = parts[0].within(row.precedence), parts[1].within(row.precedence + 1)
            written, level = f"{left} {self.symbol(row)} {right}", row.precedence
        return self.cut(Code(written, level, 1 + max(part.nesting for part in parts)))

    def filled(self, template: str, parts: Sequence[Code]) -> Code:
        """A call is written inline; any other source gets its own line, with its arguments assigned to names first."""
        inline = next((kind for kind in (_FUNCTION, _METHOD, _POWER) if kind.fullmatch(template)), None)
        if inline is not None:
            words = [part.text if inline is _FUNCTION else part.within(CALL) for part in parts]
            level = POWER if inline is _POWER else CALL
            return self.cut(Code(_fill(template, words), level, 1 + max(part.nesting for part in parts)))
        words = [(part if part.leaf else self.assign(part)).within(CALL) for part in parts]
        return self.assign(Code(_fill(template, words)))

    def cut(self, code: Code) -> Code:
        return self.assign(code) if code.nesting >= MAX_NESTING or len(code.text) > MAX_LINE else code

    def assign(self, code: Code) -> Code:
        name = f"t{len(self.lines)}"
        self.lines.append(self.assignment.format(name, code.text))
        return Code(name, leaf=True)


class _CSource(Source):
    language, infinity, nan, assignment = "c", "INFINITY", "NAN", "const double {} = {};"

    def column(self, feature: int) -> str:
        return f"x[{feature}]"


def python_source(nodes: Iterable[Node], names: Sequence[str] | None = None) -> str:
    """Source of a Python module with one function, `predict(X)`: (rows, columns) in, (rows,) float64 out."""
    nodes = list(nodes)
    source = Source(nodes)
    used = used_columns(nodes)
    head = [
        '"""One formula, as a function of a NumPy array."""',
        "",
        "import numpy as np",
        "",
        "",
        "def predict(X):",
        f'    """Values of the formula for each row of X.\n\n    {_in_docstring(text(nodes, names))}\n',
        *(["    Columns of X, by position:"] if used else []),
        *(f"    {k}: {_in_docstring(name_of(k, names))}" for k in used),
        '    """',
        "    X = np.asarray(X, dtype=np.float64)",
    ]
    if names is not None:
        head += [
            f"    if X.ndim != 2 or X.shape[1] != {len(names)}:",
            f'        raise ValueError(f"X: expected {len(names)} columns; got shape {{X.shape}}")',
        ]
    if source.result.value is not None:
        return "\n".join([*head, f"    return np.full(len(X), {source.result.text})", ""])
    columns = [f"    x{k} = X[:, {k}].copy()" for k in used]  # contiguous: the same bits for any layout of X
    body = ['    with np.errstate(all="ignore"):', *(f"        {line}" for line in source.lines)]
    return "\n".join([*head, *columns, *body, f"        return {source.result.text}", ""])


def c_source(nodes: Iterable[Node], names: Sequence[str] | None = None) -> str:
    """Source of a C99 function, `double predict(const double *x)`, of the columns of one row."""
    nodes = list(nodes)
    source = _CSource(nodes)
    return "\n".join([
        "#include <math.h>",
        "",
        f"/* {_in_c_comment(text(nodes, names))}",
        " *",
        *(f" * x[{k}]: {_in_c_comment(name_of(k, names))}" for k in used_columns(nodes)),
        " */",
        "double predict(const double *x)",
        "{",
        *(["    (void)x;"] if source.result.value is not None else []),
        *(f"    {line}" for line in source.lines),
        f"    return {source.result.text};",
        "}",
        "",
    ])  # fmt: skip


def used_columns(nodes: Iterable[Node]) -> list[int]:
    return sorted({feature for code, feature, _ in nodes if code == FEATURE})


def _fill(template: str, words: Sequence[str]) -> str:
    return re.sub(rf"\{{([0-{len(words) - 1}])\}}", lambda match: words[int(match[1])], template)


def _in_docstring(words: str) -> str:
    """Text that cannot end its docstring or its line; at run time it reads as the same text."""
    safe = words.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in safe)


def _in_c_comment(words: str) -> str:
    """ASCII text that cannot end its comment or its line."""
    return words.encode("unicode_escape").decode().replace("*/", "* /").replace("/*", "/ *")
