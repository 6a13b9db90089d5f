"""Programs of a search as the formulas that a person reads, in the user's units."""

from __future__ import annotations

from collections.abc import Sequence

from epsilex.data.scales import Scales, unscaled
from epsilex.forms.filled import formula
from epsilex.forms.filling import in_user_units
from epsilex.forms.tables import Tables
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node


def as_formula(
    nodes: Sequence[Node], slope: float, intercept: float, scales: Sequence[Scales], form: Tables | None = None
) -> list[Node]:
    """A program with its linear scaling; `scales` lead from the user's units to the search's. Of a program that fills a
    form, the formula that it makes."""
    if form is not None:
        return simplify(formula(in_user_units(nodes, form.outline), form.plain))
    found, scaling = list(nodes), (float(slope), float(intercept))
    for step in reversed(scales):
        found, scaling = unscaled(found, step, *scaling), (1.0, 0.0)
    return simplify(found)
