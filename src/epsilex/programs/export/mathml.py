"""Formulas typeset as MathML, built from the program, with every name escaped.

A browser does not break a line inside `<math>`. So a formula is a run of small `<math>` elements, cut before plus and
minus signs outside of fractions, roots and exponents, and a long formula wraps like text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from epsilex.programs.constants import Written, named_number
from epsilex.programs.export.names import GREEK, letter_and_index
from epsilex.programs.fold import Node, fold
from epsilex.programs.formula import name_of, number
from epsilex.programs.operators import CALL, CONSTANT, NEGATION, POWER, PRODUCT, SUM, Operator

DIGITS = 4
LONG = 3  # nodes in an exponent of e above which it is written as exp()

_SIGN = Markup("<mo form='prefix'>−</mo>")
_MINUS, _PLUS = Markup("<mo form='infix'>−</mo>"), Markup("<mo form='infix'>+</mo>")
_TIMES, _DOT = Markup("<mspace width='0.17em'></mspace>"), Markup("<mo>·</mo>")


def mathml(
    nodes: Iterable[Node], names: Sequence[str], digits: int = DIGITS, named: Mapping[str, float] | None = None
) -> Markup:
    """A run of `<math>` elements, with room to break lines between them; `named` is as in `formula.text`."""
    taken = frozenset(map(str, names))

    def numeral(value: float) -> _Part:
        known = None if named is None else named_number(value, named, taken)
        return _number(value, digits) if known is None or known.is_plain else _known(known)

    part = _settled(fold(nodes, lambda *node: _leaf(node, names, numeral), _branch))
    element = Markup("<math displaystyle='true'><mrow>{}</mrow></math>")
    return Markup("<wbr>").join(element.format(piece) for piece in _signed(part).pieces)


def left_side(name: str) -> Markup:
    """A name and an equals sign, to stand before a formula."""
    return Markup("<math>{}<mo>=</mo></math>").format(_name(name))


@dataclass(frozen=True, slots=True)
class _Part:
    """Markup of a part of a program: pieces between which a line may break, with the minus sign kept apart."""

    pieces: tuple[Markup, ...]
    level: int = CALL
    negative: bool = False
    nodes: int = 1
    digit: bool = False  # whether it begins with a digit
    minus: bool = False  # whether it begins with a minus sign
    below: tuple[Markup, ...] = ()  # numbers still to be written under the fraction line of its product
    one: bool = False  # whether it is the number 1, perhaps rounded

    @property
    def whole(self) -> Markup:
        return Markup("<mrow>{}</mrow>").format(Markup("").join(self.pieces))


def _leaf(node: Node, names: Sequence[str], numeral: Callable[[float], _Part]) -> _Part:
    code, feature, constant = node
    factor, negative = numeral(abs(constant)), math.copysign(1.0, constant) < 0.0
    if code == CONSTANT:
        return replace(factor, negative=negative)
    name = _Part((_name(name_of(feature, names)),))
    return replace(_multiplied(factor, name), negative=negative, nodes=1)


def _known(number: Written) -> _Part:
    """A number of named factors."""
    over = Markup("").join(map(_symbol, number.over)) if number.over else Markup("<mn>1</mn>")
    digit = not number.over or number.over[0][0].isdigit()
    below = tuple(map(_symbol, number.under))
    level = PRODUCT if len(number.over) > 1 else POWER
    return _Part((over,), level, digit=digit, below=below, one=not number.over)


def _symbol(factor: str) -> Markup:
    inside = factor.removeprefix("sqrt(").removesuffix(")")
    if inside != factor:
        over, _, under = inside.partition("/")
        above, below = (
            Markup("").join(map(_symbol, part.strip("()").split("*"))) if part else "" for part in (over, under)
        )
        quotient = Markup("<mfrac><mrow>{}</mrow><mrow>{}</mrow></mfrac>").format(above, below) if below else above
        return Markup("<msqrt>{}</msqrt>").format(quotient)
    base, _, power = factor.partition("^")
    if base.replace(".", "").isdigit():
        return Markup("<mn>{}</mn>").format(base)
    name = Markup("<mi>π</mi>") if base == "pi" else _name(base)
    return Markup("<msup>{}<mn>{}</mn></msup>").format(name, power) if power else name


def _number(value: float, digits: int) -> _Part:
    mantissa, _, exponent = number(value, digits).partition("e")
    mantissa = {"inf": "∞"}.get(mantissa, mantissa)
    if not exponent:
        return _Part((Markup("<mn>{}</mn>").format(mantissa),), digit=True, one=mantissa == "1")
    power = Markup("<mn>{}</mn><mo>·</mo><msup><mn>10</mn><mn>{}</mn></msup>")
    return _Part((power.format(mantissa, str(int(exponent)).replace("-", "−")),), PRODUCT, digit=True)


def _name(name: str) -> Markup:
    simple = letter_and_index(name)
    if simple:
        letter = Markup("<mi>{}</mi>").format(GREEK.get(simple[0], simple[0]))
        return Markup("<msub>{}<mn>{}</mn></msub>").format(letter, simple[1]) if simple[1] else letter
    return Markup("<mi>{}</mi>").format("".join(c if c.isprintable() else "�" for c in name))


def _branch(row: Operator, *parts: _Part) -> _Part:
    nodes = 1 + sum(part.nodes for part in parts)
    if row.name not in ("mul", "div", "neg"):
        parts = tuple(map(_settled, parts))
    return replace(_WRITERS.get(row.name, _call)(row, *parts), nodes=nodes)


def _sum(row: Operator, a: _Part, b: _Part) -> _Part:
    minus = (row.name == "sub") != b.negative
    b = replace(b, negative=False)
    if a.negative and not minus:  # -a + b
        a, b, minus = b, replace(a, negative=False), True
    a, b = _signed(a), _within(b, SUM + 1) if minus or b.minus else b
    first = (_MINUS if minus else _PLUS) + b.pieces[0]
    return _Part((*a.pieces, first, *b.pieces[1:]), SUM, digit=a.digit, minus=a.minus)


def _product(row: Operator, a: _Part, b: _Part) -> _Part:
    negative = a.negative != b.negative
    return replace(_multiplied(replace(a, negative=False), replace(b, negative=False)), negative=negative)


def _multiplied(a: _Part, b: _Part) -> _Part:
    """A product; numbers under the line wait for the whole product."""
    below = (*a.below, *b.below)
    a, b = replace(a, below=()), replace(b, below=())
    if a.one or b.one:
        return replace(b if a.one else a, below=below)
    return replace(_times(_within(a, PRODUCT), _within(b, PRODUCT)), below=below)


def _settled(part: _Part) -> _Part:
    """The part with its own fraction line, if it needs one."""
    if not part.below:
        return part
    above = replace(part, below=(), negative=False).whole
    return _Part((_over(above, part.below),), POWER, part.negative, part.nodes)


def _over(above: Markup, below: Sequence[Markup]) -> Markup:
    return Markup("<mfrac>{}<mrow>{}</mrow></mfrac>").format(above, _TIMES.join(below))


def _times(a: _Part, b: _Part) -> _Part:
    sign = _DOT if b.digit else _TIMES
    return _Part((*a.pieces[:-1], a.pieces[-1] + sign + b.pieces[0], *b.pieces[1:]), PRODUCT, digit=a.digit)


def _fraction(row: Operator, a: _Part, b: _Part) -> _Part:
    negative = a.negative != b.negative
    above, under = replace(a, negative=False, below=()).whole, replace(_settled(b), negative=False)
    inside = _within(under, PRODUCT) if a.below else under
    return _Part((_over(above, [*a.below, inside.whole]),), POWER, negative)


def _inverse(row: Operator, a: _Part) -> _Part:
    return _fraction(row, _number(1.0, 1), a)


def _negation(row: Operator, a: _Part) -> _Part:
    return replace(a, negative=not a.negative)


def _power(row: Operator, a: _Part, b: _Part) -> _Part:
    exponent = _signed(b).whole
    return _Part((Markup("<msup>{}{}</msup>").format(_within(a, CALL).whole, exponent),), POWER, digit=a.digit)


def _square(row: Operator, a: _Part) -> _Part:
    return _power(row, a, _number(2.0, 1))


def _root(row: Operator, a: _Part) -> _Part:
    return _Part((Markup("<msqrt>{}</msqrt>").format(_signed(a).whole),))


def _bars(row: Operator, a: _Part) -> _Part:
    return _enclosed(_signed(a), "|", "|")


def _exponential(row: Operator, a: _Part) -> _Part:
    if a.nodes > LONG:
        return _call(row, a)
    return _power(row, _Part((Markup("<mi>e</mi>"),)), a)


def _call(row: Operator, *parts: _Part) -> _Part:
    pieces = list(_signed(parts[0]).pieces)
    for part in parts[1:]:
        pieces[-1] += Markup("<mo>,</mo>")
        pieces += _signed(part).pieces
    arguments = _enclosed(_Part(tuple(pieces)), "(", ")").pieces
    name = Markup("<mi>{}</mi><mo>&#x2061;</mo>").format(row.symbol)
    return _Part((name + arguments[0], *arguments[1:]), POWER)


_WRITERS: dict[str, Callable[..., _Part]] = {
    "add": _sum, "sub": _sum, "mul": _product, "div": _fraction, "inv": _inverse, "neg": _negation, "pow": _power,
    "square": _square, "sqrt": _root, "abs": _bars, "exp": _exponential,
}  # fmt: skip


def _signed(part: _Part) -> _Part:
    """The part with its minus sign in front."""
    if not part.negative:
        return part
    part = replace(part, negative=False)
    part = _within(part, SUM + 1)
    pieces = (_SIGN + part.pieces[0], *part.pieces[1:])
    return replace(part, pieces=pieces, level=NEGATION, digit=False, minus=True)


def _within(part: _Part, level: int) -> _Part:
    """The part, in brackets unless it binds at least as tightly as `level`."""
    if part.level >= level and not part.negative:
        return part
    return _enclosed(_signed(part), "(", ")")


def _enclosed(part: _Part, left: str, right: str) -> _Part:
    """The part in brackets, which grow with their content unless a line may break between them."""
    stretchy = "true" if len(part.pieces) == 1 else "false"
    fence = Markup("<mo fence='true' stretchy='{}' form='{}'>{}</mo>")
    opening, closing = fence.format(stretchy, "prefix", left), fence.format(stretchy, "postfix", right)
    if len(part.pieces) == 1:
        return _Part((Markup("<mrow>{}{}{}</mrow>").format(opening, part.pieces[0], closing),), nodes=part.nodes)
    first, *middle, last = part.pieces
    return _Part((opening + first, *middle, last + closing), nodes=part.nodes)
