"""Values and derivatives of one program in float64, by the operator table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from epsilex.programs.fold import Node
from epsilex.programs.operators import CONSTANT, FEATURE, Operator, lookup


def constant_places(nodes: Sequence[Node]) -> list[int]:
    """Nodes whose constant can be tuned: constants and features, but not whole exponents.

    A whole exponent of `pow` is part of the formula's shape: another value would be undefined for negative bases.
    """
    powers = {k - 1 for k, node in enumerate(nodes) if node[0] > FEATURE and lookup(node[0]).name == "pow"}
    return [
        k for k, (code, _, value) in enumerate(nodes)
        if code == FEATURE or (code == CONSTANT and not (k in powers and value.is_integer()))
    ]  # fmt: skip


def jacobian64(nodes: Sequence[Node], X: np.ndarray, places: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Outputs (rows,) and their derivatives with respect to the constants at `places` (rows, places)."""
    tape = Tape(nodes, X, places)
    with np.errstate(all="ignore"):
        return tape.outputs(nodes), tape.slopes()


class Tape:
    """A program laid out for rows, to be run with changing constants; derivatives in reverse mode.

    Undefined values are NaN or infinite; the caller has NumPy ignore them, once for many runs.

    units   per leaf what it multiplies (rows,): a column, or ones
    steps   per operator: its values, its node, its arguments, and those arguments that lead to a place, each with the
            derivative by it
    places  the nodes by whose constants derivatives are wanted, each with its unit and room for its derivatives
    """

    def __init__(self, nodes: Sequence[Node], X: np.ndarray, places: Sequence[int]):
        self.rows, self.values = len(X), [np.empty(0)] * len(nodes)
        self.leaves = [k for k, node in enumerate(nodes) if node[0] <= FEATURE]
        self.units = np.empty((len(self.leaves), len(X)))
        for unit, k in zip(self.units, self.leaves, strict=True):
            unit[:] = X[:, nodes[k][1]] if nodes[k][0] == FEATURE else 1.0
        self.columns = np.empty((len(places), len(X)))
        units = dict(zip(self.leaves, self.units, strict=True))
        self.places = [(k, units[k], column) for k, column in zip(places, self.columns, strict=True)]
        self.steps = list(_steps(nodes, places))

    def outputs(self, nodes: Sequence[Node]) -> np.ndarray:
        """Outputs (rows,) of a program that differs from the one laid out in its constants only."""
        values = self.values
        scaled = self.units * np.array([nodes[k][2] for k in self.leaves])[:, None]
        for k, value in zip(self.leaves, scaled, strict=True):
            values[k] = value
        for function, k, arguments, _ in self.steps:
            values[k] = function(*[values[a] for a in arguments])
        return values[-1]

    def slopes(self) -> np.ndarray:
        """Derivatives (rows, places) of the last outputs."""
        values, slope = self.values, dict[int, np.ndarray]()
        slope[len(values) - 1] = np.ones(self.rows)
        for _, k, arguments, wanted in reversed(self.steps):
            for child, partial in wanted:
                by = partial(*[values[a] for a in arguments], values[k])
                slope[child] = slope[k] if isinstance(by, float) and by == 1.0 else slope[k] * by
        for k, unit, column in self.places:
            np.multiply(slope[k], unit, out=column)
        return self.columns.T.copy()


Step = tuple[Callable, int, list[int], list[tuple[int, Callable]]]


def _steps(nodes: Sequence[Node], places: Sequence[int]) -> Iterator[Step]:
    """The operators of a program, see `Tape`."""
    leading, stack = set(places), list[int]()
    for k, (code, _, _) in enumerate(nodes):
        if code > FEATURE:
            row = lookup(code)
            arguments = stack[-row.arity :]
            del stack[-row.arity :]
            wanted = [(child, _partial(row, j)) for j, child in enumerate(arguments) if child in leading]
            if wanted:
                leading.add(k)
            yield row.value, k, arguments, wanted
        stack.append(k)


def _partial(row: Operator, j: int) -> Callable:
    """The derivative by argument `j`, as a function of the arguments and the value."""
    if row.partials is not None:
        return row.partials[j]

    def numeric(*inputs_and_value):
        inputs = list(inputs_and_value[:-1])
        h = 1e-6 * (1.0 + np.abs(inputs[j]))
        up, down = inputs.copy(), inputs.copy()
        up[j], down[j] = inputs[j] + h, inputs[j] - h
        return (row.value(*up) - row.value(*down)) / (2.0 * h)

    return numeric
