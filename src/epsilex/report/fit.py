"""The record of a fit, from which `report.html` is made; saved beside it as `fit.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from epsilex.files import read_file, sealed, unsealed, write_file
from epsilex.models import Model
from epsilex.models.persistence import from_document, to_document

FILE = "fit.json"
SCHEMA, VERSION = "epsilex-fit", 2  # 2: a checksum
MAX_ROWS, MAX_CELLS = 1000, 200_000  # of the data shown
MAX_GENERATIONS = 400  # points per line
MAX_BYTES = 2**28


def labelled(X: np.ndarray, groups: tuple[str, list[str]] | None, m: Model) -> Any:
    """X (rows, features) as a model needs it: a DataFrame with the labels of groups, if it has constants of them."""
    if m.own is None or groups is None:
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=list(m.feature_names)).assign(**{groups[0]: groups[1]})


@dataclass(frozen=True)
class Fit:
    """The record of one fit.

    target    name of the target
    facts     the data and the course of the search: name and text
    settings  settings of the search: name and text
    command   how to run it again
    notes     changes made to the data
    models    the front by length, with their metrics
    chosen    index of the chosen model
    choice    why: text, odds, noise, closest
    X, y      (rows, features) and (rows,) float64: rows to draw, not necessarily all
    held_back (rows,) bool: rows that the search has not seen
    history   columns of numbers, one per generation, not necessarily all; None where one is not finite
    groups    the column of groups, and the label of each row drawn; None if there are no groups
    stopped_by  why the search ended, as `SymbolicRegressor.stopped_by_`; "" in a record of an older version
    """

    target: str
    facts: Mapping[str, str]
    settings: Mapping[str, str]
    command: str
    notes: Sequence[str]
    models: Sequence[Model]
    chosen: int
    choice: Mapping[str, Any]
    X: np.ndarray
    y: np.ndarray
    held_back: np.ndarray
    history: Mapping[str, Sequence[float | None]]
    stopped_by: str = ""
    groups: tuple[str, list[str]] | None = None

    def rows_for(self, m: Model) -> Any:
        """X as a model needs it."""
        return labelled(self.X, self.groups, m)

    @property
    def model(self) -> Model:
        """The chosen model."""
        return self.models[self.chosen]

    def save(self, path: Path) -> None:
        """Write the record as JSON."""
        write_file(path, self.text())

    def text(self) -> str:
        """The record as JSON."""
        body = {
            "target": self.target,
            "facts": dict(self.facts),
            "settings": dict(self.settings),
            "command": self.command,
            "notes": list(self.notes),
            "models": [to_document(m) for m in self.models],
            "chosen": self.chosen,
            "choice": dict(self.choice),
            "X": self.X.tolist(),
            "y": self.y.tolist(),
            "held_back": self.held_back.tolist(),
            "history": {name: list(values) for name, values in self.history.items()},
            "stopped_by": self.stopped_by,
        }
        if self.groups is not None:
            body["groups"] = {"column": self.groups[0], "labels": self.groups[1]}
        return json.dumps(sealed(SCHEMA, VERSION, body), allow_nan=False) + "\n"


def load_fit(path: Path) -> Fit:
    """The record in a file written by `Fit.save`. A ValueError says what is wrong with any other file."""
    try:
        document = json.loads(read_file(path, MAX_BYTES).decode("utf-8"))
        return _checked(unsealed(document, SCHEMA, VERSION, oldest=VERSION))
    except (RecursionError, OverflowError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path}: expected a record written by `epsilex fit`; {error!s:.200}") from None


def _checked(body: dict) -> Fit:
    """Check the type of every value, because anyone may have written the record."""
    models = [from_document(m) for m in body["models"]]
    chosen = int(body["chosen"])
    y = np.array(body["y"], np.float64)
    X = np.array(body["X"], np.float64).reshape(len(y), -1)
    held_back = np.array(body["held_back"], bool)
    if not 0 <= chosen < len(models) or held_back.shape != y.shape or not len(y):
        raise ValueError("chosen, y, held_back: they do not fit each other")
    if any(len(m.feature_names) != X.shape[1] for m in models):
        raise ValueError("models: their features are not the columns of X")
    groups = body.get("groups")
    if groups is not None:
        groups = str(groups["column"]), [str(label) for label in groups["labels"]]
        if len(groups[1]) != len(y):
            raise ValueError("groups: expected a label per row")
    if any(m.own is not None and (groups is None or m.own.column != groups[0]) for m in models):
        raise ValueError("groups: expected the labels that models need")
    history = {str(name): [_number(v) for v in values] for name, values in body["history"].items()}
    return Fit(
        target=str(body["target"]),
        facts=_texts(body["facts"]),
        settings=_texts(body["settings"]),
        command=str(body["command"]),
        notes=[str(note) for note in body["notes"]],
        models=models,
        chosen=chosen,
        choice=_choice(body.get("choice", {})),
        X=X,
        y=y,
        held_back=held_back,
        history=history,
        stopped_by=str(body.get("stopped_by", "")),
        groups=groups,
    )


def _choice(values: dict) -> dict[str, Any]:
    """Why a model was chosen; None for each in a record of an older version."""
    odds = values.get("odds")
    texts = {name: None if values.get(name) is None else str(values[name]) for name in ("text", "noise", "closest")}
    return {**texts, "odds": None if odds is None else float(odds)}


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _texts(values: dict) -> dict[str, str]:
    return {str(name): str(value) for name, value in values.items()}


def some_rows(n_rows: int, n_features: int) -> np.ndarray:
    """Indices of rows to draw, evenly spread, and few enough for a page that opens quickly."""
    most = max(100, min(MAX_ROWS, MAX_CELLS // max(1, n_features)))
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, most)).round().astype(int))


def some_generations(n: int) -> np.ndarray:
    """Indices of generations to draw, including the last."""
    return np.unique(np.linspace(0, n - 1, min(n, MAX_GENERATIONS)).round().astype(int))
