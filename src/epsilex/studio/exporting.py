"""Files to take away: the result of a run, and any formula as a model, LaTeX, Python or a notebook."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.models import Model, save_model
from epsilex.models.front import front_frame
from epsilex.models.persistence import to_document
from epsilex.report import FILE, Fit, render, some_generations, some_rows
from epsilex.studio.preparing import Prepared

if TYPE_CHECKING:
    from epsilex.regressor import SymbolicRegressor

HISTORY = ("generation", "best_mae", "median_mae", "cases_used", "cases_used_mean", "diversity", "mean_length")
KINDS = {  # extension, media type
    "model": ("json", "application/json"),
    "latex": ("tex", "text/plain"),
    "python": ("py", "text/plain"),
    "notebook": ("ipynb", "application/json"),
    "report": ("html", "text/html"),
    "front": ("csv", "text/csv"),
    "log": ("json", "application/json"),
}


def write_result(
    run: Path, name: str, spec: dict[str, Any], data: Prepared, est: SymbolicRegressor, log: Sequence[dict]
) -> None:
    """model.json, front.csv, history.csv, fit.json and report.html of a run that has ended, into its folder."""
    folder = run / "result"
    folder.mkdir(exist_ok=True)
    models = [_scored(m, data) for m in est.models_]
    chosen = est.models_.index(est.model_)
    record = _record(run, name, spec, data, est, models, log)
    save_model(models[chosen], folder / "model.json")
    front_frame(models, chosen).to_csv(folder / "front.csv", index=False)
    est.history_.to_csv(folder / "history.csv", index=False)
    record.save(folder / FILE)
    (folder / "report.html").write_text(render(record), encoding="utf-8")


def _record(
    run: Path, name: str, spec: dict, data: Prepared, est: SymbolicRegressor, models: list[Model], log: Sequence[dict]
) -> Fit:
    shown = some_rows(len(data.y), data.X.shape[1])
    history = est.history_.iloc[some_generations(len(est.history_))].replace([np.inf, -np.inf], np.nan).astype(object)
    acts = [f"generation {entry['generation']}: {said(entry)}" for entry in log]
    choice = est.choice_
    odds = choice.odds if choice.odds is not None and np.isfinite(choice.odds) else None
    return Fit(
        target=spec["target"],
        facts={
            "data": name,
            "rows": f"{(~data.held_back).sum()} to fit",
            "held back": f"{data.held_back.sum()} rows",
            "features": str(len(data.names)),
            "search": f"{est.n_generations_} generations in {float(est.history_['seconds'].iloc[-1]):.1f} s",
        },
        settings={key: str(value) for key, value in dataclasses.asdict(est.settings_).items()},
        command=shlex.join(["epsilex", "studio", "--project", str(run.parents[1]), "--replay", run.name]),
        notes=[*data.table.notes, *acts],
        models=models,
        chosen=est.models_.index(est.model_),
        choice={"text": choice.text, "odds": odds, "noise": choice.noise,
                "closest": None if choice.closest is None else choice.closest.formula},
        X=data.X[shown],
        y=data.y[shown],
        held_back=data.held_back[shown],
        history={column: history[column].where(history[column].notna(), None).tolist() for column in HISTORY},
    )  # fmt: skip


def _scored(m: Model, data: Prepared) -> Model:
    """The model with its errors on the rows held back."""
    held = data.held_back
    if not held.any():
        return m
    out = m.predict(data.X[held])
    error = np.abs(data.y[held] - np.where(np.isfinite(out), out, np.inf))
    spread = float(((data.y[held] - data.y[held].mean()) ** 2).mean())
    r2 = 1.0 - float((error**2).mean()) / spread if spread else np.nan
    return dataclasses.replace(m, metrics=m.metrics | {"test_mae": float(error.mean()), "test_r2": r2})


def said(entry: dict[str, Any]) -> str:
    """An entry of the log in words."""
    act = entry["act"]
    what = {
        "pause": "paused",
        "continue": "continued",
        "stop": "stopped",
        "extend": f"extended by {act.get('seconds', 0):g} s",
        "forbid": f"forbade {act.get('operator')}",
        "allow": f"allowed {act.get('operator')}",
        "guess": f"added the guess {act.get('formula')}",
        "reject": f"rejected the form of {act.get('formula')}",
    }[act["kind"]]
    return f"{what} (refused: {entry['refused']})" if "refused" in entry else what


def exported(kind: str, m: Model, spec: dict[str, Any], table: str) -> str:
    """A formula as a file's content."""
    if kind == "model":
        return json.dumps(to_document(m), indent=1) + "\n"
    if kind == "latex":
        return m.latex() + "\n"
    return m.python() if kind == "python" else notebook(m, spec, table)


def notebook(m: Model, spec: dict[str, Any], table: str) -> str:
    """A Jupyter notebook: the formula, its predictions, and the same search again."""
    target = spec["target"]
    arguments = {"operators": spec["operators"], "max_length": spec["max_length"], "time_limit": spec["seconds"],
                 "population_size": spec["population"], "random_state": spec["seed"]}  # fmt: skip
    if all(role != "error" for role in spec["roles"].values()):
        arguments["noise"] = spec["noise"]
    listed = ",\n".join(f"    {name}={value!r}" for name, value in arguments.items())
    dropped = [target, *spec["roles"]]
    cells = [
        _markdown(f"# A formula for {target}\n\n$$ {m.latex()} $$\n\nMade by epsilex studio from {table}."),
        _code(f"from epsilex.tables import read_table\n\nframe = read_table({table!r})\nframe.head()"),
        _code(m.python()),
        _code(
            "from epsilex.tables import features_by_name\n\n"
            f"X, notes = features_by_name(frame, {list(m.feature_names)!r})\n"
            f"frame.assign(predicted=predict(X.to_numpy()))[[{target!r}, 'predicted']].head()"
        ),
        _markdown("## Search again\n\nThe same settings, without the steering; it takes as long as the first time."),
        _code(
            "from epsilex import SymbolicRegressor\nfrom epsilex.tables import training_table\n\n"
            f"table = training_table(frame.drop(columns={dropped[1:]!r}), {target!r})\n"
            f"est = SymbolicRegressor(\n{listed},\n)\n# est.fit(table.X, table.y).front_"
        ),
    ]
    document = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1) + "\n"


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "id": _id(text), "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "id": _id(text), "source": text.splitlines(keepends=True),
            "outputs": [], "execution_count": None}  # fmt: skip


def _id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
