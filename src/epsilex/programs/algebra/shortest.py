"""From a program to the shortest and most usual program of the same function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilex.programs.algebra.arithmetic import EXP, MUL, SQRT, Algebra, Refused
from epsilex.programs.algebra.expression import SIGN
from epsilex.programs.algebra.facts import Facts
from epsilex.programs.algebra.numbers import effort
from epsilex.programs.algebra.reading import read
from epsilex.programs.algebra.search import Search
from epsilex.programs.algebra.writing import write
from epsilex.programs.fold import Node, fold
from epsilex.programs.intervals import Interval
from epsilex.programs.length import count
from epsilex.programs.operators import CONSTANT, FEATURE

ROUNDS = 6  # of rewriting, each from the shorter form of the last
MAX_NODES = 300  # longer programs are left alone
ROWS = 200  # on which the values are compared
RELATIVE, ROUNDING = 1e-12, 1e-14  # allowed change, relative to the value and to the largest part of the formula


def shortest(nodes: Sequence[Node], box: Sequence[Interval] | None = None, X: np.ndarray | None = None) -> list[Node]:
    """The shortest program found for a function, never longer than `nodes`; unchanged if there is none.

    Values are the same up to rounding, and it is defined where `nodes` is, everywhere on the box; without a box only
    rewritings that hold for all numbers are made. Values are compared on the rows of X as well, if given, and
    otherwise on rows drawn from the box.
    """
    nodes = list(nodes)
    if len(nodes) > MAX_NODES or not all(np.isfinite(value) for _, _, value in nodes):
        return nodes
    rows = _rows(nodes, box) if X is None else X[:ROWS]
    seen, algebra = [_without_roots_of_exponentials(nodes)], Algebra(Facts(box))
    try:
        for _ in range(ROUNDS):
            found = _rewritten(seen[-1], algebra)
            if _size(found) > _size(seen[-1]) or not same_values(nodes, found, rows):
                break
            same = next((k for k, other in enumerate(seen) if _alike(found, other)), None)
            if same is not None:  # forms that are equally short
                return min(seen[same:], key=_cost)
            seen.append(found)
    except (RecursionError, Refused):  # too deep for anyone to read, or a number that floats hardly hold
        pass
    return seen[-1]


def _without_roots_of_exponentials(nodes: list[Node]) -> list[Node]:
    """`exp(x/2)` for `sqrt(exp(x))`: a symbol more, but nobody writes the other."""
    for k in range(2, len(nodes)):
        if nodes[k][0] == SQRT and nodes[k - 1][0] == EXP:
            code, feature, value = nodes[k - 2]
            leaf = code in (CONSTANT, FEATURE)
            half = [(code, feature, 0.5 * value)] if leaf else [nodes[k - 2], (CONSTANT, 0, 0.5), (MUL, 0, 0.0)]
            return _without_roots_of_exponentials([*nodes[: k - 2], *half, nodes[k - 1], *nodes[k + 1 :]])
    return nodes


def _rewritten(nodes: list[Node], algebra: Algebra) -> list[Node]:
    """The best form, or else the normal form, if it is no longer: `v*(0.34*v + 2)` has fewer symbols than
    `2*v + (0.58*v)^2`, but more nodes, and `0.34*v^2` is wanted all the same."""
    form = read(nodes, algebra)
    for found in (write(Search(algebra).best(form)), write(form)):
        if count(found).length <= count(nodes).length:
            return found
    return nodes


def _alike(a: Sequence[Node], b: Sequence[Node]) -> bool:
    """Whether two programs are the same up to the last digits of their constants."""
    return len(a) == len(b) and all(
        x[:2] == y[:2] and abs(x[2] - y[2]) <= RELATIVE * abs(y[2]) for x, y in zip(a, b, strict=True)
    )


def _size(nodes: Sequence[Node]) -> tuple[int, int]:
    counted = count(nodes)
    return counted.tokens, counted.length


def _cost(nodes: Sequence[Node]) -> tuple:
    numbers = [abs(c) for code, _, c in nodes if code == CONSTANT or (code == FEATURE and abs(c) != 1.0)]
    minus = SIGN * sum(c < 0.0 for _, _, c in nodes)
    return *_size(nodes), round(sum(map(effort, numbers)) + minus, 6), nodes


def _rows(nodes: Sequence[Node], box: Sequence[Interval] | None) -> np.ndarray:
    width = 1 + max((feature for code, feature, _ in nodes if code == FEATURE), default=0)
    rng = np.random.default_rng(0)
    if box is None:
        return rng.normal(0.0, 3.0, (ROWS, width))
    low, high = np.array([b.lo for b in box]), np.array([b.hi for b in box])
    return low + (high - low) * rng.random((ROWS, len(box)))


def same_values(before: Sequence[Node], after: Sequence[Node], X: np.ndarray) -> bool:
    """Whether two programs have the same values on rows of X, and are undefined on the same rows.

    Rounding grows with the parts of a formula that cancel. So both are computed in extended precision, where the
    platform has one, and the largest part of either sets the scale.
    """
    X = X.astype(np.longdouble)
    with np.errstate(all="ignore"):
        (a, a_size), (b, b_size) = _sized(before, X), _sized(after, X)
        size = np.maximum(a_size, b_size)
        overflow = ~np.isfinite(size)
        close = np.abs(a - b) <= RELATIVE * np.abs(a) + ROUNDING * size
    undefined = ~np.isfinite(a) & ~np.isfinite(b)
    return bool((close | undefined | overflow).all())


def _sized(nodes: Sequence[Node], X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values, and the size of the largest part of each: infinite where a part overflows, 0 where one is undefined."""

    def leaf(code, feature, constant):
        value = np.full(len(X), constant, X.dtype) if code == CONSTANT else X.dtype.type(constant) * X[:, feature]
        return value, np.abs(value)

    def branch(row, *parts):
        value = row.value(*(value for value, _ in parts))
        return value, np.fmax.reduce([np.abs(value), *(size for _, size in parts)])

    return fold(nodes, leaf, branch)
