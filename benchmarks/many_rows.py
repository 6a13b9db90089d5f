"""Very many rows: cases drawn anew against the same throughout, the time limit, and ten million rows of a file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

import numpy as np

from benchmarks.contenders import Ours
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Section, table

KEY = ("problem", "method", "seconds", "seed")
SECONDS, SEEDS = 4.0, 3
ROWS, TEST_ROWS = 40_000, 20_000  # of simulated problems
RARE = 0.01  # share of the rows of another regime
PAGE = Path(__file__).with_name("MANY_ROWS.md")
METHODS = {
    "4096, the same": {"fresh_cases": None},
    "4096, anew": {"fresh_cases": 10},
    "1024, anew": {"max_cases": 1024, "fresh_cases": 5},
}
REAL = {"tower": "distillation tower, measured", "randhie": "visits to the doctor, measured (statsmodels)"}


def friedman(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    from benchmarks.rows import some_rows

    return some_rows(n, rng)


def arm(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Distance of the end of a robot arm of four links from a point, by its joint angles and link lengths; noise 1%."""
    angles, lengths = rng.uniform(-1.5, 1.5, (n, 4)), rng.uniform(0.5, 1.5, (n, 4))
    turned = np.cumsum(angles, axis=1)
    x, y = (lengths * np.cos(turned)).sum(axis=1), (lengths * np.sin(turned)).sum(axis=1)
    distance = np.hypot(x - 1.0, y - 0.5)
    return np.hstack([angles, lengths]), distance * (1.0 + 0.01 * rng.normal(size=n))


def rare(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A pump whose flow collapses in few rows, where the inlet pressure is below that of the vapour."""
    X = rng.uniform(0.0, 1.0, (n, 6))
    X[:, 0] **= 0.25
    X[:, 1] = RARE * 8.0 * X[:, 1]
    low = np.maximum(X[:, 1] - X[:, 0] ** 8, 0.0)
    y = 3.0 * X[:, 2] * np.sqrt(X[:, 0]) + np.sin(3.0 * X[:, 3]) * X[:, 4] - 400.0 * low
    return X, y + 0.05 * rng.normal(size=n)


SIMULATED = {"friedman": friedman, "arm": arm, "rare": rare}
PROBLEMS = (*REAL, *SIMULATED)


def load(problem: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training and test rows."""
    rng = np.random.default_rng(seed)
    if problem in SIMULATED:
        X, y = SIMULATED[problem](rng, ROWS)
        return X, y, *SIMULATED[problem](rng, TEST_ROWS)
    if problem == "tower":
        from epsilex import problems

        train, test = problems.load(problem).split(seed)
        return train.X, train.y, test.X, test.y
    from statsmodels.datasets import randhie

    data = randhie.load_pandas()
    X, y = data.exog.to_numpy(float), data.endog.to_numpy(float)
    order = rng.permutation(len(y))
    train, test = np.split(order, [3 * len(y) // 4])
    return X[train], y[train], X[test], y[test]


def measure(problem: str, method: str, seconds: float, seed: int) -> Row:
    """One fit in so many CPU seconds of search, and its errors on test rows."""
    X, y, X_test, y_test = load(problem, seed)
    ours = Ours(**METHODS[method])
    ours.warm_up()
    began = time.process_time()
    fitted = ours(X, y, seconds, seed)
    out = fitted.predict(X_test)
    est = fitted.estimator
    return {
        "rows": len(y), "r2": float(1.0 - np.mean((y_test - out) ** 2) / np.var(y_test)),
        "mae": float(np.abs(y_test - out).mean()), "length": fitted.length, "generations": est.n_generations_,
        "cpu": time.process_time() - began,
    }  # fmt: skip


def tasks(problems: Sequence[str] = PROBLEMS, seeds: int = SEEDS, seconds: float = SECONDS) -> list[Row]:
    """Methods take turns, so that a slow spell of the machine hits all of them."""
    return [
        {"problem": problem, "method": method, "seconds": seconds, "seed": seed}
        for seed in range(seeds) for problem in problems for method in METHODS
        if (problem, method) != ("tower", "4096, anew")  # it has fewer rows
    ]  # fmt: skip


def section(results: Results) -> Section:
    rows = results.rows()
    if not rows:
        return Section("Cases drawn anew", "No runs yet.\n")
    seeds = len({row["seed"] for row in rows})
    note = (
        f"Test R2, the median over seeds ({seeds} so far), and generations, after {SECONDS:g} CPU seconds of search, "
        "one thread. Of more rows than the number of cases, the search sees that number: the same throughout, or drawn "
        f"anew every 5 (1024) or 10 (4096) generations. Simulated problems have {ROWS:,} rows."
    )
    lines = []
    for problem in dict.fromkeys(row["problem"] for row in rows):
        line = [problem, max(row["rows"] for row in rows if row["problem"] == problem)]
        for method in METHODS:
            own = [row for row in rows if (row["problem"], row["method"]) == (problem, method)]
            line.append(f"{_median(own, 'r2'):.4f} ({_median(own, 'generations'):.0f})" if own else "")
        lines.append(line)
    return Section(
        "Cases drawn anew", f"{fill(note, 120)}\n\n{made(rows)}{table(['problem', 'rows', *METHODS], lines)}"
    )


def _median(rows: Sequence[Row], name: str) -> float:
    return float(np.median([row[name] for row in rows]))


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    wanted = tasks(("friedman",), 1, 1.0) if options.quick else tasks()
    found = section(carry_out("many_rows", KEY, wanted, options))
    print(found)
    if not options.quick:
        from benchmarks import rows
        from benchmarks.fit import results

        command = "python -m benchmarks.rows` and `python -m benchmarks.many_rows"
        other = rows.section(results(options.results, "rows"))
        PAGE.write_text(f"# Many rows\n\nWritten by `{command}`.\n\n{found}\n{other}", encoding="utf-8")


if __name__ == "__main__":
    main()
