"""Start-up: import and first fit in a new process, with the cache of compiled kernels warm and cold."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.timing import Section, table

IMPORT = "import epsilex"
LIBRARIES = "import sklearn.base, numba"  # whatever we do, a fit needs them
FIT = """
import numpy as np
from epsilex import SymbolicRegressor
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 5))
y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
SymbolicRegressor(population_size=200, generations=2, n_jobs=1, random_state=0).fit(X, y).predict(X)
"""
PAPER = FIT.replace("SymbolicRegressor(", "SymbolicRegressor.paper(")
COLD, WARM = 3, 10  # repeats; the best counts


def seconds(code: str, cache: str) -> float:
    """Wall-clock seconds that `code` takes in a new interpreter, whose own start is not counted. Byte code is kept from
    run to run, as anywhere."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    timed = f"import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    done = subprocess.run(
        [sys.executable, "-c", timed],
        env=environment | {"NUMBA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def cold(code: str) -> float:
    """Least seconds of several, with an empty cache each."""
    times = []
    for _ in range(COLD):
        with tempfile.TemporaryDirectory() as cache:
            times.append(seconds(code, cache))
    return min(times)


def warm(codes: tuple[str, ...]) -> list[float]:
    """Least seconds of each, in turns, with a filled cache."""
    with tempfile.TemporaryDirectory() as cache:
        for code in codes:
            seconds(code, cache)
        return [min(times) for times in zip(*([seconds(c, cache) for c in codes] for _ in range(WARM)), strict=True)]


def run() -> Section:
    imported, libraries, default, paper = warm((IMPORT, LIBRARIES, FIT, PAPER))
    cold_default, cold_paper = cold(FIT), cold(PAPER)
    text = (
        f"Wall-clock seconds in a new process with its imports; warm the best of {WARM}, cold of {COLD}. A cold cache\n"
        "has every kernel still to compile. Importing scikit-learn and Numba is part of every fit.\n\n"
    )
    lines = [
        ["`import epsilex`", f"{imported:.3f}", ""],
        ["`import sklearn.base, numba`", f"{libraries:.2f}", ""],
        ["first fit, default settings", f"{default:.2f}", f"{cold_default:.1f}"],
        ["first fit, the paper's settings", f"{paper:.2f}", f"{cold_paper:.1f}"],
    ]
    figures = [
        ("`import epsilex`", "<= 0.5 s", f"{imported:.3f} s"),
        ("first fit, warm cache", "<= 3 s", f"{max(default, paper):.2f} s, {libraries:.2f} s of it libraries"),
        ("first fit, cold cache", "<= 30 s", f"{max(cold_default, cold_paper):.1f} s"),
    ]
    return Section("Start-up", text + table(["", "warm", "cold"], lines), figures)


if __name__ == "__main__":
    print(run())
