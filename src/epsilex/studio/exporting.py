"""Files to take away: the result of a run, and any formula as a model, LaTeX, Python or a notebook."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epsilex.models import Model, save_model
from epsilex.models.front import front_frame
from epsilex.models.persistence import to_document
from epsilex.report import FILE, Fit, Measurements, record, render
from epsilex.studio.preparing import Prepared

if TYPE_CHECKING:
    from epsilex.regressor import SymbolicRegressor

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
    told = _record(run, name, spec, data, est, log)
    save_model(told.model, folder / "model.json")
    front_frame(told.models, told.chosen).to_csv(folder / "front.csv", index=False)
    est.history_.to_csv(folder / "history.csv", index=False)
    told.save(folder / FILE)
    (folder / "report.html").write_text(render(told), encoding="utf-8")


def _record(run: Path, name: str, spec: dict, data: Prepared, est: SymbolicRegressor, log: Sequence[dict]) -> Fit:
    acts = [f"generation {entry['generation']}: {said(entry)}" for entry in log]
    command = shlex.join(["epsilex", "studio", "--project", str(run.parents[1]), "--replay", run.name])
    rows = Measurements(data.X, data.y, data.held_back, weight=data.weight, groups=data.labelled)
    return record(est, rows, spec["target"], command, [*data.table.notes, *acts], name)


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
        "bounds": f"set the bounds {'; '.join(act.get('constraints', ())) or 'none'}",
        "reject": f"rejected the form of {act.get('short') or act.get('formula')}",
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
    target, groups = spec["target"], next((c for c, role in spec["roles"].items() if role == "group"), None)
    arguments = {"operators": spec["operators"], "max_length": spec["max_length"], "time_limit": spec["seconds"],
                 "population_size": spec["population"], "random_state": spec["seed"]}  # fmt: skip
    if all(role != "error" for role in spec["roles"].values()):
        arguments["noise"] = spec["noise"]
    known = ("form", "guesses", "per_group", "constraints", "target_unit")
    arguments |= {name: spec[name] for name in known if spec[name]} | ({"groups": groups} if groups else {})
    listed = ",\n".join(f"    {name}={value!r}" for name, value in arguments.items())
    if spec["units"]:
        listed += f",\n    units=dict(table.units) | {spec['units']!r},\n    constant_units={spec['constant_units']!r}"
    dropped = list(spec["roles"])
    labels = f", labels_of(frame[{groups!r}], {groups!r})" if m.own is not None else ""
    with_groups = ""
    if groups is not None:
        with_groups = (
            f"labels = labels_of(frame[{groups!r}].to_numpy(object)[table.rows], {groups!r})\n"
            f"table.X.insert(0, {groups!r}, labels)\n"
        )
    cells = [
        _markdown(f"# A formula for {target}\n\n$$ {m.latex()} $$\n\nMade by epsilex studio from {table}."),
        _code(f"from epsilex.tables import read_table\n\nframe = read_table({table!r})\nframe.head()"),
        _code(m.python()),
        _code(
            ("from epsilex.data.groups import labels_of\n" if groups is not None else "")
            + "from epsilex.tables import features_by_name\n\n"
            f"X, notes = features_by_name(frame, {list(m.feature_names)!r})\n"
            f"frame.assign(predicted=predict(X.to_numpy(){labels}))[[{target!r}, 'predicted']].head()"
        ),
        _markdown("## Search again\n\nThe same settings, without the steering; it takes as long as the first time."),
        _code(
            "from epsilex import SymbolicRegressor\nfrom epsilex.tables import training_table\n\n"
            f"table = training_table(frame.drop(columns={dropped!r}), {target!r})\n{with_groups}"
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
