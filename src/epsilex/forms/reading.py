"""Form text to an outline.

Calls of unknown functions are found by their brackets and replaced by stand-ins of the same width; the rest is read by
the whitelist parser. So every message points at the user's own text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from epsilex.forms.form import Form
from epsilex.forms.outline import CALL, NAMED, NODE, Call, Function, Outline, Script, Token
from epsilex.forms.slopes import DIFFERENTIABLE
from epsilex.programs.operators import CALL as CALLED
from epsilex.programs.operators import CONSTANT, FEATURE, TABLE, canonical, opcode
from epsilex.programs.written import written

DERIVATIVE = "d"
MAX_CALLS = 100
MAX_CHARACTERS = 10_000
MAX_DEPTH = 50
STAND_IN = 0xE000  # characters for private use, which no name has
MUL, NEG = opcode("mul"), opcode("neg")
_WORD = re.compile(r"`(?:[^`]|``)*`|(?P<name>[^\W\d]\w*)(?P<gap>\s*)\(|[^\W\d]\w*|[(),]", re.DOTALL)


def outline(form: Form, names: Sequence[str], operators: Sequence[str], max_length: int) -> Outline:
    """The outline of a form over columns of these names; `operators` and `max_length` are those of the search."""
    if len(form.text) > MAX_CHARACTERS:
        raise ValueError(f"form: expected at most {MAX_CHARACTERS} characters; got {len(form.text)}")
    if any("\ue000" <= letter <= "\uf8ff" for letter in form.text):
        raise ValueError("form: expected no characters for private use; got some")
    reader = _Reader(form.text, list(names))
    scripts = reader.run()
    functions = _functions(reader, form, operators, max_length)
    for call in reader.calls:
        lacking = [name for name in functions[call.function].operators if name not in DIFFERENTIABLE]
        if call.slope >= 0 and lacking:
            name = functions[call.function].name
            raise ValueError(f"form: expected operators with a derivative for {name}; got {', '.join(lacking)}")
    ones = tuple((1.0,) * len(function.arguments) for function in functions)
    return Outline(form.text, functions, tuple(reader.constants), scripts, tuple(reader.calls), ones)


@dataclass(slots=True)
class _Reader:
    """One pass over the text.

    arity    arguments of each function, by name, in order of appearance
    at       where each function was first called
    pending  derivatives `d(f, x)`: number of the call, argument, place
    """

    text: str
    names: list[str]
    arity: dict[str, int] = field(default_factory=dict)
    at: dict[str, int] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    pending: list[tuple[int, int, int]] = field(default_factory=list)

    def run(self) -> tuple[Script, ...]:
        self.scripts.append(())  # the place of the whole formula
        self.scripts[0] = self.script(0, len(self.text), 0)
        if not self.arity:
            raise ValueError(f"form: expected an unknown function such as f(x); got none, in {self.text!r:.200}")
        for number, column, at in self.pending:
            self.calls[number] = self.resolved(self.calls[number].function, column, at)
        for name in self.arity:
            if name in self.constants:
                raise self.error(f"expected {name} with its arguments everywhere; got it without", self.bare(name))
        return tuple(self.scripts)

    def script(self, begin: int, end: int, depth: int) -> Script:
        """The tokens of a part of the text."""
        if depth > MAX_DEPTH:
            raise self.error(f"expected at most {MAX_DEPTH} nested calls; got more", begin)
        shown, stand_ins, words = list(self.text[:end]), [], []
        shown[:begin] = " " * begin
        at = begin
        while (match := _WORD.search(self.text, at, end)) is not None:
            at = match.end()
            name = match["name"]
            if name is None or any(name == row.symbol for row in TABLE if row.precedence == CALLED):
                continue
            start, close = match.start(), self.closing(match.end() - 1, end)
            number = self.call(name, start, match.end(), close, depth)
            stand_ins.append(number)
            words.append(chr(STAND_IN + number).ljust(close - start - 1))
            shown[start : close + 1] = f"`{words[-1]}`"
            at = close + 1
        try:
            found = written("".join(shown), [*self.names, *words])
        except ValueError as error:
            raise ValueError(f"form: {str(error).removeprefix('text: ')}, in {self.text!r:.200}") from None
        tokens: list[Token] = []
        for k, (code, column, value) in enumerate(found.nodes):
            if k in found.labels:
                tokens.append(Token(NAMED, self.constant(found.labels[k])))
            elif code == FEATURE and column >= len(self.names):
                tokens.append(Token(CALL, stand_ins[column - len(self.names)]))
                if value == -1.0:
                    tokens.append(Token(NODE, NEG))
                elif value != 1.0:
                    tokens += [Token(NODE, CONSTANT, 0, value), Token(NODE, MUL)]
            else:
                tokens.append(Token(NODE, code, column, value))
        return tuple(tokens)

    def constant(self, name: str) -> int:
        if name not in self.constants:
            self.constants.append(name)
        return self.constants.index(name)

    def closing(self, opened: int, end: int) -> int:
        """The place of the bracket that closes the one at `opened`."""
        depth = 0
        for match in _WORD.finditer(self.text, opened, end):
            depth += match[0].endswith("(") - (match[0] == ")")
            if depth == 0:
                return match.start()
        raise self.error("expected ')' to close this bracket; got the end", opened)

    def arguments(self, begin: int, close: int) -> list[tuple[int, int]]:
        """The spans of the arguments between two brackets."""
        spans, depth, start = [], 0, begin
        for match in _WORD.finditer(self.text, begin, close):
            depth += match[0].endswith("(") - (match[0] == ")")
            if depth == 0 and match[0] == ",":
                spans.append((start, match.start()))
                start = match.end()
        return [*spans, (start, close)]

    def call(self, name: str, at: int, begin: int, close: int, depth: int) -> int:
        """Read a call; returns its number."""
        if len(self.calls) >= MAX_CALLS:
            raise self.error(f"expected at most {MAX_CALLS} calls of unknown functions; got more", at)
        if name in self.names:
            raise self.error(f"expected a function that is not called like a column; got {name!r}", at)
        spans = self.arguments(begin, close)
        if name == DERIVATIVE:
            return self.derivative(spans, at, depth)
        for first, last in spans:
            if not self.text[first:last].strip():
                raise self.error(f"expected an argument of {name}; got none", first)
        self.declare(name, len(spans), at)
        numbers = []
        for first, last in spans:
            numbers.append(len(self.scripts))
            self.scripts.append(())
            self.scripts[numbers[-1]] = found = self.script(first, last, depth + 1)
            if not any(token.kind == CALL or (token.kind == NODE and token.value == FEATURE) for token in found):
                got = self.text[first:last].strip()
                raise self.error(f"expected a column among {self.known()} in this argument of {name}; got {got!r:.60}",
                                 first)  # fmt: skip
        self.calls.append(Call([*self.arity].index(name), tuple(numbers)))
        return len(self.calls) - 1

    def declare(self, name: str, n: int, at: int) -> None:
        known = self.arity.setdefault(name, n)
        self.at.setdefault(name, at)
        if known != n:
            raise self.error(f"expected {known} argument{'s' * (known > 1)} of {name}, as before; got {n}", at)

    def derivative(self, spans: list[tuple[int, int]], at: int, depth: int) -> int:
        """Read `d(f, x)` or `d(f(x, z), x)`; the first is resolved once all calls are known."""
        texts = [self.text[first:last].strip() for first, last in spans]
        if len(texts) != 2:
            raise self.error(f"expected a function and a column in d(f, x); got {len(texts)} arguments", at)
        quoted = texts[1][1:-1].replace("``", "`") if texts[1][:1] == "`" else texts[1]
        if quoted not in self.names:
            raise self.error(f"expected a column among {self.known()} in d(f, x); got {texts[1]!r:.60}", spans[1][0])
        column, first = self.names.index(quoted), spans[0][0]
        match = _WORD.search(self.text, *spans[0])
        if match is None or not re.match(r"[^\W\d]", texts[0]):
            raise self.error(f"expected a function in d(f, x); got {texts[0]!r:.60}", first)
        if match["name"] is None:
            if not texts[0].isidentifier() or texts[0] in self.names:
                raise self.error(f"expected a function in d(f, x); got {texts[0]!r:.60}", first)
            self.calls.append(Call(self.later(texts[0], first), ()))
            self.pending.append((len(self.calls) - 1, column, at))
            return len(self.calls) - 1
        close = self.closing(match.end() - 1, spans[0][1])
        known = any(match["name"] == row.symbol for row in TABLE if row.precedence == CALLED)
        if self.text[close + 1 : spans[0][1]].strip() or known or match["name"] == DERIVATIVE:
            raise self.error(f"expected an unknown function and its arguments in d(f(x), x); got {texts[0]!r:.60}",
                             first)  # fmt: skip
        number = self.call(match["name"], match.start(), match.end(), close, depth)
        self.calls[number] = self.sloped(self.calls[number], column, at)
        return number

    def later(self, name: str, at: int) -> int:
        """The number of a function that is called somewhere, perhaps further on."""
        if name not in self.arity:
            n = next((len(self.arguments(m.end(), self.closing(m.end() - 1, len(self.text))))
                      for m in _WORD.finditer(self.text) if m["name"] == name), 0)  # fmt: skip
            if not n:
                raise self.error(f"expected a call of {name}, or d({name}(x), x); got d({name}, ...) alone", at)
            self.declare(name, n, at)
        return [*self.arity].index(name)

    def resolved(self, function: int, column: int, at: int) -> Call:
        """The derivative by a column of the call that has this column as an argument."""
        name = [*self.arity][function]
        found: list[Call] = []
        for call in self.calls:
            if call.function == function and call.slope < 0 and call.arguments:
                columns = self.columns_of(call)
                if column in columns and call not in found and columns not in map(self.columns_of, found):
                    found.append(call)
        if len(found) != 1:
            said = "got none" if not found else f"got {len(found)}; write d({name}(...), {self.names[column]})"
            raise self.error(f"expected one call of {name} with {self.names[column]} as an argument; {said}", at)
        return self.sloped(found[0], column, at)

    def sloped(self, call: Call, column: int, at: int) -> Call:
        columns = self.columns_of(call)
        if -1 in columns or len(set(columns)) < len(columns) or column not in columns:
            name = [*self.arity][call.function]
            raise self.error(
                f"expected different columns, {self.names[column]} among them, as the arguments of {name} in a "
                "derivative; got others", at
            )  # fmt: skip
        return replace(call, slope=columns.index(column))

    def columns_of(self, call: Call) -> list[int]:
        """The columns that are the arguments of a call; -1 for any other argument."""
        found = []
        for script in call.arguments:
            tokens = self.scripts[script]
            plain = len(tokens) == 1 and tokens[0].kind == NODE and tokens[0].value == FEATURE
            found.append(tokens[0].column if plain and tokens[0].number == 1.0 else -1)
        return found

    def bare(self, name: str) -> int:
        """Where a name stands without brackets."""
        return next((m.start() for m in _WORD.finditer(self.text) if m[0] == name), 0)

    def known(self) -> str:
        return ", ".join(name[:40] for name in self.names[:10]) + (", ..." if len(self.names) > 10 else "")

    def error(self, message: str, at: int) -> ValueError:
        return ValueError(f"form: {message} (at character {at + 1}), in {self.text!r:.200}")


def _functions(reader: _Reader, form: Form, operators: Sequence[str], max_length: int) -> tuple[Function, ...]:
    """The unknown functions with their limits; those without share what the others leave of `max_length`."""
    if other := [name for name in form.functions if name not in reader.arity]:
        raise ValueError(f"functions: expected functions of the form, {', '.join(reader.arity)}; got {other[0]!r}")
    given = {name: int(known["max_length"]) for name, known in form.functions.items() if "max_length" in known}
    room = max_length - (len(reader.arity) - 1 + 2 * len(reader.constants)) - sum(given.values())
    others = [name for name in reader.arity if name not in given]
    if room < len(others):
        raise ValueError(
            f"form: expected functions and constants that fit into max_length, {max_length} nodes; got "
            f"{', '.join(f'{name} of {given.get(name, 1)}' for name in reader.arity)} and "
            f"{len(reader.constants)} constants"
        )
    found = []
    for function, name in enumerate(reader.arity):
        own = form.functions.get(name, {})
        most = given[name] if name in given else room // len(others)
        arguments = _argument_names(reader, function, name)
        found.append(Function(name, arguments, most, tuple(canonical(own.get("operators", operators)))))
    return tuple(found)


def _argument_names(reader: _Reader, function: int, name: str) -> tuple[str, ...]:
    """The columns of the first call, or u, v, ... where an argument is no column."""
    call = next(call for call in reader.calls if call.function == function)
    columns = reader.columns_of(call)
    taken = {*reader.names, *reader.arity, *reader.constants}
    others = iter([word for word in ("u", "v", "w", *(f"u{k}" for k in range(1, 200))) if word not in taken])
    seen: list[str] = []
    for column in columns:
        plain = column >= 0 and reader.names[column] not in seen
        seen.append(reader.names[column] if plain else next(others))
    return tuple(seen)
