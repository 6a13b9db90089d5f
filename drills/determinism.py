"""One result for each seed and estimator, whatever the number of threads."""

from __future__ import annotations

import random
from pathlib import Path

from drills import fits
from drills.drill import Outcome, drill

THREADS = (1, 2, 3, 8)
ESTIMATORS = ("modern", "paper", "dynamic")


def results(kind: str, seed: int, threads: int, folder: Path) -> tuple[str, ...]:
    """Hashes of model, history, search and of the population that is read back from the checkpoint."""
    X, y = fits.data(seed)
    path = folder / f"{kind}-{seed}-{threads}"
    how = {"random_state": seed, "n_jobs": threads, "checkpoint": path}
    generations = 0 if seed % 4 == 3 else 6  # the start alone has the most outputs that are not finite
    whole = fits.estimator(kind, generations=generations, **how).fit(X, y)
    again = fits.estimator(kind, generations=generations, resume=True, **how).fit(X, y)
    return (*fits.hashes(whole), *fits.hashes(again))


@drill(
    "The same seed gives the same model, history and checkpoint, bit for bit, for any number of threads",
    full=60, unit="seeds and estimators, each with 1, 2, 3 and 8 threads", least=1,
)  # fmt: skip
def determinism(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    first = rng.randrange(1000)
    for k in range(n):
        kind, seed = ESTIMATORS[k % 3], first + k // 3
        found = {threads: results(kind, seed, threads, folder) for threads in THREADS}
        outcome.count += 1
        outcome.add("fits", 2 * len(THREADS))
        outcome.expect(len(set(found.values())) == 1, f"{kind}, seed {seed}: {found}")
        outcome.expect(
            all(f[:3] == f[3:] for f in found.values()), f"{kind}, seed {seed}: the checkpoint gives {found}"
        )
