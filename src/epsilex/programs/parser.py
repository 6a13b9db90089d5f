"""The whitelist parser: formula text to a program.

The grammar is that of `epsilex.programs.formula.text`: numbers, feature names (in backticks unless they are plain
identifiers), `+ - * / ^` (or `**`), unary minus, brackets, the functions of the operator table, and the constants `pi`
and `e` unless features are called so. The text is turned into postfix nodes by the shunting-yard algorithm, without
recursion; only a fraction in an exponent is computed, as in `x^(1/3)`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epsilex.programs.fold import Node
from epsilex.programs.operators import CALL, CONSTANT, FEATURE, POWER, TABLE, Operator, lookup, opcode

MAX_CHARACTERS = 100_000
MAX_NODES = 10_000
MAX_DEPTH = 1_000  # brackets and operators waiting for their argument
MAX_DIGITS = 100  # characters of one number
MAX_FEATURES = 10**9  # largest index in a name such as x12, if no names are given

MUL, DIV, NEG, POW, SQUARE = (opcode(name) for name in ("mul", "div", "neg", "pow", "square"))
CONSTANTS = {"pi": math.pi, "e": math.e}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<quoted>`(?:[^`]|``)*`)"
    r"|(?P<symbol>\*\*|[-+*/^(),])"
    r"|(?P<end>\Z))"
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # number, name, quoted, symbol, end
    text: str
    at: int


@dataclass(slots=True)
class _Bracket:
    """An open bracket, of the function `row` if it is a call."""

    row: Operator | None
    at: int
    commas: int = 0


def parse(
    text: str, names: Sequence[str] | None = None, n_features: int | None = None,
    constants: Mapping[str, float] | None = None, unknown: list[str] | None = None,
) -> list[Node]:  # fmt: skip
    """Program of a formula, as a list of (opcode, feature, constant) in postfix order.

    Parameters
    ----------
    text : str
        A formula, such as ``2.5*x0 - sin(x1)^2``. A number times a feature becomes the feature's coefficient.
    names : sequence of str, optional
        Feature names by column; by default `x0`, `x1`, ...
    n_features : int, optional
        Number of columns, if no names are given.
    constants : mapping from names to numbers, optional
        Constants by name, beside `pi` and `e`.
    unknown : list of str, optional
        Takes the plain names that are not columns, `e` among them; in the program they are features after the last
        column. Without it such a name is an error.
    """
    if not isinstance(text, str):
        raise ValueError(f"text: expected a formula as a string; got {type(text).__name__}")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"text: expected at most {MAX_CHARACTERS} characters; got {len(text)}")
    if not text.strip():
        raise ValueError("text: expected a formula; got an empty text")
    known = CONSTANTS if unknown is None else {"pi": CONSTANTS["pi"]}  # a person's own `e` is one more constant to tune
    return _Parser(text, _Columns(names, n_features, unknown), known | dict(constants or {})).run()


class _Columns:
    """Feature names to columns."""

    def __init__(self, names: Sequence[str] | None, n_features: int | None, unknown: list[str] | None = None):
        self.n_features, self.unknown = n_features, unknown
        self.by_name = None if names is None else {str(name): k for k, name in enumerate(names)}
        if names is not None and self.by_name is not None and len(self.by_name) < len(names):
            raise ValueError("names: expected each name once; got duplicates")

    def find(self, name: str) -> int | None:
        if self.by_name is not None:
            return self.by_name.get(name)
        if not re.fullmatch(r"x(0|[1-9][0-9]{0,9})", name):
            return None
        column = int(name[1:])
        return column if column < (MAX_FEATURES if self.n_features is None else self.n_features) else None

    def find_or_add(self, name: str) -> int | None:
        column = self.find(name)
        if column is not None or self.unknown is None or self.by_name is None:
            return column
        if name not in self.unknown:
            self.unknown.append(name)
        return len(self.by_name) + self.unknown.index(name)

    def known(self) -> str:
        if self.by_name is None:
            return "x0, x1, ..." if self.n_features is None else f"x0 to x{self.n_features - 1}"
        return ", ".join(_short(name) for name in list(self.by_name)[:10]) + (", ..." if len(self.by_name) > 10 else "")


class _Parser:
    """One pass over the tokens.

    nodes    the output, in postfix order
    waiting  the stack of the shunting yard: operators that wait for their last argument, and open brackets
    """

    def __init__(self, text: str, columns: _Columns, constants: Mapping[str, float]):
        self.text, self.columns, self.constants = text, columns, constants
        self.nodes: list[Node] = []
        self.waiting: list[Operator | _Bracket] = []
        self.at = 0
        self.functions = {row.symbol: row for row in TABLE if row.precedence == CALL}
        self.infix = {row.symbol: row for row in TABLE if row.infix}
        self.infix["**"] = lookup(POW)

    def run(self) -> list[Node]:
        operand_next = True
        while True:
            token = self.next_token()
            if operand_next:
                operand_next = self.operand(token)
            elif token.kind == "end":
                break
            else:
                operand_next = self.after_operand(token)
        bracket = self.reduce(0)
        if bracket is not None:
            raise self.error("expected ')' to close this bracket; got the end", bracket.at)
        return self.nodes

    def next_token(self) -> _Token:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            at = self.at + len(self.text[self.at :]) - len(self.text[self.at :].lstrip())
            what = "a closing backtick" if self.text[at] == "`" else "a number, a name or one of + - * / ^ ( ) ,"
            raise self.error(f"expected {what}; got {self.text[at]!r}", at)
        self.at = match.end()
        kind = match.lastgroup or "end"
        return _Token(kind, match[kind], match.start(kind))

    def operand(self, token: _Token) -> bool:
        """Read a token where an operand must begin; returns whether one is still expected."""
        if token.kind == "number":
            self.emit((CONSTANT, 0, self.number(token)))
            return False
        if token.kind == "quoted":
            name = token.text[1:-1].replace("``", "`")
            self.feature(name, token.at, self.columns.find(name))
            return False
        if token.kind == "name":
            return self.name(token)
        if token.text == "(":
            self.wait(_Bracket(None, token.at), token.at)
        elif token.text == "-":
            self.wait(lookup(NEG), token.at)
        else:
            raise self.error(f"expected a number, a name, '-' or '('; got {_shown(token)}", token.at)
        return True

    def after_operand(self, token: _Token) -> bool:
        """Read a token after a finished operand; returns whether an operand is expected next."""
        row = self.infix.get(token.text) if token.kind == "symbol" else None
        if row is not None:
            # Equal precedence groups from the left, powers from the right.
            self.reduce(row.precedence + 1 if row.precedence == POWER else row.precedence)
            self.wait(row, token.at)
            return True
        if token.text not in (")", ",") or token.kind != "symbol":
            raise self.error(f"expected an operator, ')' or the end; got {_shown(token)}", token.at)
        bracket = self.reduce(0)
        if bracket is None:
            raise self.error(f"expected an operator or the end; got {token.text!r} without an open bracket", token.at)
        if token.text == ",":
            self.comma(bracket, token)
            return True
        self.close(bracket)
        return False

    def number(self, token: _Token) -> float:
        if len(token.text) > MAX_DIGITS:
            raise self.error(f"expected a number of at most {MAX_DIGITS} characters; got {len(token.text)}", token.at)
        value = float(token.text)
        if not math.isfinite(value):
            raise self.error(f"expected a number below 1.8e308; got {token.text}", token.at)
        return value

    def name(self, token: _Token) -> bool:
        """A call if a bracket follows, a feature otherwise; returns whether an operand is expected next."""
        row = self.functions.get(token.text)
        after = self.at
        follows = self.next_token() if self.at < len(self.text) else None
        if follows is not None and follows.text == "(" and follows.kind == "symbol":
            if row is None:
                known = ", ".join(self.functions)
                raise self.error(f"expected a function among {known}; got {_short(token.text)!r}", token.at)
            self.wait(_Bracket(row, token.at), token.at)
            return True
        self.at = after
        if row is not None:
            raise self.error(f"expected '(' after {token.text} (write a feature of that name in backticks)", token.at)
        if token.text in self.constants and self.columns.find(token.text) is None:
            self.emit((CONSTANT, 0, self.constants[token.text]))
        else:
            self.feature(token.text, token.at, self.columns.find_or_add(token.text))
        return False

    def feature(self, name: str, at: int, column: int | None) -> None:
        if column is None:
            raise self.error(f"expected a feature among {self.columns.known()}; got {_short(name)!r}", at)
        self.emit((FEATURE, column, 1.0))

    def comma(self, bracket: _Bracket, token: _Token) -> None:
        if bracket.row is None:
            raise self.error("expected ')'; got ','", token.at)
        bracket.commas += 1
        if bracket.commas >= bracket.row.arity:
            raise self.error(_arity(bracket.row, "more"), token.at)

    def close(self, bracket: _Bracket) -> None:
        self.waiting.pop()
        if bracket.row is None:
            return
        if bracket.commas + 1 < bracket.row.arity:
            raise self.error(_arity(bracket.row, str(bracket.commas + 1)), bracket.at)
        self.apply(bracket.row)

    def wait(self, item: Operator | _Bracket, at: int) -> None:
        if len(self.waiting) >= MAX_DEPTH:
            raise self.error(f"expected at most {MAX_DEPTH} nested brackets and operators; got more", at)
        self.waiting.append(item)

    def reduce(self, precedence: int) -> _Bracket | None:
        """Apply waiting operators that bind at least as tightly as `precedence`; returns the next bracket, if any."""
        while self.waiting:
            item = self.waiting[-1]
            if isinstance(item, _Bracket):
                return item
            if item.precedence < precedence:
                break
            self.waiting.pop()
            self.apply(item)
        return None

    def apply(self, row: Operator) -> None:
        """Put an operator after its arguments; signs and factors of leaves go into the leaves."""
        if row.opcode == POW:
            self.fold_exponent()
        code, feature, constant = self.nodes[-1]
        if row.opcode == POW and code == CONSTANT and constant == 2.0:
            self.nodes[-1] = (SQUARE, 0, 0.0)
        elif row.opcode == NEG and code in (CONSTANT, FEATURE):
            self.nodes[-1] = (code, feature, -constant)
        elif row.opcode == MUL and self.is_factor_of_feature():
            self.nodes[-2:] = [(code, feature, self.nodes[-2][2])]
        else:
            self.emit((row.opcode, 0, 0.0))

    def fold_exponent(self) -> None:
        """Replace an exponent that is a fraction of two numbers by its value."""
        minus = self.nodes[-1][0] == NEG
        fraction = self.nodes[-4:-1] if minus else self.nodes[-3:]
        if [code for code, _, _ in fraction] != [CONSTANT, CONSTANT, DIV] or fraction[1][2] == 0.0:
            return
        value = fraction[0][2] / fraction[1][2]
        self.nodes[-3 - minus :] = [(CONSTANT, 0, -value if minus else value)]

    def is_factor_of_feature(self) -> bool:
        """Whether the output ends with a number and a plain feature; `1*x0` stays a product, to keep its text."""
        (left, _, factor), (right, _, coefficient) = self.nodes[-2:]
        return left == CONSTANT and right == FEATURE and coefficient == 1.0 and abs(factor) != 1.0

    def emit(self, node: Node) -> None:
        if len(self.nodes) >= MAX_NODES:
            raise self.error(f"expected at most {MAX_NODES} nodes; got more", self.at)
        self.nodes.append(node)

    def error(self, message: str, at: int) -> ValueError:
        return ValueError(f"text: {message} (at character {at + 1})")


def _arity(row: Operator, got: str) -> str:
    return f"expected {row.arity} argument{'s' if row.arity > 1 else ''} of {row.name}; got {got}"


def _shown(token: _Token) -> str:
    return "the end" if token.kind == "end" else repr(_short(token.text))


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:37] + "..."
