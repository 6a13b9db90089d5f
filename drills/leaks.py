"""Leaks: threads, open files and memory after many fits; and the memory of a million rows."""

from __future__ import annotations

import gc
import os
import random
import resource
import threading
import warnings
from pathlib import Path

from drills import fits
from drills.command import start_python
from drills.drill import Outcome, drill

WARM = 20  # fits before memory is measured: caches fill first
PER_FIT = 0.25  # megabytes that a fit may leave
MILLION = """
import sys, resource
import numpy as np
from epsilex import SymbolicRegressor
rows = int(sys.argv[1])
rng = np.random.default_rng(0)
X = rng.normal(size=(rows, 5))
y = X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.1 * rng.normal(size=rows)
est = SymbolicRegressor(generations=2, time_limit=None, random_state=0, n_jobs=2).fit(X, y)
assert np.isfinite(est.predict(X)).all()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def memory() -> float:
    """Resident megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


@drill("Fits leave no threads, no open files and no growing memory", full=200, unit="fits in one process", least=8)
def leaks(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    X, y = fits.data()
    warnings.simplefilter("ignore")
    warm = min(WARM, n // 2)
    for k in range(n):
        if k == warm:
            gc.collect()
            before = (threading.active_count(), len(os.listdir("/proc/self/fd")), memory())
        kind = ("modern", "paper", "dynamic")[k % 3]
        fits.estimator(kind, generations=2, random_state=k, n_jobs=1 + k % 3, checkpoint=folder / "checkpoint").fit(
            X, y
        )
        outcome.count += 1
    gc.collect()
    outcome.expect(threading.active_count() <= before[0], f"{threading.active_count()} threads, {before[0]} before")
    open_files = len(os.listdir("/proc/self/fd"))
    outcome.expect(open_files <= before[1], f"{open_files} open files, {before[1]} before")
    grown = (memory() - before[2]) / max(1, n - warm)
    outcome.figures["megabytes per fit"] = round(max(0.0, grown), 3)
    outcome.expect(n < 100 or grown <= PER_FIT, f"memory grows by {grown:.2f} megabytes per fit")


@drill("A million rows are fitted within 3 GB", full=1_000_000, unit="rows", least=20_000)
def million_rows(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    process = start_python("-c", MILLION, n, folder=folder)
    out, err = process.communicate(timeout=1200)
    outcome.count = n
    outcome.expect(process.returncode == 0, f"code {process.returncode}: {err[-300:]!r}")
    if process.returncode == 0:
        outcome.figures["gigabytes at most"] = round(float(out), 2)
        outcome.expect(float(out) <= 3.0, f"{float(out):.2f} GB")
