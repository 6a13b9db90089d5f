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
from epsilex.programs.operators import CALL, CONSTANT, FEATURE, NEGATION, PRODUCT, Operator

MAX_NESTING = 6
MAX_LINE = 80

_PLAIN_CALL = re.compile(r"[\w.]+\(\{0\}(, \{1\})?\)")


@dataclass(frozen=True, slots=True)
class _Code:
    """An expression; `value` is set if it is a number, `leaf` if it may be repeated at no cost."""

    text: str
    level: int = CALL
    nesting: int = 0
    leaf: bool = False
    value: float | None = None

    def within(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


class _Source:
    """Assignments and the final expression of a program, in Python."""

    language, infinity, nan, assignment = "numpy", "np.inf", "np.nan", "{} = {}"

    def __init__(self, nodes: Iterable[Node]):
        self.lines: list[str] = []
        self.result = fold(nodes, self.leaf, self.branch)

    def column(self, feature: int) -> str:
        return f"x{feature}"

    def number(self, value: float) -> _Code:
        word = {math.inf: self.infinity, -math.inf: f"-{self.infinity}"}.get(value, repr(float(value)))
        word = self.nan if math.isnan(value) else word
        return _Code(word, NEGATION if word.startswith("-") else CALL, leaf=True, value=np.float64(value))

    def leaf(self, code: int, feature: int, constant: float) -> _Code:
        if code == CONSTANT:
            return self.number(constant)
        if constant == 1.0:
            return _Code(self.column(feature), leaf=True)
        return _Code(f"{self.number(constant).text} * {self.column(feature)}", PRODUCT, 1)

    def branch(self, row: Operator, *parts: _Code) -> _Code:
        values = [part.value for part in parts]
        if None not in values:
            with np.errstate(all="ignore"):
                return self.number(float(row.value(*values)))
        template = getattr(row, self.language)
        if template is not None:
            return self.filled(template, parts)
        if row.precedence == CALL:
            raise ValueError(f"operator {row.name!r}: expected its source, {self.language}=..., to export it; got None")
        if row.arity == 1:
            written, level = f"-{parts[0].within(CALL)}", NEGATION
        else:
            left, right = parts[0].within(row.precedence), parts[1].within(row.precedence + 1)
            written, level = f"{left} {row.symbol} {right}", row.precedence
        return self.cut(_Code(written, level, 1 + max(part.nesting for part in parts)))

    def filled(self, template: str, parts: Sequence[_Code]) -> _Code:
        """A call is written inline; any other source gets its own line, with its arguments assigned to names first."""
        if _PLAIN_CALL.fullmatch(template):
            written = _fill(template, [part.text for part in parts])
            return self.cut(_Code(written, nesting=1 + max(part.nesting for part in parts)))
        words = [(part if part.leaf else self.assign(part)).within(CALL) for part in parts]
        return self.assign(_Code(_fill(template, words)))

    def cut(self, code: _Code) -> _Code:
        return self.assign(code) if code.nesting >= MAX_NESTING or len(code.text) > MAX_LINE else code

    def assign(self, code: _Code) -> _Code:
        name = f"t{len(self.lines)}"
        self.lines.append(self.assignment.format(name, code.text))
        return _Code(name, leaf=True)


class _CSource(_Source):
    language, infinity, nan, assignment = "c", "INFINITY", "NAN", "const double {} = {};"

    def column(self, feature: int) -> str:
        return f"x[{feature}]"


def python_source(nodes: Iterable[Node], names: Sequence[str] | None = None) -> str:
    """Source of a Python module with one function, `predict(X)`: (rows, columns) in, (rows,) float64 out."""
    nodes = list(nodes)
    source = _Source(nodes)
    used = _used(nodes)
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
        *(f" * x[{k}]: {_in_c_comment(name_of(k, names))}" for k in _used(nodes)),
        " */",
        "double predict(const double *x)",
        "{",
        *(["    (void)x;"] if source.result.value is not None else []),
        *(f"    {line}" for line in source.lines),
        f"    return {source.result.text};",
        "}",
        "",
    ])  # fmt: skip


def _used(nodes: Iterable[Node]) -> list[int]:
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
