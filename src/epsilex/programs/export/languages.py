"""Programs in other programming languages, written by the printers of SymPy: a function of the columns it uses.

Every number is written with 17 digits. Whole exponents stay whole, because a negative number has no power of 2.0 in
some languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from epsilex.programs.export.symbolic import sympy_expression
from epsilex.programs.fold import Node
from epsilex.programs.formula import name_of, text
from epsilex.programs.operators import FEATURE, lookup


def language_source(nodes: Iterable[Node], language: str, names: Sequence[str] | None = None) -> str:
    """Source of a function `predict` of the columns that the formula uses, in one of `LANGUAGES`."""
    nodes = list(nodes)
    if language not in LANGUAGES:
        raise ValueError(f"language: expected one of {', '.join(LANGUAGES)}; got {language!r}")
    unknown = {row.name for row in map(lookup, {n[0] for n in nodes if n[0] > FEATURE}) if row.sympy is None}
    if unknown - {"pdiv", "plog"}:
        raise ValueError(f"operator {min(unknown)!r}: expected its SymPy form, sympy=..., to export it; got None")
    columns = sorted({feature for code, feature, _ in nodes if code == FEATURE})
    expression = sympy_expression(nodes, None, source=True)
    comment, write = LANGUAGES[language]
    told = [text(nodes, names), *(f"x{k}: {name_of(k, names)}" for k in columns)]
    head = [f"{comment} {_one_line(line)}" for line in told]
    return "\n".join([*head, write(expression, [f"x{k}" for k in columns]), ""])


def _one_line(words: str) -> str:
    return words.encode("unicode_escape").decode()


def _julia(expression, columns: list[str]) -> str:
    from sympy import julia_code

    body = julia_code(expression).replace(".*", "*").replace("./", "/").replace(".^", "^")
    return f"predict({', '.join(columns)}) = {body}"


def _r(expression, columns: list[str]) -> str:
    from sympy import rcode

    return f"predict <- function({', '.join(columns)}) {rcode(expression)}"


def _matlab(expression, columns: list[str]) -> str:
    from sympy import octave_code

    return f"function y = predict({', '.join(columns)})\n  y = {octave_code(expression)};\nend"


def _fortran(expression, columns: list[str]) -> str:
    from sympy import fcode

    body = fcode(expression, source_format="free", standard=2003)
    arguments = ", ".join(columns)
    declared = [f"  real(8), intent(in) :: {arguments}"] if columns else []
    lines = [f"real(8) function predict({arguments})", "  implicit none", *declared, f"  predict = {body}"]
    return "\n".join([*lines, "end function predict"])


def _rust(expression, columns: list[str]) -> str:
    from sympy import rust_code

    arguments = ", ".join(f"{name}: f64" for name in columns)
    body = re.sub(r"(?<![\w.])(\d+)(?=/)", r"\1.0", rust_code(expression))  # a whole number over a float is no Rust
    # A condition at the beginning of the last line would be taken for a statement.
    return f"#[allow(unused_parens)]\npub fn predict({arguments}) -> f64 {{\n    let y: f64 = {body};\n    y\n}}"


def _javascript(expression, columns: list[str]) -> str:
    from sympy import jscode

    return f"function predict({', '.join(columns)}) {{\n  return {jscode(expression)};\n}}"


LANGUAGES: dict[str, tuple[str, Callable]] = {
    "julia": ("#", _julia),
    "r": ("#", _r),
    "matlab": ("%", _matlab),
    "fortran": ("!", _fortran),
    "rust": ("//", _rust),
    "javascript": ("//", _javascript),
}
