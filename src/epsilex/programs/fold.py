"""The traversal of postfix nodes that values, text, LaTeX, SymPy and source code share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
