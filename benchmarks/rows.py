"""A million rows in memory and ten million of a file: fits end in time and in little memory."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import Any

import numpy as np

from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Section, table

KEY = ("rows", "seconds", "method")
TASKS = (
    {"rows": 1_000_000, "seconds": 20.0, "method": "memory"},
    {"rows": 10_000_000, "seconds": 20.0, "method": "file"},
)
QUICK = tuple({"rows": 100_000, "seconds": 3.0, "method": method} for method in ("memory", "file"))
FEATURES, TEST_ROWS = 10, 10_000
LATE, LATE_SHARE, MEMORY = 1.0, 0.05, 4.0  # seconds after the limit, or a share of it, and gigabytes, at most
BATCH = 500_000  # rows written at a time


def some_rows(rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Friedman-1 with noise of sd 1: X (rows, 10), y (rows,)."""
    X = rng.uniform(size=(rows, FEATURES))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=rows)


def measure(rows: int, seconds: float, method: str) -> Row:
    """Seconds of a fit and the process's largest resident memory, after compiling.

    The clock is that of the process: with one thread, its CPU time is what a wall clock shows on an idle machine.
    """
    time.perf_counter = time.monotonic = time.process_time

    from epsilex import SymbolicRegressor

    rng = np.random.default_rng(0)
    SymbolicRegressor(generations=3, time_limit=None, random_state=0).fit(*some_rows(1000, rng))
    if method == "file":
        with TemporaryDirectory() as folder:
            found = from_file(rows, seconds, rng, Path(folder))
    else:
        X, y = some_rows(rows, rng)
        start = time.perf_counter()
        est = SymbolicRegressor(time_limit=seconds, random_state=0).fit(X, y)
        found = {"wall": time.perf_counter() - start, "reading": 0.0, **result(est, rng)}
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    return found | {"gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9}


def from_file(rows: int, seconds: float, rng: np.random.Generator, folder: Path) -> Row:
    """What `epsilex fit rows.parquet --target y` does: read, fit, and write the results."""
    from epsilex.cli import fitting, preparing
    from epsilex.cli.fit_options import FIT

    path = folder / "rows.parquet"
    write(path, rows, rng)
    asked = {row.name: row.default for row in FIT} | {"target": "y"}
    est = fitting.estimator("default", {"time_limit": seconds, "random_state": 0, "n_jobs": 1})
    fitting._rehearse(est)
    start = time.perf_counter()
    data = preparing.prepared(path, asked)
    read = time.perf_counter()
    fit = fitting.fit(data, est, folder / "fit", ["epsilex", "fit"], [])
    wall = time.perf_counter() - read
    return {"wall": wall, "reading": read - start, "notes": list(fit.notes), **result(est, rng)}


def write(path: Path, rows: int, rng: np.random.Generator) -> None:
    """Rows in a Parquet file, batch by batch."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    names = [*(f"x{j}" for j in range(FEATURES)), "y"]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with ParquetWriter(path, schema) as file:
        for first in range(0, rows, BATCH):
            X, y = some_rows(min(BATCH, rows - first), rng)
            file.write_table(pa.Table.from_arrays([pa.array(column) for column in (*X.T, y)], schema=schema))


def result(est: Any, rng: np.random.Generator) -> Row:
    X, y = some_rows(TEST_ROWS, rng)
    r2 = 1.0 - float(np.mean((y - est.model_.predict(X)) ** 2) / np.var(y))
    return {"r2": r2, "length": est.model_.length, "generations": est.n_generations_, "used": est.rows_used_}


def section(results: Results) -> Section:
    runs = [run for run in results.rows() if "used" in run]  # those of older versions have no such figures
    if not runs:
        return Section("Rows", "No runs yet.\n")
    lines = [
        [
            f"{run['rows']:,} x {FEATURES}", run["method"], f"{run['seconds']:g} s", f"{run['wall']:.1f} s",
            f"{run['reading']:.1f} s", f"{run['gigabytes']:.2f} GB", f"{run['r2']:.3f}", run["length"],
            run["generations"], f"{run['used']['scored']:,}",
        ]
        for run in runs
    ]  # fmt: skip
    note = (
        "Friedman-1 with noise of sd 1 (a perfect model has a test R2 of 0.96), one thread. Clocks show the "
        "CPU time of the process, to the limit as well; wall time on an idle machine was not measured. The file "
        "is Parquet, fitted as by `epsilex fit`: a million of its rows are drawn, a quarter of them held back; its fit "
        "includes writing the report. The memory is the largest resident set of the process."
    )
    text = f"{fill(note, 120)}\n\n"
    headers = [
        "rows", "in", "limit", "fit took", "reading", "memory", "test R2", "length", "generations", "rows that score",
    ]  # fmt: skip
    figures = [
        (
            f"{run['rows']:,} x {FEATURES} rows ({run['method']}), {run['seconds']:g} s",
            f"<= {run['seconds'] + max(LATE, LATE_SHARE * run['seconds']):g} s, < {MEMORY:g} GB",
            f"{run['wall']:.1f} s, {run['gigabytes']:.2f} GB",
        )
        for run in runs
    ]
    return Section("Rows", text + made(runs) + table(headers, lines), figures)


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    results = carry_out("rows", KEY, QUICK if options.quick else TASKS, options)
    print(section(results))
    if not options.quick:
        from benchmarks.fit import write_page

        write_page(options.results)


if __name__ == "__main__":
    main()
