"""The files of a fit while it runs: front.csv and report.html, refreshed every so often."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from epsilex.cli.preparing import Data
from epsilex.cli.recording import front_table, measurements
from epsilex.data.rows import evenly
from epsilex.data.scales import Scales
from epsilex.evolution import Settings, State, Stop
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.history import frame, row
from epsilex.files import write_file
from epsilex.models import Model
from epsilex.models.model import model
from epsilex.regressor import SymbolicRegressor
from epsilex.report import Course, Fit, record_of, render

EVERY = 10.0  # seconds between two refreshes, at least
SHARE = 0.02  # of the time that refreshing may take
MAX_ROWS = 20_000  # training rows on which a running search is shown, at most
ROWS_EVERY = 0.2  # seconds between two points of the history


class WatchedRegressor(SymbolicRegressor):
    """The estimator with one more observer, which reads and never steers; it finds the same."""

    watch: Callable[[Scales, Settings], LiveFiles] | None = None

    @contextmanager
    def _progress(self, stop: Stop, units: Scales, crew: Callable[[], str] | None = None) -> Iterator[Sequence]:
        with super()._progress(stop, units, crew) as bars:
            yield bars if self.watch is None else [*bars, self.watch(units, self._unseeded())]


class LiveFiles:
    """Writes the front and the report of a search that runs. A file that cannot be written does not end it."""

    def __init__(self, out: Path, data: Data, command: str, scales: Scales, settings: Settings):
        self.out, self.data, self.command, self.scales, self.settings = out, data, command, scales, settings
        self._began = self._next = time.monotonic()
        self._next += EVERY
        self._rows: list[dict[str, float]] = []
        self._row = -np.inf
        training = np.flatnonzero(~data.held_back)
        self._rows_shown = training[evenly(len(training), MAX_ROWS)]

    def see(self, state: State, archive: Archive) -> None:
        now = time.monotonic()
        if now - self._row >= ROWS_EVERY:
            self._row = now
            seen = row(state, now - self._began, {})
            unit = self.scales.y_scale
            self._rows.append(seen | {name: seen[name] * unit for name in ("best_mae", "median_mae")})
        if now >= self._next:
            self.write(state, archive)
            spent = time.monotonic() - now
            self._next = time.monotonic() + max(EVERY, spent / SHARE)

    def end(self, state: State, archive: Archive) -> None:
        pass

    def write(self, state: State, archive: Archive) -> None:
        """Write both files, if there is a front to show."""
        fit = self.record(state, archive)
        if fit is None:
            return
        with suppress(OSError):
            write_file(self.out / "front.csv", front_table(fit).to_csv(index=False), lasting=False)
            write_file(self.out / "report.html", render(fit), lasting=False)

    def record(self, state: State, archive: Archive) -> Fit | None:
        """The state as the record of a fit; the most accurate formula stands for the choice, which comes at the end."""
        models = self._front(archive)
        if not models:
            return None
        seconds = time.monotonic() - self._began
        text = (
            f"The search is running: this is generation {state.generation}, after {seconds:.0f} s. The formula shown "
            "is the most accurate so far; the constants are polished and the choice is made at the end."
        )
        choice = {"text": text, "odds": None, "noise": None, "closest": None}
        course = Course(
            self.settings, frame(self._rows), f"{state.generation} generations in {seconds:.1f} s so far", ""
        )
        return record_of(
            models, len(models) - 1, choice, course, measurements(self.data), self.data.target, self.command,
            self.data.table.notes, self.data.name,
        )  # fmt: skip

    def _front(self, archive: Archive) -> list[Model]:
        """Models by length, each more accurate on the rows of the search than every shorter one."""
        names = [str(name) for name in self.data.table.X.columns]
        found = [self._measured(model(archive.formula(place, [self.scales]), names)) for place in archive.front]
        front: list[Model] = []
        for m in sorted(found, key=lambda m: (m.length, m.metrics["mae"])):
            if m.metrics["mae"] < (front[-1].metrics["mae"] if front else np.inf):
                front.append(m)
        return front

    def _measured(self, m: Model) -> Model:
        X, y = self.data.table.X.iloc[self._rows_shown], self.data.table.y[self._rows_shown]
        weight = np.ones(len(y)) if self.data.weight is None else self.data.weight[self._rows_shown]
        with np.errstate(all="ignore"):
            errors = np.abs(y - m.predict(X))
            errors = np.where(np.isfinite(errors), errors, np.inf)
            spread = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
            metrics = {
                "mae": float(np.average(errors, weights=weight)),
                "r2": float(1.0 - np.average(errors**2, weights=weight) / spread),
            }
        return replace(m, metrics=metrics)
