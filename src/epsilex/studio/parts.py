"""The parts of a formula: the terms of a sum, or the factors of a product."""

from __future__ import annotations

from collections.abc import Sequence

from epsilex.programs.fold import Node
from epsilex.programs.operators import FEATURE, lookup


def telling_parts(nodes: Sequence[Node], n_features: int) -> list[tuple[str, int, int]]:
    """The outermost parts that depend on features, below constant factors and offsets and single functions."""
    first, last = 0, len(nodes)
    while True:
        within = [(sign, first + a, first + b) for sign, a, b in parts(nodes[first:last])]
        telling = [p for p in within if any(code == FEATURE and j < n_features for code, j, _ in nodes[p[1] : p[2]])]
        if len(telling) != 1:
            return telling
        _, a, b = telling[0]
        if (a, b) == (first, last):
            if nodes[b - 1][0] <= FEATURE or lookup(nodes[b - 1][0]).arity != 1:
                return telling
            b -= 1
        first, last = a, b


def parts(nodes: Sequence[Node]) -> list[tuple[str, int, int]]:
    """Sign, first and last place of the terms of a sum; of a product or quotient, of its factors."""
    root = lookup(nodes[-1][0]).name if nodes[-1][0] > FEATURE else ""
    signs = {"add": ("+", "+"), "sub": ("+", "−")} if root in ("add", "sub") else {"mul": ("×", "×"), "div": ("×", "÷")}
    turned = {"+": "−", "−": "+", "×": "÷", "÷": "×"}
    found: list[tuple[str, int, int]] = []
    waiting = [(next(iter(signs.values()))[0], 0, len(nodes))]
    while waiting:
        sign, first, last = waiting.pop()
        code = nodes[last - 1][0]
        name = lookup(code).name if code > FEATURE else ""
        if name not in signs:
            found.append((sign, first, last))
            continue
        middle = _start(nodes, last - 1)
        left, right = signs[name]
        plain = sign in ("+", "×")
        waiting.append((right if plain else turned[right], middle, last - 1))
        waiting.append((left if plain else turned[left], first, middle))
    return found


def _start(nodes: Sequence[Node], end: int) -> int:
    """Where the subtree that ends before `end` starts."""
    needed, k = 1, end
    while needed:
        k -= 1
        code = nodes[k][0]
        needed += (lookup(code).arity if code > FEATURE else 0) - 1
    return k
