"""Two islands on two cores against one population on one core, in the same wall-clock time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from textwrap import fill

import numpy as np

from benchmarks import datasets, many_rows
from benchmarks.runs import Results, Row, made
from benchmarks.timing import Section, table

KEY = ("problem", "method", "seconds", "seed")
SECONDS, SEEDS = 6.0, 5
METHODS = {"one": {"n_jobs": 1}, "two": {"n_jobs": 2, "islands": 2}}
SPLIT = ("housing", "tower", "enh", "enc", "uball5d", "friedman1", "diabetes")  # of the comparison of fits
LABORATORY = ("airfoil", "concrete")
MANY = ("randhie", "arm", "rare")  # of tens of thousands of rows
PROBLEMS = (*SPLIT, *LABORATORY, *MANY)
EXACT = 1e-6  # relative error below which two fits are equally good


def load(problem: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training and test rows."""
    if problem in MANY:
        return many_rows.load(problem, seed)
    if problem in LABORATORY:
        from epsilex import problems

        train, test = problems.load(problem).split(seed)
        return train.X, train.y, test.X, test.y
    data = datasets.load(problem, 0.0, seed)
    return data.X, data.y, data.X_test, data.y_test


def measure(problem: str, method: str, seconds: float, seed: int) -> Row:
    """One fit under a time limit, after another that compiled all and started the processes."""
    from epsilex import SymbolicRegressor

    X, y, X_test, y_test = load(problem, seed)
    for limit in (2.0, seconds):
        began = time.monotonic()
        est = SymbolicRegressor(time_limit=limit, random_state=seed, **METHODS[method]).fit(X, y)
    spent = time.monotonic() - began
    error = y_test - est.predict(X_test)
    r2 = float(1.0 - np.mean(error**2) / np.var(y_test))
    return {"r2": r2, "length": est.model_.length, "generations": est.n_generations_, "wall": spent}


def tasks(quick: bool = False) -> list[Row]:
    """Methods take turns, so that a slow spell of the machine hits both of them."""
    return [
        {"problem": problem, "method": method, "seconds": 2.0 if quick else SECONDS, "seed": seed}
        for seed in range(1 if quick else SEEDS) for problem in PROBLEMS for method in METHODS
        if not quick or problem == "diabetes"
    ]  # fmt: skip


def ratios(rows: Sequence[Row], problem: str) -> list[float]:
    """Test error of two islands over that of one, the root of 1 - R2, by seed."""
    own = [row for row in rows if row["problem"] == problem]
    found = {(row["method"], row["seed"]): max(1.0 - row["r2"], 0.0) ** 0.5 for row in own}
    seeds = sorted({seed for _, seed in found if all((method, seed) in found for method in METHODS)})
    return [max(found["two", seed], EXACT) / max(found["one", seed], EXACT) for seed in seeds]


def section(results: Results) -> Section:
    rows = results.rows()
    known = {problem: found for problem in PROBLEMS if (found := ratios(rows, problem))}
    if not known:
        return Section("The same time on two cores", "No runs yet.\n")
    lines = []
    for problem, found in known.items():
        line: list[object] = [problem]
        for method in METHODS:
            own = [row for row in rows if (row["problem"], row["method"]) == (problem, method)]
            line.append(f"{median(row['r2'] for row in own):.4f} ({median(row['generations'] for row in own):.0f})")
        lines.append([*line, f"{median(found):.3f}", f"{min(found):.3f} to {max(found):.3f}"])
    worse = [problem for problem, found in known.items() if min(found) > 1.0]
    mean = float(np.exp(np.mean([np.log(median(found)) for found in known.values()])))
    note = (
        f"Median test R2 over {max(map(len, known.values()))} seeds (and generations of each population) after "
        f"{SECONDS:g} s of the clock, choice included: one population on one core, two islands on two. The ratio is "
        "that of test errors, the root of 1 - R2, two islands over one: its median and range over seeds. A problem "
        "counts as worse beyond noise if two islands lose with every seed."
    )
    columns = ["problem", "one population", "two islands", "ratio", "range"]
    figures = [
        ("test error of two islands over one, geometric mean of the medians", "< 1", f"{mean:.3f}"),
        (f"problems of {len(known)} that are worse beyond noise", "0", f"{len(worse)}"),
        ("problems whose median is better", "", f"{sum(median(found) < 1.0 for found in known.values())}"),
    ]
    return Section("The same time on two cores", f"{fill(note, 120)}\n\n{made(rows)}{table(columns, lines)}", figures)
