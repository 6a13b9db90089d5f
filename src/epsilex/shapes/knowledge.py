"""From an estimator's parameters to what the search and the front need to know about shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval
from epsilex.shapes.statements import Statement, statements
from epsilex.shapes.verdict import POINTS, THOROUGH, has_pole, holds, points, proven


@dataclass(frozen=True)
class Shapes:
    """Statements, and the box over which they hold.

    size  a typical distance of the target's values from 0
    """

    known: tuple[Statement, ...]
    box: tuple[Interval, ...]
    size: float
    few: np.ndarray = field(repr=False)
    many: np.ndarray = field(repr=False)

    @property
    def fixed(self) -> float | None:
        """The value that some statement fixes."""
        return next((one.value for one in self.known if one.equal), None)

    def allows(self, nodes: Sequence[Node]) -> bool:
        """Whether no violation is found on some points."""
        return all(holds(nodes, one, self.box, self.few, self.size) for one in self.known)

    def thorough(self, nodes: Sequence[Node]) -> bool:
        """Whether no violation and no pole is found on many points."""
        return not has_pole(nodes, self.many) and all(
            holds(nodes, one, self.box, self.many, self.size) for one in self.known
        )

    def of_groups(self, table: np.ndarray, thorough: bool = False) -> Shapes:
        """The same for formulas with constants of groups, in columns after the features: each point belongs to one
        group. `table` (constants, groups) has their values. Many points, if the check is to be `thorough`."""

        def with_own(at: np.ndarray) -> np.ndarray:
            return np.column_stack([at, table[:, np.arange(len(at)) % table.shape[1]].T])

        own = tuple(Interval(float(values.min()), float(values.max())) for values in table)
        many = with_own(self.many) if thorough else self.many
        return replace(self, box=(*self.box, *own), few=with_own(self.few), many=many)

    def verdict(self, nodes: Sequence[Node]) -> str | None:
        """ "proven" if intervals prove every statement, "checked" if no violation is found on many points, None if one
        is violated."""
        if not self.thorough(nodes):
            return None
        return "proven" if all(proven(nodes, one, self.box, self.size) for one in self.known) else "checked"


def shapes_of(
    texts: Sequence[str], domain: Mapping[str, Sequence[float]] | None, names: Sequence[str], X: np.ndarray,
    y: np.ndarray,
) -> Shapes | None:  # fmt: skip
    """What the texts say, over the box of the rows X or the given `domain`; None if they say nothing."""
    if not texts:
        if domain:
            raise ValueError(f"domain: expected together with constraints; got {domain!r} alone")
        return None
    sides = [(float(lo), float(hi)) for lo, hi in zip(X.min(axis=0), X.max(axis=0), strict=True)]
    for name, side in (domain or {}).items():
        if name not in names:
            raise ValueError(f"domain: expected names of columns, {', '.join(map(repr, names))}; got {name!r}")
        if np.shape(side) != (2,) or not np.isfinite(side).all() or not side[0] <= side[1]:
            raise ValueError(f"domain: expected a pair (low, high) for {name!r}; got {side!r}")
        sides[list(names).index(name)] = (float(side[0]), float(side[1]))
    box = tuple(Interval(lo, hi) for lo, hi in sides)
    size = float(np.abs(y).max()) or 1.0
    known = tuple(statements(texts, names))
    values = sorted({one.value for one in known if one.equal})
    if len(values) > 1:
        raise ValueError(f"constraints: expected one fixed value of f at most; got {', '.join(map(str, values))}")
    return Shapes(known, box, size, points(box, X, POINTS), points(box, X, THOROUGH))
