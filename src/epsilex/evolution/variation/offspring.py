"""Children before they are measured, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from epsilex.evolution.variation.niches import Niche
from epsilex.programs import Programs
from epsilex.selection.methods import Memory


class Brood(NamedTuple):
    """The parents of a niche: indices of the population, the share of the cases that each selection event used, and
    what the selection method remembers of it."""

    niche: Niche
    parents: np.ndarray
    cases_used: np.ndarray
    memory: Memory = {}  # noqa: RUF012 - never written to


@dataclass(slots=True)
class Offspring:
    """One row per child.

    parents  the parent it is made from
    mate     its other parent, or its only parent
    origin   the parent it is equal to, -1 where it is new
    limits   how long it may be
    """

    programs: Programs
    parents: np.ndarray
    mate: np.ndarray
    origin: np.ndarray
    limits: np.ndarray

    def __len__(self) -> int:
        return len(self.parents)


def keep_allowed(allowed: np.ndarray, offspring: Offspring, parents: Programs) -> None:
    """Replace children that are not `allowed`, (children,) bool, by copies of their parents."""
    bad = np.flatnonzero(~allowed)
    source = offspring.parents[bad]
    for name in ("opcode", "feature", "constant", "length"):
        getattr(offspring.programs, name)[bad] = getattr(parents, name)[source]
    offspring.origin[bad] = offspring.mate[bad] = source
