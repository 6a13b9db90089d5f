"""Our fits beside pyoperon's and gplearn's: 10 s and 60 s of CPU time, one thread, many problems.

`python -m benchmarks.compare` goes on where it was stopped; `--quick` is a smoke run.
"""

from __future__ import annotations

import numpy as np

from benchmarks import datasets
from benchmarks.comparison import section
from benchmarks.contenders import CONTENDERS, timed
from benchmarks.expressions import examine
from benchmarks.feynman_list import FORMULAS
from benchmarks.runs import Row, arguments, carry_out

KEY = ("problem", "noise", "seed", "method", "seconds")
BUDGETS = {"ours": (2, 10, 60), "operon-nsga": (60,), "operon-nsga-lm": (60,), "forest": (0,), "ridge": (0,)}
NOISES = (0.0, 0.1)
SEEDS, FORMULA_SEEDS = 3, 2
NEAR = 1e-6  # of 1 - R2: what is further off cannot be the formula with rounded constants


def tasks() -> list[Row]:
    """All runs; methods take turns on each problem, and every problem has a seed before any has the next."""
    return [
        dict(zip(KEY, (problem, noise, seed, method, seconds), strict=True))
        for seed in range(SEEDS)
        for problem, noise in problems()
        if seed < FORMULA_SEEDS or problem not in FORMULAS
        for method in CONTENDERS
        for seconds in BUDGETS.get(method, (10, 60))
    ]


def problems() -> list[tuple[str, float]]:
    """Names and noise: the noise of the formulas is ours to add, the others have their own."""
    return [(name, 0.0) for name in datasets.REAL] + [(name, noise) for noise in NOISES for name in FORMULAS]


def quick_tasks() -> list[Row]:
    return [
        dict(zip(KEY, (problem, 0.0, 0, method, 0 if BUDGETS.get(method) == (0,) else 2), strict=True))
        for problem in ("uball5d", "I.27.6")
        for method in CONTENDERS
    ]


def measure(problem: str, noise: float, seed: int, method: str, seconds: float) -> Row:
    """One run: accuracy on the test rows, length, time, and whether the formula was found."""
    data = datasets.load(problem, noise, seed)
    fitted, spent = timed(CONTENDERS[method], data.X, data.y, seconds, seed)
    accuracy = scores(data.y_test, fitted.predict(data.X_test), data.mae_unit)
    known = problem in FORMULAS and noise == 0.0 and fitted.nodes is not None
    near = accuracy["unexplained"] < NEAR
    examined = examine(fitted.nodes, data.X.shape[1], problem if known and near else None)
    if known and not near:
        examined["recovered"] = False
    return accuracy | {"length": fitted.length} | examined | spent | {"formula": formula(fitted)}


def scores(y: np.ndarray, prediction: np.ndarray, mae_unit: float = 1.0) -> dict[str, float]:
    """R2 and MAE on the test rows, and `1 - R2`, for R2 has too few digits near 1.

    A prediction that is not finite is none.
    """
    prediction = np.asarray(prediction, np.float64).reshape(-1)
    if not np.isfinite(prediction).all():
        return {"r2": -np.inf, "unexplained": np.inf, "mae": np.inf}
    with np.errstate(over="ignore"):
        unexplained = float(np.sum((y - prediction) ** 2) / np.sum((y - y.mean()) ** 2))
    return {
        "r2": 1.0 - unexplained,
        "unexplained": unexplained,
        "mae": float(np.mean(np.abs(y - prediction))) * mae_unit,
    }


def formula(fitted) -> str:
    """Readable text of the model, for whoever looks into the results."""
    from epsilex.programs.formula import text

    return "" if fitted.nodes is None else text(fitted.nodes, None, 6)


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    results = carry_out("compare", KEY, quick_tasks() if options.quick else tasks(), options)
    print(section(results))
    if not options.quick:
        from benchmarks.fit import write_page

        write_page(options.results)


if __name__ == "__main__":
    main()
