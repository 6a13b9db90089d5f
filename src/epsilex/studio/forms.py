"""The form of a formula: its operators and features, whatever its constants and the order of its terms."""

from __future__ import annotations

from functools import lru_cache, partial

from epsilex.models.model import Model
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node, fold
from epsilex.programs.operators import CONSTANT, Operator

Form = tuple  # a symbol and the forms of its arguments; those of sums and products in a fixed order

NUMBER: Form = ("number",)
OWN: Form = ("own",)


def form_of(m: Model) -> Form:
    """The form of a model. Signs and constant factors belong to the constants; constants per group are alike."""
    return _form(m.nodes, len(m.feature_names))


@lru_cache(4096)
def _form(nodes: tuple[Node, ...], n_features: int) -> Form:
    return fold(simplify(nodes), partial(_leaf, n_features), _branch)


def _leaf(n_features: int, code: int, feature: int, constant: float) -> Form:
    if code == CONSTANT:
        return NUMBER
    return ("feature", feature) if feature < n_features else OWN


def _branch(row: Operator, *parts: Form) -> Form:
    if row.name == "neg":
        return parts[0]
    if row.name in ("add", "sub"):
        terms = [term for part in parts for term in _within("sum", part)]
        numbers = [NUMBER] if NUMBER in terms else []
        return _joined("sum", [term for term in terms if term != NUMBER] + numbers)
    if row.name == "mul":
        factors = [factor for part in parts for factor in _within("product", part)]
        return _joined("product", [factor for factor in factors if factor != NUMBER] or [NUMBER])
    if row.name == "div" and parts[1] == NUMBER:
        return parts[0]
    return (row.name, *parts)


def _within(symbol: str, part: Form) -> tuple[Form, ...]:
    return part[1:] if part[0] == symbol else (part,)


def _joined(symbol: str, parts: list[Form]) -> Form:
    return parts[0] if len(parts) == 1 else (symbol, *sorted(parts, key=repr))
