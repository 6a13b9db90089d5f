"""Small and noisy data: scikit-learn's diabetes, sets that statsmodels ships, and Housing cut to few rows.

Everything is numbers; columns that name rows, or are the target by another name, are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_diabetes

from epsilex import problems

TEST_SHARE = 0.25


@dataclass(frozen=True)
class Shipped:
    """A data set of statsmodels.

    target   a column, or a formula of columns
    without  other columns that are not inputs
    rows     how many to draw from a large set
    """

    target: str
    without: tuple[str, ...] = ()
    rows: int | None = None


SHIPPED = {
    "longley": Shipped("TOTEMP"),  # employment, 16 years
    "stackloss": Shipped("STACKLOSS"),  # ammonia lost in a plant, 21 days
    "copper": Shipped("WORLDCONSUMPTION"),  # 25 years
    "scotland": Shipped("YES"),  # share of votes, 32 districts
    "statecrime": Shipped("murder", without=("violent",)),  # murders in 51 states; violent crime includes them
    "ccard": Shipped("AVGEXP"),  # expenses by credit card, 72 people
    "grunfeld": Shipped("invest", without=("firm",)),  # investment, 11 firms in 20 years
    "engel": Shipped("foodexp"),  # expenses for food, 235 households
    "cancer": Shipped("cancer"),  # deaths in 301 counties
    "star98": Shipped("NABOVE / (NABOVE + NBELOW)"),  # share of pupils above the median, 303 districts
    "fair": Shipped("rate_marriage", without=("affairs",), rows=300),  # how 300 of 6366 women rate their marriage
}
CUTS = {f"housing{rows}": rows for rows in (60, 120, 240)}
NAMES = ("diabetes", *SHIPPED, *CUTS)


def load(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X, y, X_test, y_test of the split that `seed` draws, three quarters for training."""
    X, y, rows = whole(name)
    order = np.random.default_rng(seed).permutation(len(y))[:rows]
    test, train = np.split(order, [round(TEST_SHARE * len(order))])
    return X[train], y[train], X[test], y[test]


def whole(name: str) -> tuple[np.ndarray, np.ndarray, int | None]:
    """All rows of a set, and how many of them a split has (None: all)."""
    if name == "diabetes":
        return *load_diabetes(scaled=False, return_X_y=True), None
    if name in CUTS:
        housing = problems.load("housing")
        return housing.X, housing.y, CUTS[name]
    if name not in SHIPPED:
        raise ValueError(f"problem: expected one of {', '.join(NAMES)}; got {name!r}")
    from statsmodels import datasets

    shipped = SHIPPED[name]
    frame = getattr(datasets, name).load_pandas().data
    inputs = frame.drop(columns=[*set(re.findall(r"\w+", shipped.target)), *shipped.without])
    return inputs.to_numpy(np.float64), frame.eval(shipped.target).to_numpy(np.float64), shipped.rows
