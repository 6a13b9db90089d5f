"""What a person knows of the values and slopes of a run's formulas: statements, over the rows that the search sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilex.data.groups import known_codes
from epsilex.data.probes import Probes, probes_of
from epsilex.data.scales import Scales
from epsilex.models.model import Model
from epsilex.shapes.knowledge import Shapes, shapes_of
from epsilex.shapes.statements import statements
from epsilex.studio.notation import Notation
from epsilex.studio.preparing import Prepared
from epsilex.studio.specs import texts


@dataclass(frozen=True, eq=False)
class Bounds:
    """The rows over which statements are to hold.

    names  of the features
    X      (rows, columns) in the user's units; columns after the features stand for groups
    y      (rows,)
    """

    names: Sequence[str]
    X: np.ndarray
    y: np.ndarray

    @classmethod
    def of(cls, data: Prepared, notation: Notation) -> Bounds:
        seen = ~data.held_back & (data.weight > 0.0)
        X = data.X[seen]
        if data.labels is not None and notation.stand_ins is not None:
            code = known_codes(data.labels[seen], notation.labels)
            X = np.column_stack([X, notation.stand_ins[:, code].T])
        return cls(data.names, X, data.y[seen])

    def shapes(self, said: Sequence[str]) -> Shapes | None:
        """What the statements say; None if there are none."""
        return shapes_of(said, None, self.names, self.X[:, : len(self.names)], self.y)

    def probes(self, shapes: Shapes | None, units: Scales) -> Probes | None:
        """How a search in these units looks for violations."""
        return None if shapes is None else probes_of(shapes, self.X, units)


def violates(m: Model, shapes: Shapes | None) -> bool:
    """Whether a violation is found on some points; of a formula with constants per group, for some group."""
    if shapes is None:
        return False
    return not (shapes if m.own is None else shapes.of_groups(m.own.values)).allows(m.nodes)


def checked_bounds(asked: dict[str, Any], names: Sequence[str], begun: Sequence[str]) -> list[str]:
    """The statements of an act. One that fixes a value is part of a search from its beginning, because it decides how
    the search scales formulas; so those must be the ones that the run has `begun` with."""
    said = texts(asked, "constraints")
    fixed, first = (sorted(one.text for one in statements(each, names) if one.equal) for each in (said, begun))
    if fixed != first:
        expected = ", ".join(map(repr, first)) or "none"
        raise ValueError(
            f"constraints: expected the fixed values that the run began with, {expected}; got "
            f"{', '.join(map(repr, fixed)) or 'none'}. Begin a new run to fix others"
        )
    return said
