"""Targets and features at the ends of float64: a model that predicts, or a ValueError."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from drills import fits
from drills.command import QUICK, call
from drills.drill import Outcome, drill

SCALES = (5e-324, 1e-310, 1e-300, 1e-200, 1e-100, 1e-38, 1e-20, 1.0, 1e20, 1e38, 1e100, 1e200, 1e300, 1e307, 1.7e308)
OFFSETS = (0.0, 1.0, 1e8, 1e16, -1e100, 1e300, 1e308, -1.7e308)


def column(rng: random.Random, rows: int) -> np.ndarray:
    """Finite values with a scale, an offset and an outlier of their own."""
    draw = np.random.default_rng(rng.randrange(2**32))
    with np.errstate(all="ignore"):
        values = draw.uniform(-1, 1, size=rows) * rng.choice(SCALES) + rng.choice(OFFSETS) * (rng.random() < 0.4)
        if rng.random() < 0.3:
            values[draw.integers(rows)] = rng.choice(SCALES)
        if rng.random() < 0.1:
            values = np.round(values)
        if rng.random() < 0.1:
            values[:] = values[0]
    return np.nan_to_num(values, nan=0.0, posinf=1.7e308, neginf=-1.7e308)


@drill(
    "Numbers at the ends of float64 give a finite prediction or a clear error", full=300, unit="extreme tables", least=3
)
def extreme_numbers(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    warnings.simplefilter("ignore")
    for k in range(n):
        X, y = np.column_stack([column(rng, 30) for _ in range(2)]), column(rng, 30)
        outcome.count += 1
        if k % 3 == 2:
            _command(outcome, X, y, folder, k)
            continue
        kind = rng.choice(("modern", "paper", "dynamic"))
        try:
            est = fits.estimator(kind, generations=2, population_size=50, random_state=k).fit(X, y)
        except ValueError:
            outcome.add("refused")
            continue
        except Exception as error:
            outcome.expect(False, f"{kind}, table {k}: {type(error).__name__}: {error}")
            continue
        outcome.add("fitted")
        predicted = est.predict(X)
        outcome.expect(
            np.isfinite(predicted).all() or kind != "modern",
            f"{kind}, table {k}: {est.model_.formula[:80]} is not finite on its rows",
        )


def _command(outcome: Outcome, X: np.ndarray, y: np.ndarray, folder: Path, k: int) -> None:
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).to_csv(folder / "d.csv", index=False)
    done = call("fit", folder / "d.csv", "--target", "y", *QUICK, "--out", folder / "out", "--overwrite", "--json")
    outcome.add("commands")
    if done.code == 0:
        json.loads(done.out)
        again = call("predict", folder / "out" / "model.json", folder / "d.csv", "--target", "y")
        outcome.expect(again.code == 0, f"table {k}: predict ended with {again.code}: {again.err[-300:]}")
    else:
        outcome.expect(done.one_line, f"table {k}: code {done.code}: {done.err[-300:]}")
