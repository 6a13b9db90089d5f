"""The formula that a filling makes: the outline with its calls replaced by the inner programs.

Each node of the formula has a source: the node of the filling whose constant it has, times a gain. A function that is
called twice has its constants in two places of the formula, and both have the same source: they are always equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from epsilex.forms.filling import spans, starts_of
from epsilex.forms.outline import NAMED, NODE, Call, Outline
from epsilex.forms.slopes import DA, DB, NUMBER, SELF, A, B, template
from epsilex.programs.fold import Node
from epsilex.programs.gradient import Tape
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, lookup, opcode

MUL, NEG = opcode("mul"), opcode("neg")
MAX_NODES = 20_000  # of a formula; a longer one counts as undefined, and so does one that is too deep
UNDEFINED: Node = (CONSTANT, 0, float("nan"))


class Sourced(NamedTuple):
    """A node of a formula; source -1: a fixed number, or no constant at all."""

    node: Node
    source: int = -1
    gain: float = 1.0


class _Writer:
    """Writes the formula of one filling."""

    def __init__(self, nodes: Sequence[Node], outline: Outline):
        self.nodes, self.outline = nodes, outline
        self.starts, self.spans = starts_of(nodes), spans(nodes, outline)
        self.out: list[Sourced] = []

    def emit(self, node: Node, source: int = -1, gain: float = 1.0) -> None:
        if len(self.out) >= MAX_NODES:
            raise OverflowError
        self.out.append(Sourced(node, source, gain))

    def script(self, number: int) -> None:
        for kind, value, column, constant in self.outline.scripts[number]:
            if kind == NODE:
                self.emit((value, column, constant))
            elif kind == NAMED:
                k = self.spans[len(self.outline.functions) + value][0]
                self.emit((CONSTANT, 0, self.nodes[k][2]), k)
            else:
                call = self.outline.calls[value]
                first, last = self.spans[call.function]
                if call.slope < 0:
                    self.copy(first, last, call)
                elif self.depends(last, call.slope):
                    self.slope(last, call)
                else:
                    self.emit((CONSTANT, 0, 0.0))

    def copy(self, first: int, last: int, call: Call) -> None:
        """Nodes of an inner program, with the arguments of the call for its leaves."""
        for k in range(first, last + 1):
            code, argument, value = self.nodes[k]
            if code != FEATURE:
                self.emit((code, 0, value), k if code == CONSTANT else -1)
                continue
            factor = self.outline.factors[call.function][argument]
            column = self.outline.column(call.arguments[argument])
            if column is not None:
                gain = factor * column.number
                self.emit((FEATURE, column.column, value * gain), k, gain)
            else:
                self.script(call.arguments[argument])
                self.emit((CONSTANT, 0, value * factor), k, factor)
                self.emit((MUL, 0, 0.0))

    def depends(self, k: int, argument: int) -> bool:
        return any(code == FEATURE and f == argument for code, f, _ in self.nodes[self.starts[k] : k + 1])

    def slope(self, k: int, call: Call) -> None:
        """The derivative of the subtree that ends at node k, which depends on the argument."""
        code, _, value = self.nodes[k]
        if code == FEATURE:
            factor = self.outline.factors[call.function][call.slope]
            self.emit((CONSTANT, 0, value * factor), k, factor)
            return
        b = k - 1
        a = self.starts[b] - 1 if lookup(code).arity == 2 else b
        two = lookup(code).arity == 2
        for item in template(code, self.depends(a, call.slope), two and self.depends(b, call.slope)):
            if item in (A, B, SELF):
                end = {A: a, B: b, SELF: k}[item]
                self.copy(self.starts[end], end, call)
            elif item in (DA, DB):
                self.slope(a if item == DA else b, call)
            elif item < NUMBER:
                self.emit((CONSTANT, 0, float(NUMBER - item)))
            else:
                self.emit((item, 0, 0.0))


def filled(nodes: Sequence[Node], outline: Outline) -> list[Sourced]:
    """The formula of a filling; an undefined number if it is too long."""
    writer = _Writer(nodes, outline)
    try:
        writer.script(0)
    except (OverflowError, RecursionError):
        return [Sourced(UNDEFINED)]
    return writer.out


def formula(nodes: Sequence[Node], outline: Outline) -> list[Node]:
    """The formula of a filling as a program."""
    return [node for node, _, _ in filled(nodes, outline)]


def values(nodes: Sequence[Node], X: np.ndarray, outline: Outline) -> np.ndarray:
    """Values of the formula of a filling, (rows,) float64."""
    return evaluate64(formula(nodes, outline), X)


def jacobian(
    nodes: Sequence[Node], X: np.ndarray, places: Sequence[int], outline: Outline
) -> tuple[np.ndarray, np.ndarray]:
    """Values (rows,) and their derivatives by the constants of the filling at `places` (rows, places)."""
    tape = FilledTape(nodes, X, places, outline)
    with np.errstate(all="ignore"):
        return tape.outputs(nodes), tape.slopes()


class FilledTape(Tape):
    """The formula of a filling laid out for rows, to be run with changing constants of the filling."""

    def __init__(self, nodes: Sequence[Node], X: np.ndarray, places: Sequence[int], outline: Outline):
        self.whole = filled(nodes, outline)
        self.column = {place: i for i, place in enumerate(places)}
        self.used = [k for k, (_, source, _) in enumerate(self.whole) if source in self.column]
        super().__init__([node for node, _, _ in self.whole], X, self.used)

    def outputs(self, nodes: Sequence[Node]) -> np.ndarray:
        return super().outputs([
            node if source < 0 else (node[0], node[1], nodes[source][2] * gain) for node, source, gain in self.whole
        ])  # fmt: skip

    def slopes(self) -> np.ndarray:
        each = super().slopes()
        found = np.zeros((len(each), len(self.column)))
        for i, k in enumerate(self.used):
            found[:, self.column[self.whole[k].source]] += each[:, i] * self.whole[k].gain
        return found


def tidied(whole: Sequence[Sourced]) -> list[Sourced]:
    """A formula without factors of exactly 1, and with minus signs in numbers and coefficients."""
    stack: list[list[Sourced]] = []
    for item in whole:
        code = item.node[0]
        if code in (CONSTANT, FEATURE):
            stack.append([item])
            continue
        arity = lookup(code).arity
        args = stack[-arity:]
        if code == MUL:
            done = _product(args[0], args[1], item)
        elif code == NEG:
            done = _negation(args[0], item)
        else:
            done = [*(one for arg in args for one in arg), item]
        stack[-arity:] = [done]
    return stack[0]


def _product(a: list[Sourced], b: list[Sourced], times: Sourced) -> list[Sourced]:
    for one, other in ((a, b), (b, a)):
        if len(one) == 1 and one[0].node == (CONSTANT, 0, 1.0):
            return other
    return [*a, *b, times]


def _negation(a: list[Sourced], minus: Sourced) -> list[Sourced]:
    (code, column, value), source, gain = a[0]
    if len(a) == 1 and code in (CONSTANT, FEATURE):
        return [Sourced((code, column, -value), source, -gain)]
    return [*a, minus]
