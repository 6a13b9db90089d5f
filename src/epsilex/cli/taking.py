"""`take`: another model of a fit becomes its model."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from epsilex.files import write_file, write_files
from epsilex.models import Model
from epsilex.models.persistence import model_text
from epsilex.report import FILE, Fit, load_fit, render

TAKEN = "It was taken by its length."


def model_of_length(fit: Fit, length: int) -> tuple[int, Model]:
    """Index and model of this length on the front."""
    lengths = [m.length for m in fit.models]
    if length not in lengths:
        raise ValueError(f"length: expected one of {', '.join(map(str, lengths))}; got {length}")
    return lengths.index(length), fit.models[lengths.index(length)]


def take(folder: Path, length: int, out: Path | None) -> None:
    """Write the model of this length: to `out`, or to the folder, whose front and report then mark it."""
    if not (folder / FILE).is_file():
        raise ValueError(f"results: expected the folder of a fit, with its {FILE}; got {folder}")
    fit = load_fit(folder / FILE)
    place, m = model_of_length(fit, length)
    if out is not None:
        write_file(out, model_text(m))
    elif place != fit.chosen:
        choice = {"text": TAKEN, "odds": None, "noise": fit.choice.get("noise"), "closest": None}
        fit = replace(fit, chosen=place, choice=choice)
        contents = {"model.json": model_text(m), FILE: fit.text(), "report.html": render(fit)}
        if (folder / "front.csv").is_file():
            contents["front.csv"] = _marked((folder / "front.csv").read_text(encoding="utf-8"), place)
        write_files({folder / name: content for name, content in contents.items()})
    print(f"{fit.target} = {m.formula}")


def _marked(front: str, place: int) -> str:
    """The table of a front with another row chosen; every other cell stays as it is."""
    import pandas as pd

    frame = pd.read_csv(io.StringIO(front), dtype=str, keep_default_na=False)
    return frame.assign(chosen=[str(i == place) for i in range(len(frame))]).to_csv(index=False)
