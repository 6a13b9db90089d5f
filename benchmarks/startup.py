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
REPEATS = 3


def seconds(code: str, cache: str | None = None) -> float:
    """Wall-clock seconds that `code` takes in a new interpreter, whose own start is not counted."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    timed = f"import time\nstart = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    done = subprocess.run([sys.executable, "-c", timed], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def measure(code: str) -> tuple[float, float]:
    """Least seconds of several with an empty cache each, and of as many with a filled one."""
    cold, warm = [], []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(seconds(code, cache))
            warm.append(seconds(code, cache))
    return min(cold), min(warm)


def run() -> Section:
    imported, libraries = (min(seconds(code) for _ in range(REPEATS)) for code in (IMPORT, LIBRARIES))
    cold, warm = measure(FIT)
    paper_cold, paper_warm = measure(PAPER)
    text = (
        f"Wall-clock seconds in a new process, imports included; best of {REPEATS}. A cold cache has every kernel\n"
        "still to compile. Importing scikit-learn and Numba is part of every fit.\n\n"
    )
    lines = [
        ["`import epsilex`", f"{imported:.3f}", ""],
        ["`import sklearn.base, numba`", f"{libraries:.2f}", ""],
        ["first fit, default settings", f"{warm:.2f}", f"{cold:.1f}"],
        ["first fit, the paper's settings", f"{paper_warm:.2f}", f"{paper_cold:.1f}"],
    ]
    figures = [
        ("`import epsilex`", "<= 0.5 s", f"{imported:.3f} s"),
        ("first fit, warm cache", "<= 3 s", f"{max(warm, paper_warm):.2f} s, {libraries:.2f} s of it libraries"),
        ("first fit, cold cache", "<= 30 s", f"{max(cold, paper_cold):.1f} s"),
    ]
    return Section("Start-up", text + table(["", "warm", "cold"], lines), figures)


if __name__ == "__main__":
    print(run())
