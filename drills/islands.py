"""Islands whose workers are killed."""

from __future__ import annotations

import os
import random
import signal
import threading
from contextlib import suppress
from pathlib import Path

from drills import fits
from drills.drill import Outcome, drill

GENERATIONS = 60


def estimator(n: int, **changes):
    """The modern engine on `n` islands with short epochs."""
    from epsilex import Islands

    return fits.estimator("modern", **{"islands": Islands(n, every=5), "generations": GENERATIONS} | changes)


class Killer:
    """Kills one of the processes that `victims` lists, every now and then, until it is stopped."""

    def __init__(self, victims, rng: random.Random, wait: float, most: int):
        self._victims, self._rng, self._wait, self._most = victims, rng, wait, most
        self._over = threading.Event()
        self.kills = 0
        self._thread = threading.Thread(target=self._kill, daemon=True)

    def _kill(self) -> None:
        while self.kills < self._most and not self._over.wait(self._rng.uniform(0.0, self._wait)):
            with suppress(ProcessLookupError, RuntimeError):  # it is gone; or the pool changes while it is listed
                if pids := self._victims():
                    os.kill(self._rng.choice(pids), signal.SIGKILL)
                    self.kills += 1

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


@drill("Islands on processes that are killed end with the same bits", full=20, unit="kills of a worker", least=1)
def killed_workers(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    from epsilex.pools import kept_processes

    X, y = fits.data()
    whole = fits.hashes(estimator(4).fit(X, y))
    with kept_processes(2) as pool:
        pass  # the searches below take the same one
    while outcome.count < n:
        with Killer(pool.pids, rng, 4.0, min(2, n - outcome.count)) as killer:
            found = fits.hashes(estimator(4, n_jobs=2).fit(X, y))
        outcome.count += killer.kills
        outcome.add("searches compared")
        outcome.expect(found == whole, f"after {outcome.count} kills a search ends with other bits")
