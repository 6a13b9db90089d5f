"""`fit` and `demo`: from a table to model.json, front.csv, history.csv and report.html."""

from __future__ import annotations

import dataclasses
import shlex
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.cli.agreement import disagreement
from epsilex.cli.folder import claimed
from epsilex.cli.terminal import note
from epsilex.constraints import NOISES
from epsilex.data.scales import size
from epsilex.dimensions.units import from_header
from epsilex.evolution.observers.records import exists, previous
from epsilex.files import write_files
from epsilex.models import Model
from epsilex.models.front import front_frame
from epsilex.models.persistence import model_text
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
    "cluster": "ended early: the cluster went away",
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


def units_of(text: str | None, target_unit: str | None, target: str, names: Sequence[str]) -> dict[str, object]:
    """Parameters of the estimator from `header`, or from units such as `m=kg,v=m/s`; categories are pure numbers."""
    if text is None or text.strip() == "header":
        in_name = from_header(target) if text else None
        return {"units": "header" if text else None, "target_unit": target_unit or in_name or None}
    given = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, sign, unit = part.rpartition("=")
        if not sign:
            raise ValueError(f"units: expected header, or units such as m=kg,v=m/s; got {part!r}")
        given[name.strip()] = unit.strip()
    return {"units": {name: "1" for name in names if "=" in name} | given, "target_unit": target_unit}


def domain_of(text: str | None) -> dict[str, tuple[float, float]] | None:
    """Ranges of columns from text such as `x=0:10,t=-1:1`."""
    if text is None:
        return None
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, side = part.rpartition("=")
        low, _, high = side.partition(":")
        try:
            found[name.strip()] = (float(low), float(high))
        except ValueError:
            raise ValueError(f"domain: expected ranges such as x=0:10,t=-1:1; got {part!r}") from None
    return found


def estimator(
    preset: str = "default", *, seconds: float = 60.0, jobs: int | None = None, **asked: Any
) -> SymbolicRegressor:
    """The estimator of a preset with the given parameters; None keeps the preset's value.

    Without any limit the default preset searches for `seconds`, and the paper's preset for the paper's generations.
    """
    given = {name: value for name, value in asked.items() if value is not None}
    given |= {"n_jobs": jobs or -1, "progress": True, "on_interrupt": "return"}
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
    with claimed(out, (*FILES, FILE, CHECKPOINT)), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        _rehearse(est)
        est.set_params(checkpoint=str(out / CHECKPOINT), resume=resume, callbacks=[_Once(news)])
        training = ~data.held_back
        if not isinstance(est.noise, str):
            est.set_params(noise=est.noise[training])
        est.fit(data.table.X[training], data.table.y[training])
        notes = [*data.table.notes, *(str(w.message) for w in caught if w.category is UserWarning)]
        size = ("--population", str(est.settings_.population_size), "--generations", str(est.n_generations_))
        record = _record(data, est, shlex.join([*command, *size]), notes)
        _write(record, est, out)
        if est.stopped_by_ == "interrupt":
            note([_how_to_continue(out / CHECKPOINT)])
        else:
            for path in (out / CHECKPOINT, previous(out / CHECKPOINT)):
                path.unlink(missing_ok=True)
    return record


def _write(record: Fit, est: SymbolicRegressor, out: Path) -> None:
    """Write all files or none; if that fails, at least the formula is told."""
    contents = {
        "model.json": model_text(record.model),
        "front.csv": _front(record).to_csv(index=False),
        "history.csv": est.history_.to_csv(index=False),
        FILE: record.text(),
        "report.html": render(record),
    }
    try:
        write_files({out / name: content for name, content in contents.items()})
    except OSError:
        note([f"{record.target} = {record.model.formula}"])
        raise


def _how_to_continue(checkpoint: Path) -> str:
    if not exists(checkpoint):
        return "interrupted; without a checkpoint the search cannot be continued"
    return f"interrupted; the same command with --resume continues the search from {checkpoint}"


def _rehearse(est: SymbolicRegressor) -> None:
    """Compile or load the kernels before the clock starts; on a new machine that takes half a minute, once."""
    patience = threading.Timer(2.0, note, [["compiling for this machine, once"]])
    patience.daemon = True
    patience.start()
    try:
        est.rehearse()
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
        stopped_by=est.stopped_by_,
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
    unit, held_back = size(data.table.y), data.held_back
    y, prediction = data.table.y / unit, m.predict(data.table.X) / unit
    errors = np.abs(y - np.where(np.isfinite(prediction), prediction, np.inf))
    with np.errstate(over="ignore"):  # the mean of the largest numbers may be infinite
        metrics = {**m.metrics, "mae_all": float(errors.mean() * unit)}
        if held_back.any():
            spread = float(((y[held_back] - y[held_back].mean()) ** 2).mean())
            mse = float((errors[held_back] ** 2).mean())
            metrics["test_mae"] = float(errors[held_back].mean() * unit)
            metrics["test_r2"] = 1.0 - mse / spread if spread else np.nan
    return dataclasses.replace(m, metrics=metrics)


def _front(record: Fit) -> pd.DataFrame:
    """The front as a table: errors on the rows fitted (mae, r2), held back (test_...) and on all of them (mae_all)."""
    frame = front_frame(record.models, record.chosen)
    first = [name for name in FIRST_COLUMNS if name in frame]
    rest = [name for name in frame.columns if name not in (*first, "formula")]
    return frame[[*first, *rest, "formula"]]
