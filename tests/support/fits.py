"""A fit on record, made by hand: three models, rows, a history."""

from __future__ import annotations

import numpy as np

from epsilex.models.model import model
from epsilex.programs.parser import parse
from epsilex.report import Fit

FORMULAS = ("2*x0", "2*x0 + 0.5*x1", "2*x0 + sin(x1)/2 - 0.1*x2**2")


def some_fit(names=("RM", "LSTAT", "x3"), target="price", **changes) -> Fit:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = 2.0 * X[:, 0] + 0.5 * np.sin(X[:, 1])
    models = [
        model(parse(formula), names, mae=0.4 / (k + 1), test_mae=0.5 / (k + 1), test_r2=0.9, r2=0.9, proven=k == 0)
        for k, formula in enumerate(FORMULAS)
    ]
    generations = [float(g) for g in range(12)]
    columns = ("best_mae", "median_mae", "cases_used", "cases_used_mean", "diversity", "mean_length")
    history = {"generation": generations} | {name: [1.0 / (g + 1.0) for g in generations] for name in columns}
    history["median_mae"][0] = None
    values = dict(
        target=target,
        facts={"data": "prices.csv", "search": "12 generations in 3.4 s, ended by the clock", "held back": "10 rows"},
        settings={"selection": "lex_e_mad", "operators": "add, sub"},
        command=f"epsilex fit prices.csv --target {target} --generations 12",
        notes=["2 of 42 rows have missing values and are dropped"],
        models=models,
        chosen=1,
        choice={
            "text": "2*x0 is shorter, but errs 40% more. The odds are 12 to one.",
            "odds": 12.0,
            "noise": "additive",
            "closest": "2*x0",
        },
        X=X,
        y=y,
        held_back=np.arange(40) >= 30,
        history=history,
    )
    return Fit(**{**values, **changes})
