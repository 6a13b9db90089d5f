"""A tuner: what it does to children, and what to survivors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epsilex.evolution.population import Population
    from epsilex.evolution.run import Run

Tune = Callable[["Population", "Run", int], None]


@dataclass(frozen=True, slots=True)
class Tuner:
    """Functions of (population, run, generation) that change constants in place and add to `population.evaluated`;
    None leaves them alone."""

    children: Tune | None = None
    survivors: Tune | None = None
