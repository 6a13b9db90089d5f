"""`fit` and `demo`: from a table to model.json, front.csv, history.csv and report.html."""

from __future__ import annotations

import dataclasses
import shlex
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from epsilex.cli.agreement import disagreement
from epsilex.cli.folder import filled
from epsilex.cli.terminal import note
from epsilex.constraints import NOISES
from epsilex.evolution.observers.checkpoint import previous
from epsilex.models import Model, save_model
from epsilex.models.front import front_frame
from epsilex.regressor import SymbolicRegressor
from epsilex.report import FILE, Fit, render, some_generations, some_rows
from epsilex.tables import Table
from epsilex.tables.numbers import numbers

if TYPE_CHECKING:
    import pandas as pd

CHECKPOINT = "search.checkpoint"
FILES = ("model.json", "front.csv", "history.csv", "report.html")
FEW = 20  # rows, below which none are held back, because the search needs them all
FIRST_COLUMNS = ("length", "mae", "r2", "test_mae", "test_r2", "mae_all")
REASONS = {
    "generations": "all its generations done",
    "time": "ended by the clock",
    "target": "ended at the requested error",
    "exact": "ended early with an exact formula",
    "interpolation": "ended early: formulas pass through every row, and nothing is left to learn from them",
    "settled": "ended early: no improvement for a long time",
    "interrupt": "interrupted",
}


@dataclass(frozen=True)
class Data:
    """The data of a fit.

    name       of the file
    target     name of the target
    held_back  (rows,) bool: rows the search does not see
    """

    name: str
    target: str
    table: Table
    held_back: np.ndarray


def held_back_rows(n: int, share: float, seed: int) -> np.ndarray:
    """Which of `n` rows are held back, drawn at random, (n,) bool; none if `n` is below FEW."""
    held_back = np.zeros(n, bool)
    if n < FEW:
        return held_back
    held_back[np.random.default_rng(seed).permutation(n)[: round(share * n)]] = True
    return held_back


def without_noise(frame: pd.DataFrame, noise: str, target: str) -> tuple[pd.DataFrame, np.ndarray | None]:
    """The table without the column of standard errors that `noise` names, and these; None for a kind of noise."""
    if noise in NOISES:
        return frame, None
    if noise not in frame.columns or noise == target:
        others = ", ".join(map(repr, frame.columns.drop(target, errors="ignore")))
        raise ValueError(f"noise: expected {', '.join(NOISES)}, or one of the columns {others}; got {noise!r}")
    sigma = numbers(frame[noise])
    bad = np.flatnonzero(~(np.isfinite(sigma) & (sigma > 0.0)))
    if len(bad):
        raise ValueError(
            f"noise: expected standard errors above 0 in column {noise!r}; got {sigma[bad[0]]:g} in row {bad[0] + 1}, "
            f"{len(bad)} of {len(sigma)} such"
        )
    return frame.drop(columns=noise), sigma


def estimator(preset: str = "default", *, seconds: float = 60.0, jobs: int | None = None, **asked) -> SymbolicRegressor:
    """The estimator of a preset with the given parameters; None keeps the preset's value.

    Without any limit the default preset searches for `seconds`, and the paper's preset for the paper's generations.
    """
    given = {name: value for name, value in asked.items() if value is not None}
    given |= {"n_jobs": jobs or -1, "progress": True}
    if preset == "paper":
        return SymbolicRegressor.paper(**given)
    limit = None if "generations" in given else seconds
    return SymbolicRegressor(**{"time_limit": limit, **given})


def fit(
    data: Data, est: SymbolicRegressor, out: Path, command: Sequence[str], news: Sequence[str], resume: bool = False
) -> Fit:
    """Search, score and write.

    command  the command for the report; the generations and population size that a time limit decides are added
    news     sentences printed once the search is under way, so that an error about bad input stands alone
    """
    with filled(out) as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        _compile(est)
        est.set_params(checkpoint=str(out / CHECKPOINT), resume=resume, callbacks=[_Once(news)])
        training = ~data.held_back
        if not isinstance(est.noise, str):
            est.set_params(noise=est.noise[training])
        est.fit(data.table.X[training], data.table.y[training])
        notes = [*data.table.notes, *(str(w.message) for w in caught if w.category is UserWarning)]
        size = ("--population", str(est.settings_.population_size), "--generations", str(est.n_generations_))
        record = _record(data, est, shlex.join([*command, *size]), notes)
        save_model(record.model, folder / "model.json")
        _front(record).to_csv(folder / "front.csv", index=False)
        est.history_.to_csv(folder / "history.csv", index=False)
        record.save(folder / FILE)
        (folder / "report.html").write_text(render(record), encoding="utf-8")
    if est.stopped_by_ == "interrupt":
        note([f"interrupted; the same command with --resume continues the search from {out / CHECKPOINT}"])
        return record
    for path in (out / CHECKPOINT, previous(out / CHECKPOINT)):
        path.unlink(missing_ok=True)
    return record


def _compile(est: SymbolicRegressor) -> None:
    """Compile or load the kernels before the clock starts; on a new machine that takes half a minute, once."""
    patience = threading.Timer(2.0, note, [["compiling for this machine, once"]])
    patience.daemon = True
    patience.start()
    try:
        noise = np.random.default_rng(0).normal(size=(40, 3))  # pure noise, so every part of the search runs
        size = "population_size" if est.settings is None else "settings__population_size"
        small = {"generations": 2, "time_limit": None, size: 300, "progress": False, "noise": "auto"}
        clone(est).set_params(**small).fit(noise[:, 1:], noise[:, 0])
    finally:
        patience.cancel()


class _Once:
    """A callback that prints sentences at the first generation."""

    def __init__(self, sentences: Sequence[str]):
        self.sentences = sentences

    def __call__(self, generation: object) -> None:
        note(self.sentences)
        self.sentences = ()


def _record(data: Data, est: SymbolicRegressor, command: str, notes: list[str]) -> Fit:
    X, y, held_back = data.table.X, data.table.y, data.held_back
    shown = some_rows(len(y), X.shape[1])
    generations = some_generations(len(est.history_))
    columns = ("generation", "best_mae", "median_mae", "cases_used", "cases_used_mean", "diversity", "mean_length")
    history = est.history_.iloc[generations].replace([np.inf, -np.inf], np.nan).astype(object)
    seconds = float(est.history_["seconds"].iloc[-1])
    reason = REASONS.get(est.stopped_by_, est.stopped_by_)
    return Fit(
        target=data.target,
        facts={
            "data": data.name,
            "rows": f"{(~held_back).sum()} to fit",
            "held back": f"{held_back.sum()} rows",
            "features": str(X.shape[1]),
            "search": f"{est.n_generations_} generations in {seconds:.1f} s, {reason}",
        },
        settings={name: _plain(value) for name, value in dataclasses.asdict(est.settings_).items()},
        command=command,
        notes=notes,
        models=[_scored(m, data) for m in est.models_],
        chosen=est.models_.index(est.model_),
        choice=_told(est, data),
        X=X.to_numpy(np.float64)[shown],
        y=y[shown],
        held_back=held_back[shown],
        history={name: history[name].where(history[name].notna(), None).tolist() for name in columns},
    )


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


def _scored(m: Model, data: Data) -> Model:
    """The model with its errors on the held-back rows, and on all rows."""
    y, held_back = data.table.y, data.held_back
    prediction = m.predict(data.table.X)
    prediction = np.where(np.isfinite(prediction), prediction, np.inf)
    errors = np.abs(y - prediction)
    metrics = {**m.metrics, "mae_all": float(errors.mean())}
    if held_back.any():
        spread = float(((y[held_back] - y[held_back].mean()) ** 2).mean())
        mse = float((errors[held_back] ** 2).mean())
        metrics |= {"test_mae": float(errors[held_back].mean()), "test_r2": 1.0 - mse / spread if spread else np.nan}
    return dataclasses.replace(m, metrics=metrics)


def _front(record: Fit):
    """The front as a table: errors on the rows fitted (mae, r2), held back (test_...) and on all of them (mae_all)."""
    frame = front_frame(record.models, record.chosen)
    first = [name for name in FIRST_COLUMNS if name in frame]
    rest = [name for name in frame.columns if name not in (*first, "formula")]
    return frame[[*first, *rest, "formula"]]
