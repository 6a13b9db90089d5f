"""From a fitted estimator to the record of its fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from epsilex.data.scales import size
from epsilex.models import Model
from epsilex.report.agreement import disagreement
from epsilex.report.fit import Fit, labelled, some_generations, some_rows

HISTORY = ("generation", "best_mae", "median_mae", "cases_used", "cases_used_mean", "diversity", "mean_length")
REASONS = {
    "generations": "all its generations done",
    "time": "ended by the clock",
    "target": "ended at the requested error",
    "exact": "ended early with an exact formula",
    "interpolation": "ended early: formulas pass through every row, and nothing is left to learn from them",
    "settled": "ended early: no improvement for a long time",
    "interrupt": "interrupted",
    "cluster": "ended early: the cluster went away",
}


@dataclasses.dataclass(frozen=True)
class Measurements:
    """The rows of a fit, as a report knows them.

    X, y       (rows, features) and (rows,) float64
    held_back  (rows,) bool: rows that the search has not seen
    fitted     number of rows the search has seen, if they are not all here
    weight     (rows,), or None: all rows count alike
    groups     the column of groups, and the label of each row; None if there are no groups
    """

    X: np.ndarray
    y: np.ndarray
    held_back: np.ndarray
    fitted: int | None = None
    weight: np.ndarray | None = None
    groups: tuple[str, list[str]] | None = None

    @classmethod
    def some(cls, X: np.ndarray, y: np.ndarray, groups: tuple[str, list[str]] | None = None) -> Measurements:
        """Training rows, few enough to keep for a page."""
        shown = some_rows(len(y), X.shape[1])
        return cls(X[shown], y[shown], np.zeros(len(shown), bool), len(y), groups=_taken(groups, shown))

    def with_held_back(self, X: np.ndarray, y: np.ndarray, labels: Sequence[str] | None = None) -> Measurements:
        """These rows, and others that the search has not seen, with their labels if there are groups."""
        flags = np.concatenate([self.held_back, np.ones(len(y), bool)])
        groups = None if self.groups is None else (self.groups[0], [*self.groups[1], *(labels or ())])
        return Measurements(np.vstack([self.X, X]), np.concatenate([self.y, y]), flags, self.fitted, groups=groups)

    def for_model(self, m: Model) -> Any:
        """X as a model needs it."""
        return labelled(self.X, self.groups, m)


def _taken(groups: tuple[str, list[str]] | None, rows: np.ndarray) -> tuple[str, list[str]] | None:
    """The labels of these rows."""
    return None if groups is None else (groups[0], [groups[1][k] for k in rows])


@dataclasses.dataclass(frozen=True)
class Course:
    """The course of a search: its settings, its history, how far it came in words, and why it stopped."""

    settings: Any
    history: Any
    words: str
    stopped_by: str


def record(est: Any, rows: Measurements, target: str, command: str, notes: Sequence[str], data: str = "") -> Fit:
    """The record of a fitted estimator.

    command  how to run it again, "" if that is not known
    data     name of the data, "" if it has none
    """
    choice, chosen = est.choice_, est.models_.index(est.model_)
    against = disagreement(est.models_, chosen, rows.for_model(est.model_), rows.y, rows.held_back)
    told = {
        "text": " ".join(filter(None, (choice.text, against))),
        "odds": None if choice.odds is None or not np.isfinite(choice.odds) else choice.odds,
        "noise": choice.noise,
        "closest": None if choice.closest is None else choice.closest.formula,
    }
    seconds = float(est.history_["seconds"].iloc[-1])
    words = f"{est.n_generations_} generations in {seconds:.1f} s, {REASONS.get(est.stopped_by_, est.stopped_by_)}"
    course = Course(est.settings_, est.history_, words, est.stopped_by_)
    return record_of(est.models_, chosen, told, course, rows, target, command, notes, data)


def record_of(
    models: Sequence[Model], chosen: int, choice: Mapping[str, object], course: Course, rows: Measurements,
    target: str, command: str, notes: Sequence[str], data: str = "",
) -> Fit:  # fmt: skip
    """The record of these models, also of a search that still runs; see `record`."""
    shown = some_rows(len(rows.y), rows.X.shape[1])
    held = int(rows.held_back.sum())
    fitted = rows.fitted if rows.fitted is not None else len(rows.y) - held
    facts = {
        "data": data,
        "rows": f"{fitted} to fit",
        "held back": f"{held} rows",
        "features": str(rows.X.shape[1]),
        "search": course.words,
    }
    return Fit(
        target=target,
        facts={name: text for name, text in facts.items() if text},
        settings={name: _plain(value) for name, value in dataclasses.asdict(course.settings).items()},
        command=command,
        notes=notes,
        models=[scored(m, rows) for m in models],
        chosen=chosen,
        choice=choice,
        X=rows.X[shown],
        y=rows.y[shown],
        held_back=rows.held_back[shown],
        history=_history(course.history),
        stopped_by=course.stopped_by,
        groups=_taken(rows.groups, shown),
    )


def scored(m: Model, rows: Measurements) -> Model:
    """The model with its errors on the held-back rows, and on all rows if they are all there."""
    unit, held_back = size(rows.y), rows.held_back
    weight = np.ones(len(rows.y)) if rows.weight is None else rows.weight
    y, prediction = rows.y / unit, m.predict(rows.for_model(m)) / unit
    errors = np.abs(y - np.where(np.isfinite(prediction), prediction, np.inf))
    metrics = dict(m.metrics)
    with np.errstate(over="ignore", invalid="ignore"):  # the mean of the largest numbers may be infinite
        if rows.fitted is None:
            metrics["mae_all"] = _mean(errors, weight) * unit
        if held_back.any() and weight[held_back].any():
            y, errors, weight = y[held_back], errors[held_back], weight[held_back]
            spread = _mean((y - _mean(y, weight)) ** 2, weight)
            metrics["test_mae"] = _mean(errors, weight) * unit
            metrics["test_r2"] = 1.0 - _mean(errors**2, weight) / spread if spread else np.nan
    return dataclasses.replace(m, metrics=metrics)


def _mean(values: np.ndarray, weight: np.ndarray) -> float:
    """Weighted mean; rows of weight 0 do not count, not even infinite ones."""
    counts = weight > 0.0
    return float(np.average(values[counts], weights=weight[counts]))


def _history(rows: Any) -> dict[str, list[float | None]]:
    """Columns of the history, None where a value is not finite."""
    some = rows.iloc[some_generations(len(rows))].replace([np.inf, -np.inf], np.nan).astype(object)
    return {name: some[name].where(some[name].notna(), None).tolist() for name in HISTORY}


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items()) or "none"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
