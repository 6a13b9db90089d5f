"""From a fitted estimator to the record of its fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from epsilex.data.scales import size
from epsilex.models import Model
from epsilex.report.agreement import disagreement
from epsilex.report.fit import Fit, some_generations, some_rows

HISTORY = ("generation", "best_mae", "median_mae", "cases_used", "cases_used_mean", "diversity", "mean_length")
REASONS = {
    "generations": "all its generations done",
    "time": "ended by the clock",
    "target": "ended at the requested error",
    "exact": "ended early with an exact formula",
    "interpolation": "ended early: formulas pass through every row, and nothing is left to learn from them",
    "settled": "ended early: no improvement for a long time",
    "interrupt": "interrupted",
}


@dataclasses.dataclass(frozen=True)
class Measurements:
    """The rows of a fit, as a report knows them.

    X, y       (rows, features) and (rows,) float64
    held_back  (rows,) bool: rows that the search has not seen
    fitted     number of rows the search has seen, if they are not all here
    """

    X: np.ndarray
    y: np.ndarray
    held_back: np.ndarray
    fitted: int | None = None

    @classmethod
    def some(cls, X: np.ndarray, y: np.ndarray) -> Measurements:
        """Training rows, few enough to keep for a page."""
        shown = some_rows(len(y), X.shape[1])
        return cls(X[shown], y[shown], np.zeros(len(shown), bool), len(y))

    def with_held_back(self, X: np.ndarray, y: np.ndarray) -> Measurements:
        """These rows, and others that the search has not seen."""
        flags = np.concatenate([self.held_back, np.ones(len(y), bool)])
        return Measurements(np.vstack([self.X, X]), np.concatenate([self.y, y]), flags, self.fitted)


def record(est: Any, rows: Measurements, target: str, command: str, notes: Sequence[str], data: str = "") -> Fit:
    """The record of a fitted estimator.

    command  how to run it again, "" if that is not known
    data     name of the data, "" if it has none
    """
    shown = some_rows(len(rows.y), rows.X.shape[1])
    held, choice, chosen = int(rows.held_back.sum()), est.choice_, est.models_.index(est.model_)
    against = disagreement(est.models_, chosen, rows.X, rows.y, rows.held_back)
    fitted = rows.fitted if rows.fitted is not None else len(rows.y) - held
    facts = {
        "data": data,
        "rows": f"{fitted} to fit",
        "held back": f"{held} rows",
        "features": str(rows.X.shape[1]),
        "search": _course(est),
    }
    return Fit(
        target=target,
        facts={name: text for name, text in facts.items() if text},
        settings={name: _plain(value) for name, value in dataclasses.asdict(est.settings_).items()},
        command=command,
        notes=notes,
        models=[scored(m, rows) for m in est.models_],
        chosen=chosen,
        choice={
            "text": " ".join(filter(None, (choice.text, against))),
            "odds": None if choice.odds is None or not np.isfinite(choice.odds) else choice.odds,
            "noise": choice.noise,
            "closest": None if choice.closest is None else choice.closest.formula,
        },
        X=rows.X[shown],
        y=rows.y[shown],
        held_back=rows.held_back[shown],
        history=_history(est.history_),
        stopped_by=est.stopped_by_,
    )


def scored(m: Model, rows: Measurements) -> Model:
    """The model with its errors on the held-back rows, and on all rows if they are all there."""
    unit, held_back = size(rows.y), rows.held_back
    y, prediction = rows.y / unit, m.predict(rows.X) / unit
    errors = np.abs(y - np.where(np.isfinite(prediction), prediction, np.inf))
    metrics = dict(m.metrics)
    with np.errstate(over="ignore"):  # the mean of the largest numbers may be infinite
        if rows.fitted is None:
            metrics["mae_all"] = float(errors.mean() * unit)
        if held_back.any():
            spread = float(((y[held_back] - y[held_back].mean()) ** 2).mean())
            mse = float((errors[held_back] ** 2).mean())
            metrics["test_mae"] = float(errors[held_back].mean() * unit)
            metrics["test_r2"] = 1.0 - mse / spread if spread else np.nan
    return dataclasses.replace(m, metrics=metrics)


def _course(est: Any) -> str:
    """The course of the search, in words."""
    seconds = float(est.history_["seconds"].iloc[-1])
    return f"{est.n_generations_} generations in {seconds:.1f} s, {REASONS.get(est.stopped_by_, est.stopped_by_)}"


def _history(rows: Any) -> dict[str, list[float | None]]:
    """Columns of the history, None where a value is not finite."""
    some = rows.iloc[some_generations(len(rows))].replace([np.inf, -np.inf], np.nan).astype(object)
    return {name: some[name].where(some[name].notna(), None).tolist() for name in HISTORY}


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items()) or "none"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
