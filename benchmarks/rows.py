"""A million rows: a fit of 60 seconds ends in time and in little memory."""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Section, table

KEY = ("rows", "seconds", "method")
TASK = {"rows": 1_000_000, "seconds": 60.0, "method": "ours"}
QUICK = {"rows": 100_000, "seconds": 3.0, "method": "ours"}
FEATURES, TEST_ROWS = 10, 10_000
LATE, MEMORY = 15.0, 3.0  # seconds after the limit and gigabytes, at most


def some_rows(rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Friedman-1 with noise of sd 1: X (rows, 10), y (rows,)."""
    X = rng.uniform(size=(rows, FEATURES))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=rows)


def measure(rows: int, seconds: float, method: str) -> Row:
    """Wall-clock seconds of the whole fit and the process's largest resident memory, after compiling."""
    from epsilex import SymbolicRegressor

    rng = np.random.default_rng(0)
    SymbolicRegressor(generations=3, time_limit=None, random_state=0).fit(*some_rows(1000, rng))
    X, y = some_rows(rows, rng)
    start = time.perf_counter()
    est = SymbolicRegressor(time_limit=seconds, random_state=0).fit(X, y)
    wall = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
    r2 = est.score(*some_rows(TEST_ROWS, rng))
    return {
        "wall": wall, "gigabytes": memory, "r2": r2, "length": est.model_.length, "generations": est.n_generations_,
    }  # fmt: skip


def section(results: Results) -> Section:
    runs = results.rows()
    if not runs:
        return Section("Rows", "No runs yet.\n")
    lines = [
        [
            f"{run['rows']:,} x {FEATURES}", f"{run['seconds']:g} s", f"{run['wall']:.1f} s",
            f"{run['gigabytes']:.2f} GB", f"{run['r2']:.3f}", run["length"], run["generations"],
        ]
        for run in runs
    ]  # fmt: skip
    text = "Friedman-1 with noise of sd 1 (a perfect model has a test R2 of 0.96), wall-clock time, one thread.\n\n"
    headers = ["rows", "limit", "fit took", "memory", "test R2", "length", "generations"]
    figures = [
        (
            f"{run['rows']:,} x {FEATURES} rows, {run['seconds']:g} s",
            f"<= {run['seconds'] + LATE:g} s, < {MEMORY:g} GB",
            f"{run['wall']:.1f} s, {run['gigabytes']:.2f} GB",
        )
        for run in runs
    ]
    return Section("Rows", text + made(runs) + table(headers, lines), figures)


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    results = carry_out("rows", KEY, [QUICK if options.quick else TASK], options)
    print(section(results))
    if not options.quick:
        from benchmarks.fit import write_page

        write_page(options.results)


if __name__ == "__main__":
    main()
