"""Some generations of one island: a pure function, so any process may compute it, and compute it again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from epsilex.evolution.islands.exchange import emigrants, settled
from epsilex.evolution.islands.island import Island, Packed, Parcel
from epsilex.evolution.islands.plan import Islands
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.history import row
from epsilex.evolution.observers.renewing import take_in, watch
from epsilex.evolution.run import Run
from epsilex.evolution.state import State
from epsilex.evolution.step import step

Rows = list[dict[str, float]]


@dataclass
class Patience:
    """Whether work is still wanted; it is called before each generation. Time counts from the first call."""

    seconds: float | None = None
    _began: float | None = field(default=None, init=False)

    def __call__(self) -> bool:
        if self._began is None:
            self._began = time.monotonic()
        return self.seconds is None or time.monotonic() - self._began <= self.seconds


def advanced(
    packed: Packed | None, run: Run, plan: Islands, arriving: Sequence[Parcel], until: int, wanted: Callable[[], bool]
) -> tuple[Packed, Rows] | None:
    """The island at generation `until`, within its epoch, and the history of the generations on the way there.

    packed    the island; None before its start
    arriving  what comes to it, if an epoch begins
    wanted    None is returned once it says no
    """
    settings, rows = run.settings, []
    if packed is None:
        nothing = Parcel.empty(settings.max_length)
        island = Island(run.start(), Archive(settings.max_length), (nothing, nothing))
    else:
        island = packed.island()
    state, archive, parcels = island.state, island.archive.copy(), island.parcels  # the island itself stays as it is
    watch(archive, run.at(state.generation))
    if packed is None:
        archive.update(state.population)
        rows.append(row(state, 0.0, run.clock.seconds()))
    else:
        state = _measured_again(state, run)
        if state.generation % plan.every == 0 and arriving:
            state = settled(state, arriving, run)
    while state.generation < until:
        if not wanted():
            return None
        state = step(state, run)
        take_in(archive, state, run)
        rows.append(row(state, 0.0, run.clock.seconds()))
        if state.generation % plan.every == 0:
            parcels = (parcels[1], emigrants(state, settings, plan.emigrants))
    return Island(state, archive, parcels).packed(), rows


def _measured_again(state: State, run: Run) -> State:
    """The state with the errors of its population, which do not travel."""
    if not len(state.population) or state.population.errors.shape[1]:
        return state
    measured = run.measured(state.population.programs)
    return replace(state, population=replace(state.population, errors=np.asarray(measured.errors)))
