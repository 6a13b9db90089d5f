"""Fits at once: threads and processes give the usual bits, and two fits never share a folder or a checkpoint."""

from __future__ import annotations

import random
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from drills import fits
from drills.command import start
from drills.drill import Outcome, drill
from drills.kills import litter


@drill(
    "Fits in several threads of one process give the bits of fits alone", full=100, unit="fits in 4 threads", least=4
)
def concurrent_fits(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    X, y = fits.data()
    seeds = [rng.randrange(4) for _ in range(n)]

    def fit(seed: int) -> tuple:
        return fits.hashes(fits.estimator("modern", random_state=seed, n_jobs=1 + seed % 3, generations=4).fit(X, y))

    alone = {seed: fit(seed) for seed in set(seeds)}
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(fit, seeds))
    outcome.count = n
    outcome.expect(found == [alone[seed] for seed in seeds], "fits at once differ from fits alone")


@drill(
    "Of searches that begin at once with one checkpoint, one runs and the others are refused",
    full=100,
    unit="searches for one checkpoint",
    least=6,
)
def one_checkpoint(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    X, y = fits.data()
    whole = fits.hashes(fits.estimator("modern", generations=4).fit(X, y))

    def fit(k: int) -> str:
        try:
            est = fits.estimator("modern", generations=4, checkpoint=folder / "one", checkpoint_every=0.0).fit(X, y)
        except ValueError as error:
            return "refused" if "another search is writing" in str(error) else f"{error}"
        return "ran" if fits.hashes(est) == whole else "other bits"

    warnings.simplefilter("ignore")
    with ThreadPoolExecutor(4) as pool:
        for told in pool.map(fit, range(n)):
            outcome.count += 1
            outcome.add(told)
            outcome.expect(told in ("ran", "refused"), told)
    outcome.expect(outcome.figures.get("ran"), "none ran")
    outcome.expect(not litter(folder), f"left behind: {litter(folder)}")


@drill(
    "Of two commands with one folder, one writes it and the other ends with one line",
    full=30,
    unit="pairs of commands",
    least=1,
)
def one_folder(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    fits.table(folder / "d.csv")
    for k in range(n):
        out = f"out{k}"
        arguments = (
            "fit",
            "d.csv",
            "--target",
            "y",
            "--generations",
            "60",
            "--population",
            "300",
            "--jobs",
            "1",
            "--out",
            out,
        )
        pair = [start(*arguments, folder=folder) for _ in range(2)]
        told = [process.communicate(timeout=300) for process in pair]
        codes = sorted(process.returncode for process in pair)
        outcome.count += 1
        outcome.add("second refused", codes == [0, 2])
        outcome.expect(codes in ([0, 2], [0, 0]), f"codes {codes}: {[err[-200:] for _, err in told]}")
        for process, (_, err) in zip(pair, told, strict=True):
            if process.returncode == 2:
                outcome.expect(
                    (b"another fit is writing" in err or b"holds a fit already" in err) and b"Traceback" not in err,
                    f"{err[-300:]!r}",
                )
        outcome.expect(not litter(folder), f"left behind: {litter(folder)}")
