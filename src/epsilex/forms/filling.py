"""Fillings: the inner programs and the form's own constants as one program, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from epsilex.forms.outline import Outline
from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, arities, opcode

ADD = opcode("add")
SCALING = [CONSTANT, opcode("mul"), CONSTANT, ADD]  # nodes after the core of a function in a search


def starts_of(nodes: Sequence[Node]) -> list[int]:
    """The first node of the subtree that ends at each node."""
    arity = arities()
    starts: list[int] = []
    for k, (code, _, _) in enumerate(nodes):
        start = k
        for _ in range(int(arity[code])):
            start = starts[start - 1]
        starts.append(start)
    return starts


def spans(nodes: Sequence[Node], outline: Outline) -> list[tuple[int, int]]:
    """First and last node of each part of a filling: the functions, then the constants."""
    starts, end, found = starts_of(nodes), len(nodes) - 1, []
    for _ in range(len(outline.functions) + len(outline.constants) - 1):
        found.append((starts[end - 1], end - 1))
        end = starts[end - 1] - 1
    return [(0, end), *reversed(found)]


def parts(nodes: Sequence[Node], outline: Outline) -> tuple[list[list[Node]], list[float]]:
    """The inner programs, and the values of the form's own constants."""
    found = [list(nodes[first : last + 1]) for first, last in spans(nodes, outline)]
    n = len(outline.functions)
    return found[:n], [part[0][2] for part in found[n:]]


def joined(inner: Sequence[Sequence[Node]], constants: Sequence[float]) -> list[Node]:
    """A filling of inner programs and the form's own constants."""
    all_parts = [*inner, *([(CONSTANT, 0, value)] for value in constants)]
    nodes = list(all_parts[0])
    for part in all_parts[1:]:
        nodes += [*part, (ADD, 0, 0.0)]
    return nodes


def each(nodes: Sequence[Node], outline: Outline, change: Callable[[list[Node], int], Sequence[Node]]) -> list[Node]:
    """The filling with each inner program changed by a function of it and the function's number."""
    inner, constants = parts(nodes, outline)
    return joined([change(program, k) for k, program in enumerate(inner)], constants)


def in_user_units(nodes: Sequence[Node], outline: Outline) -> list[Node]:
    """A filling of the search with its factors of arguments moved into the coefficients of leaves."""

    def change(program: list[Node], k: int) -> list[Node]:
        factors = outline.factors[k]
        return [(c, f, v * factors[f]) if c == FEATURE else (c, f, v) for c, f, v in program]

    return each(nodes, outline, change)


def is_filling(nodes: Sequence[Node], outline: Outline) -> bool:
    """Whether a well-formed program fills an outline as those of a search do: sums join its parts, inner programs have
    their arguments, lengths and scaling, and constants are numbers."""
    starts, end = starts_of(nodes), len(nodes) - 1
    for _ in range(len(outline.functions) + len(outline.constants) - 1):
        if end < 0 or nodes[end][0] != ADD:
            return False
        end = starts[end - 1] - 1
    found = spans(nodes, outline)
    n = len(outline.functions)
    for function, (first, last) in zip(outline.functions, found[:n], strict=True):
        tail = [node[0] for node in nodes[last + 1 - function.tail : last + 1]]
        core = last - first + 1 - function.tail
        inside = all(node[1] < len(function.arguments) for node in nodes[first : last + 1] if node[0] == FEATURE)
        scaled = core >= 1 and tail == SCALING[: function.tail] and starts[last - function.tail] == first
        if not (inside and scaled and last - first < function.max_length):
            return False
    return all(first == last and nodes[first][0] == CONSTANT for first, last in found[n:])
