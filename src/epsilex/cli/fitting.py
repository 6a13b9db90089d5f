"""`fit` and `demo`: from the data of a fit to model.json, front.csv, history.csv and report.html."""

from __future__ import annotations

import shlex
import threading
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from epsilex.cli.folder import check_free, claimed, holds_result
from epsilex.cli.live import LiveFiles, WatchedRegressor
from epsilex.cli.preparing import Data
from epsilex.cli.recording import front_table, measurements, rows_in_words
from epsilex.cli.terminal import note
from epsilex.data.scales import Scales
from epsilex.evolution.observers.records import exists, previous
from epsilex.files import write_files
from epsilex.models.persistence import model_text
from epsilex.report import FILE, Fit, render
from epsilex.report import record as record_of

CHECKPOINT = "search.checkpoint"
FILES = ("model.json", "front.csv", "history.csv", "report.html")


def estimator(preset: str, asked: dict[str, Any], seconds: float = 60.0) -> WatchedRegressor:
    """The estimator of a preset with the parameters asked for; of `settings` only those that differ.

    Without any limit the default preset searches for `seconds`, and the paper's preset for the paper's generations.
    """
    given = {"n_jobs": -1, **asked, "progress": True, "on_interrupt": "return"}
    settings = given.pop("settings", {})
    limits = [name for name in given if name.startswith("settings__") and given[name]]
    settings |= {name.removeprefix("settings__"): given[name] for name in limits}
    given = {name: value for name, value in given.items() if not name.startswith("settings__")}
    if preset == "paper":
        est = WatchedRegressor.paper(**given)
    else:
        est = WatchedRegressor(**{"time_limit": None if "generations" in given else seconds, **given})
    return est.set_params(**{f"settings__{name}": value for name, value in settings.items()})


def fit(
    data: Data, est: WatchedRegressor, out: Path, command: Sequence[str], news: Sequence[str], *,
    resume: bool = False, overwrite: bool = False,
) -> Fit:  # fmt: skip
    """Search, score and write.

    command  the command for the report; the generations and population size that a time limit decides are added
    news     sentences printed once the search is under way, so that an error about bad input stands alone
    """
    with claimed(out, (*FILES, FILE, CHECKPOINT)), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        check_free(out, (*FILES, FILE), out / CHECKPOINT, resume, overwrite)
        if resume and not exists(out / CHECKPOINT):
            news = [*news, f"there is nothing to resume in {out}, the search starts anew"]
        _rehearse(est)
        est.set_params(checkpoint=str(out / CHECKPOINT), resume=resume, callbacks=[_Once(news)])
        training = ~data.held_back
        X, y = data.table.X[training], data.table.y[training]
        if data.sigma is not None:
            est.set_params(noise=data.sigma[training])
        # A whole result stays until the new one replaces it; numbers at the ends of float64 are scaled twice, and
        # formulas of groups are there at the end only.
        plain = est.groups is None and Scales.modest(X.to_numpy(float), y) is None
        if not holds_result(out) and plain:
            est.watch = partial(LiveFiles, out, data, shlex.join(command))
        est.fit(X, y, None if data.weight is None else data.weight[training])
        used = rows_in_words(est.rows_used_, est.settings_.fresh_cases)
        note(used)
        notes = [*data.table.notes, *used]
        notes += [str(w.message) for w in caught if w.category is UserWarning]
        size = ("--population", str(est.settings_.population_size), "--generations", str(est.n_generations_))
        record = record_of(est, measurements(data), data.target, shlex.join([*command, *size]), notes, data.name)
        _write(record, est, out)
        if est.stopped_by_ == "interrupt":
            note([_how_to_continue(out / CHECKPOINT)])
        else:
            for path in (out / CHECKPOINT, previous(out / CHECKPOINT)):
                path.unlink(missing_ok=True)
    return record


def _write(record: Fit, est: WatchedRegressor, out: Path) -> None:
    """Write all files or none; if that fails, at least the formula is told."""
    contents = {
        "model.json": model_text(record.model),
        "front.csv": front_table(record).to_csv(index=False),
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


def _rehearse(est: WatchedRegressor) -> None:
    """Compile or load the kernels before the clock starts; on a new machine that takes half a minute, once."""
    patience = threading.Timer(
        2.0, note, [["getting ready; the first time on a machine, compiling takes half a minute"]]
    )
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
