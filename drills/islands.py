"""Islands whose workers are killed, join and leave."""

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
SEARCHES = 5  # for each kill, at most


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
    for _ in range(SEARCHES * n):
        with Killer(pool.pids, rng, 4.0, min(2, n - outcome.count)) as killer:
            found = fits.hashes(estimator(4, n_jobs=2).fit(X, y))
        outcome.count += killer.kills
        outcome.add("searches compared")
        outcome.expect(found == whole, f"after {outcome.count} kills a search ends with other bits")
        if outcome.count >= n:
            return
    outcome.expect(False, f"{outcome.count} of {n} kills in {SEARCHES * n} searches: nobody was there to be killed")


@drill(
    "16 islands on 8 Dask workers that leave and join: nothing is lost, nothing doubled",
    full=20,
    unit="workers killed, retired or added",
    least=1,
)
def elastic_cluster(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    try:
        from distributed import LocalCluster
    except ImportError:
        outcome.figures["left out"] = "distributed is not installed"
        return
    from epsilex import Settings

    X, y = fits.data()
    how = {"generations": 30, "settings": Settings(planters=())}  # the workers are what is drilled
    whole = fits.hashes(estimator(16, **how).fit(X, y))
    with LocalCluster(n_workers=8, threads_per_worker=1, dashboard_address=None, processes=True) as cluster:

        def change(state) -> None:
            """At the end of each epoch: kill a worker, which its nanny replaces, or ask for fewer or more."""
            if outcome.count >= n:
                return
            outcome.count += 1
            act = rng.choice(("killed", "left", "joined"))
            pids = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
            if act == "killed" and pids:
                os.kill(rng.choice(pids), signal.SIGKILL)
            elif act == "left":
                cluster.scale(max(3, len(cluster.worker_spec) - 2))
            else:
                cluster.scale(min(10, len(cluster.worker_spec) + 2))
            outcome.add(act)

        while True:
            est = estimator(16, dask=cluster.scheduler_address, callbacks=[change], **how).fit(X, y)
            outcome.add("searches compared")
            outcome.expect(est.n_generations_ == 30, f"it ended after {est.n_generations_} generations")
            outcome.expect(fits.hashes(est) == whole, "a search ends with other bits")
            if outcome.count >= n:
                break
