"""The traversal of postfix nodes that values, text, LaTeX, SymPy and source code share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from epsilex.programs.operators import FIRST_OPERATOR, lookup

Node = tuple[int, int, float]  # opcode, feature, constant
T = TypeVar("T")


def fold(nodes: Iterable[Node], leaf: Callable[[int, int, float], T], branch: Callable[..., T]) -> T:
    """Fold a program bottom up: `leaf(opcode, feature, constant)` and `branch(row, *parts)` make the parts.

    It does not recurse, so deep programs are safe.
    """
    stack: list[T] = []
    for code, feature, constant in nodes:
        if code < FIRST_OPERATOR:
            stack.append(leaf(code, feature, constant))
            continue
        row = lookup(code)
        if len(stack) < row.arity:
            raise ValueError(f"nodes: expected {row.arity} arguments before {row.name}; got {len(stack)}")
        if row.arity == 1:
            stack[-1] = branch(row, stack[-1])
        else:
            second = stack.pop()
            stack[-1] = branch(row, stack[-1], second)
    if len(stack) != 1:
        raise ValueError(f"nodes: expected postfix order with one value left at the end; got {len(stack)}")
    return stack[0]


def operations(nodes: Sequence[Node]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each operator's place in a program, and the places of its arguments' last nodes."""
    waiting: list[int] = []
    for k, (code, _, _) in enumerate(nodes):
        if code >= FIRST_OPERATOR:
            arity = lookup(code).arity
            yield k, tuple(waiting[-arity:])
            del waiting[-arity:]
        waiting.append(k)
