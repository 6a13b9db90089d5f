"""Programs in other programming languages: a function `predict` of the columns that the formula uses.

Operations come in the program's order, as in `source`, and numbers have all their digits. Operators are written by the
printers of SymPy, except those that differ from NumPy's in a language: a logarithm of a negative number is NaN, not an
error or a complex number, and the smaller of a number and NaN is NaN. Only a fractional power of minus infinity is NaN
in Julia, MATLAB and R, and a number in NumPy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from textwrap import indent, wrap
from typing import ClassVar

from epsilex.programs.export.source import Source, used_columns
from epsilex.programs.fold import Node
from epsilex.programs.formula import name_of, text
from epsilex.programs.operators import PRODUCT, SUM, Operator

MAX_EXPONENT = 1000  # whole exponents up to this are written without a decimal point
FORTRAN_LINE = 100


def language_source(nodes: Iterable[Node], language: str, names: Sequence[str] | None = None) -> str:
    """Source of a function `predict` of the columns that the formula uses, in one of `LANGUAGES`."""
    nodes = list(nodes)
    if language not in LANGUAGES:
        raise ValueError(f"language: expected one of {', '.join(LANGUAGES)}; got {language!r}")
    source = LANGUAGES[language](nodes)
    columns = used_columns(nodes)
    told = [text(nodes, names), *(f"x{k}: {name_of(k, names)}" for k in columns)]
    head = [f"{source.comment} {_one_line(line)}" for line in told]
    return "\n".join([*head, source.function([f"x{k}" for k in columns]), ""])


def _one_line(words: str) -> str:
    return words.encode("unicode_escape").decode()


@cache
def _printed(row: Operator, printer: str, settings: tuple[tuple[str, object], ...]) -> str:
    """An operator by a printer of SymPy, with `{0}` and `{1}` for its arguments."""
    import sympy as sp

    symbols = [sp.Symbol(f"argument{k}", real=True) for k in range(row.arity)]
    expression = sp.nfloat(row.sympy(sp, *symbols), 17, exponent=False)  # type: ignore[misc]
    written = getattr(sp, printer)(expression, **dict(settings))
    return re.sub(r"\bargument([01])\b", r"{\1}", written)


def _kind(name: str, values: Sequence[float | None]) -> str:
    """The operator's name, or a kind of it that can be written more simply.

    exponential  a power of a positive number
    root         a power whose exponent is a number that is not whole
    share        a protected division by a number that is not small
    """
    first, last = values[0], values[-1]
    if name == "pow" and first is not None and first > 0.0:
        return "exponential"
    if name == "pow" and last is not None and not last.is_integer():
        return "root"
    return "share" if name == "pdiv" and last is not None and abs(last) >= 1e-6 else name


class _Language(Source):
    """A language that SymPy prints.

    operators  source of the operators that SymPy does not print, or that differ from NumPy's, and of kinds of them
    whole      a power with a whole exponent
    helpers    functions that `operators` call, by name
    """

    comment = "//"
    printer = ""
    settings: ClassVar[dict[str, object]] = {}
    operators: ClassVar[dict[str, str]] = {}
    whole = "{0}^{1}"
    helpers: ClassVar[dict[str, str]] = {}

    def template(self, row: Operator, values: Sequence[float | None]) -> str | None:
        exponent = {"square": 2.0, "pow": values[-1]}.get(row.name)
        if exponent is not None and exponent.is_integer() and abs(exponent) <= MAX_EXPONENT:
            digits = f"{exponent:.0f}"
            return self.whole.replace("{1}", f"({digits})" if exponent < 0.0 and self.whole[-1] == "}" else digits)
        for name in (_kind(row.name, values), row.name):
            if name in self.operators:
                return self.operators[name]
        if row.infix or row.name == "neg":
            return None
        if row.sympy is None:
            raise ValueError(f"operator {row.name!r}: expected its SymPy form, sympy=..., to export it; got None")
        return _printed(row, self.printer, tuple(self.settings.items()))

    def function(self, columns: list[str]) -> str:
        """Source of the function."""
        raise NotImplementedError

    def called(self) -> list[str]:
        """Source of the helpers that are called."""
        body = "\n".join([*self.lines, self.result.text])
        return [code for name, code in self.helpers.items() if f"{name}(" in body]


class _Julia(_Language):
    comment, printer, infinity, nan = "#", "julia_code", "Inf", "NaN"
    operators: ClassVar[dict[str, str]] = {
        "sin": "isinf({0}) ? NaN : sin({0})",
        "cos": "isinf({0}) ? NaN : cos({0})",
        "log": "{0} < 0 ? NaN : log({0})",
        "sqrt": "{0} < 0 ? NaN : sqrt({0})",
        "asin": "abs({0}) > 1 ? NaN : asin({0})",
        "acos": "abs({0}) > 1 ? NaN : acos({0})",
        "min": "min({0}, {1})",
        "max": "max({0}, {1})",
        "pow": "{0} < 0 && isfinite({1}) && !isinteger({1}) ? NaN : {0}^{1}",
        "exponential": "{0}^{1}",
        "root": "{0} < 0 ? NaN : {0}^{1}",
        "inv": "1.0 / {0}",
        "pdiv": "abs({1}) < 1e-6 ? 1.0 : {0} / {1}",
        "plog": "abs({0}) < 1e-6 ? 0.0 : log(abs({0}))",
    }

    def template(self, row: Operator, values: Sequence[float | None]) -> str | None:
        template = super().template(row, values)
        return None if template is None else re.sub(r"\.([*/^])", r"\1", template)  # a function of numbers

    def function(self, columns: list[str]) -> str:
        body = [*self.lines, f"return {self.result.text}"]
        return f"function predict({', '.join(columns)})\n{indent(chr(10).join(body), '    ')}\nend"


class _R(_Language):
    comment, printer, infinity, nan, assignment = "#", "rcode", "Inf", "NaN", "{} <- {}"
    operators: ClassVar[dict[str, str]] = {
        "min": "pmin({0}, {1})",
        "max": "pmax({0}, {1})",
        "pow": "{0}^{1}",
        "inv": "1.0 / {0}",
        "share": "{0} / {1}",
        "pdiv": "ifelse(abs({1}) < 1e-6 & !is.nan({1}), 1.0, {0} / {1})",
        "plog": "ifelse(abs({0}) < 1e-6 & !is.nan({0}), 0.0, log(abs({0})))",
    }

    def function(self, columns: list[str]) -> str:
        body = [*self.lines, self.result.text]
        return f"predict <- function({', '.join(columns)}) {{\n{indent(chr(10).join(body), '  ')}\n}}"


class _Matlab(_Language):
    comment, printer, infinity, nan, assignment = "%", "octave_code", "Inf", "NaN", "{} = {};"
    whole = "{0}.^{1}"
    operators: ClassVar[dict[str, str]] = {
        "log": "log(choose({0} >= 0, {0}, NaN))",
        "sqrt": "sqrt(choose({0} >= 0, {0}, NaN))",
        "asin": "asin(choose(abs({0}) <= 1, {0}, NaN))",
        "acos": "acos(choose(abs({0}) <= 1, {0}, NaN))",
        "min": "choose({0} <= {1} | isnan({0}), {0}, {1})",
        "max": "choose({0} >= {1} | isnan({0}), {0}, {1})",
        "pow": "realpower({0}, {1})",
        "exponential": "{0}.^{1}",
        "root": "choose({0} >= 0, {0}, NaN).^{1}",
        "inv": "1.0 ./ {0}",
        "pdiv": "choose(abs({1}) < 1e-6, 1.0, {0} ./ {1})",
        "plog": "choose(abs({0}) < 1e-6, 0.0, log(abs({0})))",
    }
    helpers: ClassVar[dict[str, str]] = {
        "realpower": """\
function y = realpower(a, b)
  % NaN where the power would be complex
  power = abs(a) .^ b;
  y = choose(a < 0 & mod(b, 2) == 1, -power, power);
  y = choose(a < 0 & abs(b) < Inf & b ~= round(b), NaN, y);
end""",
        "choose": """\
function y = choose(condition, a, b)
  % a where the condition holds, else b
  zero = zeros(size(condition + a + b));
  condition = condition + zero > 0;
  y = b + zero;
  a = a + zero;
  y(condition) = a(condition);
end""",
    }

    def symbol(self, row: Operator) -> str:
        return f".{row.symbol}" if row.precedence == PRODUCT else row.symbol

    def called(self) -> list[str]:
        called = super().called()
        return list(self.helpers.values()) if self.helpers["realpower"] in called else called

    def function(self, columns: list[str]) -> str:
        body = [*self.lines, f"y = {self.result.text};"]
        main = f"function y = predict({', '.join(columns)})\n{indent(chr(10).join(body), '  ')}\nend"
        return "\n\n".join([main, *self.called()])


class _Fortran(_Language):
    comment, printer = "!", "fcode"
    settings: ClassVar[dict[str, object]] = {"source_format": "free", "standard": 2003}
    infinity, nan = "ieee_value(1.0d0, ieee_positive_inf)", "ieee_value(1.0d0, ieee_quiet_nan)"
    negation = SUM  # Fortran knows no sign after another symbol
    whole = "{0}**{1}"
    operators: ClassVar[dict[str, str]] = {
        "min": "merge({0}, {1}, {0} <= {1} .or. {0} /= {0})",
        "max": "merge({0}, {1}, {0} >= {1} .or. {0} /= {0})",
        "pow": "{0}**{1}",
        "inv": "1.0d0 / {0}",
        "pdiv": "merge(1.0d0, {0} / {1}, abs({1}) < 1.0d-6)",
        "plog": "merge(0.0d0, log(abs({0})), abs({0}) < 1.0d-6)",
    }

    def template(self, row: Operator, values: Sequence[float | None]) -> str | None:
        template = super().template(row, values)
        return None if template is None else re.sub(r" *&\n *", " ", template)

    def decimal(self, value: float) -> str:
        digits = repr(float(value))
        return digits.replace("e", "d") if "e" in digits else f"{digits}d0"

    def function(self, columns: list[str]) -> str:
        names = [f"t{k}" for k in range(len(self.lines))]
        body = [*self.lines, f"predict = {self.result.text}"]
        special = [name for name in ("ieee_positive_inf", "ieee_quiet_nan") if name in "\n".join(body)]
        lines = [
            _continued(f"real(8) function predict({', '.join(columns)})"),
            *([f"  use, intrinsic :: ieee_arithmetic, only: {', '.join(['ieee_value', *special])}"] if special else []),
            "  implicit none",
            *([_continued(f"  real(8), intent(in) :: {', '.join(columns)}")] if columns else []),
            *([_continued(f"  real(8) :: {', '.join(names)}")] if names else []),
            *(_continued(f"  {line}") for line in body),
        ]
        return "\n".join([*lines, "end function predict"])


def _continued(line: str) -> str:
    """A statement on lines that are short enough."""
    return " &\n".join(wrap(line, FORTRAN_LINE, drop_whitespace=False, subsequent_indent="    "))


class _Rust(_Language):
    printer, infinity, nan, assignment = "rust_code", "f64::INFINITY", "f64::NAN", "let {}: f64 = {};"
    whole = "{0}.powi({1})"
    operators: ClassVar[dict[str, str]] = {
        "min": "if {0} <= {1} || f64::is_nan({0}) { {0} } else { {1} }",
        "max": "if {0} >= {1} || f64::is_nan({0}) { {0} } else { {1} }",
        "pow": "f64::powf({0}, {1})",
        "inv": "1.0 / {0}",
        "pdiv": "if f64::abs({1}) < 1e-6 { 1.0 } else { {0} / {1} }",
        "plog": "if f64::abs({0}) < 1e-6 { 0.0 } else { f64::ln(f64::abs({0})) }",
    }

    def filled(self, template, parts):
        """A number that stands before a method gets a name, because its type is unknown."""
        named = (self.assign(part) if part.value is not None else part for part in parts)
        return super().filled(template, list(named) if re.search(r"\}\.", template) else parts)

    def function(self, columns: list[str]) -> str:
        arguments = ", ".join(f"{name}: f64" for name in columns)
        body = [*self.lines, self.result.text]
        return f"pub fn predict({arguments}) -> f64 {{\n{indent(chr(10).join(body), '    ')}\n}}"


class _JavaScript(_Language):
    printer, infinity, nan, assignment = "jscode", "Infinity", "NaN", "const {} = {};"
    whole = "Math.pow({0}, {1})"
    operators: ClassVar[dict[str, str]] = {
        "pow": "power({0}, {1})",
        "root": "Math.pow({0}, {1})",
        "inv": "1.0 / {0}",
        "pdiv": "Math.abs({1}) < 1e-6 ? 1.0 : {0} / {1}",
        "plog": "Math.abs({0}) < 1e-6 ? 0.0 : Math.log(Math.abs({0}))",
    }
    helpers: ClassVar[dict[str, str]] = {
        "power": "const power = (a, b) => (a === 1 ? 1 : Math.pow(a, b)); // also where b is NaN",
    }

    def function(self, columns: list[str]) -> str:
        body = [*self.called(), *self.lines, f"return {self.result.text};"]
        return f"function predict({', '.join(columns)}) {{\n{indent(chr(10).join(body), '  ')}\n}}"


LANGUAGES: dict[str, type[_Language]] = {
    "julia": _Julia,
    "r": _R,
    "matlab": _Matlab,
    "fortran": _Fortran,
    "rust": _Rust,
    "javascript": _JavaScript,
}
