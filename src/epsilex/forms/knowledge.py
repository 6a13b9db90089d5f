"""From an estimator's parameters to an outline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from epsilex.forms.form import Form
from epsilex.forms.outline import CALL, NAMED, NODE, Outline, Token
from epsilex.forms.reading import outline
from epsilex.programs.fold import Node
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, opcode


def outline_of(
    form: str | Form | None, names: Sequence[str], operators: Sequence[str], max_length: int, **others: Any
) -> Outline | None:
    """The outline of a form, None without one; `others` are parameters that cannot stand beside a form."""
    if form is None:
        return None
    known = form if isinstance(form, Form) else Form(form)
    for name, value in others.items():
        if value is not None and len(value):
            raise ValueError(f"form: expected no {name} beside it; got {value!r:.100}")
    return outline(known, names, operators, max_length)


def scaled(known: Outline, X: np.ndarray, y_scale: float) -> Outline:
    """The outline for a search: arguments divided by their size on the rows of X, and the target by `y_scale`.

    The zero and the ratios of columns stay, so the outline means the same.
    """
    sizes: dict[tuple[int, int], float] = {}
    for call in known.calls:
        for argument, script in enumerate(call.arguments):
            place = (call.function, argument)
            sizes[place] = max(sizes.get(place, 0.0), _size(known, script, X))
    factors = tuple(
        tuple(1.0 / sizes[k, argument] for argument in range(len(function.arguments)))
        for k, function in enumerate(known.functions)
    )
    whole = known.scripts[0]
    if y_scale != 1.0:
        whole = (*whole, Token(NODE, CONSTANT, 0, 1.0 / y_scale), Token(NODE, opcode("mul")))
    return replace(known, factors=factors, scripts=(whole, *known.scripts[1:]))


def _size(known: Outline, script: int, X: np.ndarray) -> float:
    """A power of two near the largest value of an argument; 1 where it depends on what is searched."""
    tokens = known.scripts[script]
    if any(token.kind in (CALL, NAMED) for token in tokens):
        return 1.0
    nodes: list[Node] = [(token.value, token.column, token.number) for token in tokens]
    largest = float(np.abs(evaluate64(nodes, X)).max())
    return float(2.0 ** np.floor(np.log2(largest))) if 0.0 < largest < 1e30 else 1.0
