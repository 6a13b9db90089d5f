"""Epochs of all islands on a pool of workers, in any order in which what they need is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from epsilex.evolution.islands.description import advance
from epsilex.evolution.islands.epoch import Patience, Rows
from epsilex.evolution.islands.island import Packed, Parcel
from epsilex.evolution.islands.plan import Islands
from epsilex.pools import Gone, HerePool, Pool, lost

POLL = 0.2  # seconds between looks at signals and the clock
ATTEMPTS = 6  # of the same work, whose workers die


class Task(NamedTuple):
    """An island on its way to a generation, for the given time."""

    island: int
    until: int
    attempt: int


class Voyage:
    """Where all islands are, and what they are doing.

    A round is a generation at which all islands have been: the end of each epoch, and each horizon. An island may be
    ahead of the others by as much as the exchange allows.
    """

    def __init__(self, pool: Pool, description: Any, plan: Islands, islands: Sequence[Packed] = ()):
        self.pool, self.description, self.plan = pool, description, plan
        self.at: list[Packed | None] = list(islands) or [None] * plan.n
        self.parcels: dict[tuple[int, int], Parcel] = {}  # by island and number of the epoch at whose end they left
        for island, packed in enumerate(islands):
            self._keep_parcels(island, packed)
        self.round = islands[0].generation if islands else -1
        self._running: dict[Future, Task] = {}
        self._again: list[Task] = []
        self._arrived: dict[int, dict[int, tuple[Packed, Rows]]] = {}  # by round and island

    def rounds(
        self, horizon: int, wanted: Callable[[], bool], seconds: float | None = None
    ) -> Iterator[tuple[list[Packed], list[Rows]]]:
        """All islands and the history of each since the last round, at every round up to the horizon.

        It ends before the horizon once nobody wants the rest, or after so many seconds.
        """
        end = None if seconds is None else time.monotonic() + seconds

        def still() -> bool:
            return wanted() and (end is None or time.monotonic() <= end)

        while self.round < horizon and still():
            self._submit(horizon, still, end)
            for future in self.pool.collect(POLL):
                self._take(future)
            while (goal := self._goal(self.round, horizon)) > self.round and len(
                self._arrived.get(goal, {})
            ) == self.plan.n:
                found = self._arrived.pop(goal)
                self.round = goal
                self._forget_parcels()
                ordered = [found[island] for island in range(self.plan.n)]
                yield [packed for packed, _ in ordered], [rows for _, rows in ordered]

    def _goal(self, generation: int, horizon: int) -> int:
        """The end of the epoch that begins at a generation or is under way, or the horizon."""
        if generation < 0:
            return 0
        return min((generation // self.plan.every + 1) * self.plan.every, horizon)

    def _submit(self, horizon: int, still: Callable[[], bool], end: float | None) -> None:
        """Give work to the workers that are free, to the islands that are behind first."""
        busy = {task.island for task in self._running.values()}
        waiting = {task.island: task for task in self._again}
        order = sorted(range(self.plan.n), key=lambda island: (self._generation(island), island))
        for island in order:
            until = self._goal(self._generation(island), horizon)
            if island in busy or until <= self._generation(island) or not self._ready(island):
                continue
            if not self.pool.free or not still():
                return
            task = waiting.get(island, Task(island, until, 1))
            left = None if end is None else end - time.monotonic()
            # Work in this process also heeds signals; elsewhere, work that is late ends by itself.
            patience = still if isinstance(self.pool, HerePool) else Patience(left)
            arriving = self._arriving(island)
            future = self.pool.submit(advance, self.description, island, self.at[island], arriving, until, patience)
            self._running[future] = task
            self._again = [other for other in self._again if other.island != island]

    def _take(self, future: Future) -> None:
        task = self._running.pop(future, None)
        if task is None:  # of an earlier search
            return
        if lost(future):
            if task.attempt >= ATTEMPTS:
                raise Gone(
                    f"islands: expected workers that stay alive; {ATTEMPTS} died with island {task.island}, perhaps "
                    "for lack of memory"
                )
            self._again.append(task._replace(attempt=task.attempt + 1))
            return
        found = future.result()
        if found is None:  # late: nobody waits for it
            return
        packed, rows = found
        self.at[task.island] = packed
        self._keep_parcels(task.island, packed)
        self._arrived.setdefault(task.until, {})[task.island] = packed, rows

    def _generation(self, island: int) -> int:
        packed = self.at[island]
        return -1 if packed is None else packed.generation

    def _epoch(self, island: int) -> int | None:
        """The number of the epoch whose parcels arrive now; None if none do."""
        number, within = divmod(self._generation(island), self.plan.every)
        return number - 1 if within == 0 and number >= 2 and self.plan.n > 1 else None

    def _ready(self, island: int) -> bool:
        """Whether all that arrives now is there."""
        epoch = self._epoch(island)
        return epoch is None or all((source, epoch) in self.parcels for source in self.plan.sources(island))

    def _arriving(self, island: int) -> list[Parcel]:
        epoch = self._epoch(island)
        return [] if epoch is None else [self.parcels[source, epoch] for source in self.plan.sources(island)]

    def _keep_parcels(self, island: int, packed: Packed) -> None:
        number = packed.generation // self.plan.every
        for k in (0, 1):
            if number - 1 + k >= 1:
                self.parcels[island, number - 1 + k] = packed.parcel(k)

    def _forget_parcels(self) -> None:
        oldest = self.round // self.plan.every - 1
        self.parcels = {(island, epoch): p for (island, epoch), p in self.parcels.items() if epoch >= oldest}
