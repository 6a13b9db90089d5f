"""Programs as modules of PyTorch and JAX, with their constants as trainable parameters. Both are optional."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places
from epsilex.programs.operators import CONSTANT, FEATURE, lookup

ARITHMETIC: dict[str, Callable] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "pow": operator.pow, "inv": lambda a: 1.0 / a, "square": lambda a: a * a,
}  # fmt: skip


def torch_module(program: Iterable[Node]):
    """A `torch.nn.Module` of one parameter, `constants`; called with X (rows, columns) it returns (rows,), float64."""
    import torch

    nodes = list(program)
    places = trained(nodes)
    functions = _functions(nodes, torch, torch.minimum, torch.maximum)

    class Formula(torch.nn.Module):
        def __init__(self):
            super().__init__()
            values = [nodes[k][2] for k in places]
            self.constants = torch.nn.Parameter(torch.tensor(values, dtype=torch.float64))

        def forward(self, X):
            values = dict(zip(places, self.constants, strict=True))
            found = _value(nodes, X, values, functions)
            return found + torch.zeros(len(X), dtype=X.dtype, device=X.device)

    return Formula()


def jax_function(program: Iterable[Node]):
    """A function of (constants, X) that JAX can differentiate, and the constants of the formula."""
    import jax.numpy as jnp

    nodes = list(program)
    places = trained(nodes)
    functions = _functions(nodes, jnp, jnp.minimum, jnp.maximum)

    def predict(constants, X):
        values = {k: constants[i] for i, k in enumerate(places)}
        return _value(nodes, jnp.asarray(X), values, functions) + jnp.zeros(len(X))

    return predict, jnp.asarray([nodes[k][2] for k in places])


def trained(nodes: list[Node]) -> list[int]:
    """Nodes whose constant is a parameter: all but bare features and whole exponents."""
    return [k for k in constant_places(nodes) if not (nodes[k][0] == FEATURE and nodes[k][2] == 1.0)]


def _functions(nodes: list[Node], module: Any, minimum: Callable, maximum: Callable) -> dict[str, Callable]:
    def pdiv(a, b):
        small = module.abs(b) < 1e-6
        return module.where(small, 1.0, a / module.where(small, 1.0, b))

    def plog(a):
        small = module.abs(a) < 1e-6
        return module.where(small, 0.0, module.log(module.abs(module.where(small, 1.0, a))))

    known: dict[str, Callable] = {**ARITHMETIC, "min": minimum, "max": maximum, "pdiv": pdiv, "plog": plog}
    known |= {name: getattr(module, name) for name in ("sin", "cos", "exp", "log", "sqrt", "tanh", "abs")}
    known |= {"asin": module.arcsin, "acos": module.arccos}
    used = {lookup(code).name for code, _, _ in nodes if code > FEATURE}
    if unknown := sorted(used - known.keys()):
        raise ValueError(f"operator {unknown[0]!r}: expected a built-in operator to export it")
    return known


def _value(nodes: list[Node], X, values: dict[int, Any], functions: dict[str, Callable]):
    ones = X[:, 0] * 0.0 + 1.0 if X.shape[1] else 1.0  # functions of these libraries take arrays, not numbers
    stack: list[Any] = []
    for k, (code, feature, constant) in enumerate(nodes):
        if code == CONSTANT:
            stack.append(ones * values.get(k, constant))
        elif code == FEATURE:
            stack.append(X[:, feature] if k not in values else values[k] * X[:, feature])
        else:
            row = lookup(code)
            parts = stack[-row.arity :]
            stack[-row.arity :] = [functions[row.name](*parts)]
    return stack[0]
