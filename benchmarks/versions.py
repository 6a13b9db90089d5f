"""Two versions of epsilex side by side: `python -m benchmarks.versions FOLDER` compares this one with a checkout there.

Each measurement is a short program that runs in a process of its own, the versions in turns, and prints CPU seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.startup import FIT, PAPER
from benchmarks.timing import table

HERE = Path(__file__).parents[1]
TURNS, COLD_TURNS = 3, 1
TIMED = """
import time
def least(work, seconds=1.0):
    work()
    times, until = [], time.process_time() + seconds
    while time.process_time() < until or len(times) < 3:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    print(min(times))
"""
EVALUATION = """
import numpy as np
from epsilex import programs
rng = np.random.default_rng(0)
X = rng.normal(size=({rows}, 8)).astype(np.float32)
p = programs.random_programs(1000, 8, rng, min_length=3, max_length=50,
                             operators=("add", "sub", "mul", "div", "sin", "cos", "exp", "log"))
least(lambda: programs.evaluate(p, X, n_jobs=1))
"""
SELECTION = """
import numpy as np
from epsilex import selection
errors = np.abs(np.random.default_rng(0).normal(size=(1000, {cases}))).astype(np.float32)
least(lambda: selection.select("{method}", errors, 1000, np.random.default_rng(1)))
"""
TRIAL = """
import numpy as np
from epsilex import SymbolicRegressor
rng = np.random.default_rng(0)
X = rng.uniform(0.05, 6.05, (1024, 5))
y = 10 / (5 + ((X - 3) ** 2).sum(axis=1))
def fit(generations):
    SymbolicRegressor.paper(selection="tournament", generations=generations, n_jobs=1, random_state=0).fit(X, y)
fit(2)
start = time.process_time()
fit(60)
print(time.process_time() - start)
"""
IN_ALL = "start = time.process_time()\n{code}\nprint(time.process_time() - start)\n"
WARM = {
    **{f"1000 programs, {rows} rows": EVALUATION.format(rows=rows) for rows in (354, 1000, 10_000)},
    **{
        f"1000 parents by `{method}`, {cases} cases": SELECTION.format(method=method, cases=cases)
        for method, cases in (("lex_e_mad", 354), ("lex_e_mad", 1024), ("lex_e_mad", 4200), ("lex_semi", 1024))
    },
    "60 generations of the paper's system": TRIAL,
    "first fit, default settings, warm": IN_ALL.format(code=FIT),
    "first fit, the paper's settings, warm": IN_ALL.format(code=PAPER),
}
COLD = {
    "first fit, default settings, cold": IN_ALL.format(code=FIT),
    "first fit, the paper's settings, cold": IN_ALL.format(code=PAPER),
}


def seconds(code: str, version: Path, cache: str) -> float:
    """What the program prints, run with the package of a checkout."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPATH": str(version / "src"), "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", TIMED + code], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def warm(versions: tuple[Path, Path]) -> dict[str, list[float]]:
    """Least seconds of both versions, with kernels compiled before."""
    best = {name: [float("inf")] * 2 for name in WARM}
    with tempfile.TemporaryDirectory() as cache:
        folders = [f"{cache}/{k}" for k in range(2)]
        for turn in range(TURNS + 1):
            for name, code in WARM.items():
                for k, version in enumerate(versions):
                    spent = seconds(code, version, folders[k])
                    if turn > 0:
                        best[name][k] = min(best[name][k], spent)
    return best


def cold(versions: tuple[Path, Path]) -> dict[str, list[float]]:
    """Least seconds of both versions, with every kernel still to compile."""
    best = {name: [float("inf")] * 2 for name in COLD}
    for _ in range(COLD_TURNS):
        for name, code in COLD.items():
            for k, version in enumerate(versions):
                with tempfile.TemporaryDirectory() as cache:
                    best[name][k] = min(best[name][k], seconds(code, version, cache))
    return best


def main(other: Path) -> None:
    versions = (other, HERE)
    best = warm(versions) | cold(versions)
    rows = [[name, f"{old:.4g}", f"{new:.4g}", f"{new / old:.2f}"] for name, (old, new) in best.items()]
    print(table(["CPU seconds", "other", "this one", "ratio"], rows))


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "src" / "epsilex").is_dir():
        sys.exit("usage: python -m benchmarks.versions FOLDER, a checkout of another version")
    main(Path(sys.argv[1]).resolve())
