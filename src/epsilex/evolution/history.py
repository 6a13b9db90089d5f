"""History: one row a generation, read off as the loop goes by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.loop import Generation

if TYPE_CHECKING:
    import pandas as pd

PARTS = ("select", "vary", "evaluate", "tune", "survive")


def row(generation: Generation, seconds: float) -> dict[str, float]:
    """What a generation shows of itself.

    cases_used is the median over selection events of the share of cases used, cases_used_mean the mean; diversity is
    the share of distinct output vectors.
    """
    population = generation.population
    used = generation.cases_used
    return {
        "generation": generation.index,
        "best_mae": float(population.mae[population.best]),
        "median_mae": float(np.median(population.mae)),
        "cases_used": float(np.median(used)) if used.size else 0.0,
        "cases_used_mean": float(used.mean()) if used.size else 0.0,
        "diversity": len(np.unique(population.outputs)) / len(population),
        "mean_length": float(population.programs.length.mean()),
        "evaluations": generation.evaluations,
        "seconds": seconds,
        **{f"seconds_{part}": generation.seconds.get(part, 0.0) for part in PARTS},
    }


def frame(rows: list[dict[str, float]]) -> pd.DataFrame:
    """The rows as a DataFrame."""
    import pandas as pd

    return pd.DataFrame(rows).astype({"generation": int, "evaluations": int})
