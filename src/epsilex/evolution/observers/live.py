"""The front while a search runs, as a callback sees it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from epsilex.data.scales import Scales
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.formulas import as_formula
from epsilex.models.model import Model, model
from epsilex.programs.fold import Node

if TYPE_CHECKING:
    import pandas as pd


class LiveFront(Sequence[Model]):
    """The best formula found so far at each length, the shortest first, in the user's units.

    A sequence of `Model`, each with its mean loss as `metrics["loss"]`. It is a copy, which the search does not change;
    the formulas are made when they are first looked at. Their constants are as the search left them; the front of the
    fitted estimator has polished constants, and simpler forms.
    """

    def __init__(self, archive: Archive, names: Sequence[str], scales: Sequence[Scales], power: int = 1):
        """`scales` lead from the user's units to the search's; the loss has this power of the target's unit."""
        places = archive.front
        self._loss, self._programs = archive.fitness[places], archive.programs.take(places)
        self._slope, self._intercept = archive.slope[places], archive.intercept[places]
        self._names, self._scales, self._power, self._form = list(names), list(scales), power, archive.form

    @cached_property
    def _models(self) -> list[Model]:
        unit = float(np.prod([scales.y_scale for scales in self._scales])) ** self._power
        found = [model(self._nodes(i), self._names, loss=float(loss) * unit) for i, loss in enumerate(self._loss)]
        front: list[Model] = []
        for m in sorted(found, key=lambda m: (m.length, m.metrics["loss"])):
            if not front or m.metrics["loss"] < front[-1].metrics["loss"]:
                front.append(m)
        return front

    def _nodes(self, i: int) -> list[Node]:
        return as_formula(self._programs.nodes(i), self._slope[i], self._intercept[i], self._scales, self._form)

    def __len__(self) -> int:
        return len(self._models)

    @overload
    def __getitem__(self, index: int) -> Model: ...
    @overload
    def __getitem__(self, index: slice) -> list[Model]: ...
    def __getitem__(self, index: int | slice) -> Model | list[Model]:
        return self._models[index]

    @property
    def best(self) -> Model:
        """The most accurate formula, the longest."""
        return self[-1]

    def frame(self) -> pd.DataFrame:
        """One row per formula: length, loss and formula."""
        import pandas as pd

        columns = {"length": [m.length for m in self], "loss": [m.metrics["loss"] for m in self]}
        return pd.DataFrame(columns | {"formula": [m.formula for m in self]})
