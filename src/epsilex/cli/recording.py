"""The record of a fit: its models scored on all rows, the reason for the choice, the course of the search."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from epsilex.cli.agreement import disagreement
from epsilex.cli.preparing import Data
from epsilex.data.scales import size
from epsilex.evolution import Settings
from epsilex.models import Model
from epsilex.models.front import front_frame
from epsilex.regressor import SymbolicRegressor
from epsilex.report import Fit, some_generations, some_rows

if TYPE_CHECKING:
    import pandas as pd

FIRST_COLUMNS = ("length", "mae", "r2", "test_mae", "test_r2", "mae_all")
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


def record_of(data: Data, est: SymbolicRegressor, command: str, notes: Sequence[str]) -> Fit:
    """The record of a fitted estimator."""
    seconds = float(est.history_["seconds"].iloc[-1])
    reason = REASONS.get(est.stopped_by_, est.stopped_by_)
    return record(
        data, est.models_, est.models_.index(est.model_), _told(est, data), est.settings_, est.history_,
        f"{est.n_generations_} generations in {seconds:.1f} s, {reason}", command, notes, est.stopped_by_,
    )  # fmt: skip


def record(
    data: Data, models: Sequence[Model], chosen: int, choice: Mapping[str, object], settings: Settings,
    history: pd.DataFrame, search: str, command: str, notes: Sequence[str], stopped_by: str,
) -> Fit:  # fmt: skip
    """The record of these models; `search` says how far the search came."""
    X, y, held_back = data.features, data.table.y, data.held_back
    shown = some_rows(len(y), X.shape[1])
    drawn = history.iloc[some_generations(len(history))].replace([np.inf, -np.inf], np.nan).astype(object)
    return Fit(
        target=data.target,
        facts={
            "data": data.name,
            "rows": f"{(~held_back).sum()} to fit",
            "held back": f"{held_back.sum()} rows",
            "features": str(X.shape[1]),
            "search": search,
        },
        settings={name: _plain(value) for name, value in dataclasses.asdict(settings).items()},
        command=command,
        notes=notes,
        models=[scored(m, data) for m in models],
        chosen=chosen,
        choice=choice,
        X=X.to_numpy(np.float64)[shown],
        y=y[shown],
        held_back=held_back[shown],
        history={name: drawn[name].where(drawn[name].notna(), None).tolist() for name in HISTORY},
        stopped_by=stopped_by,
        groups=None if data.groups is None or data.labels is None else (data.groups, [data.labels[k] for k in shown]),
    )


def front_table(fit: Fit) -> pd.DataFrame:
    """The front as a table: errors on the rows fitted (mae, r2), held back (test_...) and on all of them (mae_all)."""
    frame = front_frame(fit.models, fit.chosen)
    first = [name for name in FIRST_COLUMNS if name in frame]
    rest = [name for name in frame.columns if name not in (*first, "formula")]
    return frame[[*first, *rest, "formula"]]


def scored(m: Model, data: Data) -> Model:
    """The model with its errors on the held-back rows, and on all rows."""
    unit, held_back = size(data.table.y), data.held_back
    weight = np.ones(len(data.table.y)) if data.weight is None else data.weight
    y, prediction = data.table.y / unit, m.predict(data.table.X) / unit
    errors = np.abs(y - np.where(np.isfinite(prediction), prediction, np.inf))
    with np.errstate(over="ignore", invalid="ignore"):  # the mean of the largest numbers may be infinite
        metrics = {**m.metrics, "mae_all": _mean(errors, weight) * unit}
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


def _told(est: SymbolicRegressor, data: Data) -> dict[str, object]:
    """Why this model, and where the held-back rows disagree."""
    choice = est.choice_
    against = disagreement(est.models_, est.models_.index(est.model_), data.table.X, data.table.y, data.held_back)
    return {
        "text": " ".join(filter(None, (choice.text, against))),
        "odds": None if choice.odds is None or not np.isfinite(choice.odds) else choice.odds,
        "noise": choice.noise,
        "closest": None if choice.closest is None else choice.closest.formula,
    }


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items()) or "none"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
