"""Snapshots of a search for the server: the front as formulas, and the course of the errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from epsilex.data.scales import Scales, unscaled
from epsilex.evolution import Search, State
from epsilex.evolution.observers.archive import Archive
from epsilex.forms.filling import in_user_units
from epsilex.forms.tables import Tables
from epsilex.models.model import Model
from epsilex.programs.fold import Node
from epsilex.studio.acts import Course
from epsilex.studio.notation import Notation
from epsilex.studio.project import append_line, read_json, write_json

SNAPSHOT, HISTORY = "snapshot.json", "history.jsonl"
EVERY, SELDOM = 0.4, 3.0  # seconds between snapshots: at least, and as many as a person should wait
SHARE, MOST = 0.005, 0.01  # of the search's processor time that snapshots may take: before that, and after
ROWS = 1000  # of the history, about; later ones are further apart


class Publisher:
    """Writes `snapshot.json` and `history.jsonl`. A full disk or a missing folder must not end the search."""

    def __init__(self, folder: Path):
        self.folder, self.notation = folder, Notation(())
        self.scales: Sequence[Scales] = ()
        self.form: Tables | None = None
        self.told: dict[str, Any] = {"phase": "preparing", "generation": 0, "seconds": 0.0, "front": []} | _found(
            folder
        )
        self._hidden: Callable[[Model], bool] = lambda m: False
        self._last = self._row = 0.0
        self._seen, self._cost = time.process_time(), 0.0  # processor time at the last snapshot, and what it took
        self._texts: dict[bytes, str | None] = {}

    def begin(self, notation: Notation, scales: Sequence[Scales], form: Tables | None) -> None:
        """`scales` lead from the user's units to the search's; `form` is that of the search."""
        self.notation, self.scales, self.form = notation, scales, form

    def hide(self, which: Callable[[Model], bool]) -> None:
        """Leave these formulas out of the front from now on."""
        self._hidden, self._texts = which, {}

    def phase(self, phase: str, course: Course | None = None, **more: Any) -> None:
        """Tell a phase, now."""
        self.told |= {"phase": phase, **more}
        if course is not None:
            self.told |= {
                "budget": course.seconds, "limit": course.generations, "operators": list(course.operators),
                "forbidden": sorted(course.forbidden), "constraints": list(course.constraints),
                "began": time.time() - self.told["seconds"],
            }  # fmt: skip
        self._write()

    def trouble(self, words: str) -> None:
        """Tell what went wrong; the search goes on or waits."""
        self.told["trouble"] = words
        self._write()

    def see(self, state: State, archive: Archive) -> None:
        """Publish the state, if the last snapshot is old enough."""
        now = time.monotonic()
        share = SHARE if now < self._last + SELDOM else MOST
        if now < self._last + EVERY or time.process_time() - self._seen < self._cost / share:
            return
        began = time.thread_time()
        self._take(state, archive, time.time() - self.told.get("began", time.time()))
        self._write()
        self._last, self._seen, self._cost = now, time.process_time(), time.thread_time() - began

    def show(self, found: Search) -> None:
        """Take in a stopped search; the next phase publishes it."""
        self._take(found.state, found.archive, found.rows[-1]["seconds"])

    def model(self, archive: Archive, place: int) -> Model | None:
        """A program of the archive as a model in the user's units; None if no answer can be made of it."""
        return self.notation.found(self._in_user_units(archive, place))

    def _in_user_units(self, archive: Archive, place: int) -> list[Node]:
        nodes: list[Node] = archive.programs.nodes(place)
        if self.form is not None:
            return in_user_units(nodes, self.form.outline)
        scaling = (float(archive.slope[place]), float(archive.intercept[place]))
        for scales in reversed(self.scales):
            nodes, scaling = unscaled(nodes, scales, *scaling), (1.0, 0.0)
        return nodes

    def _take(self, state: State, archive: Archive, seconds: float) -> None:
        population = state.population
        unit = float(np.prod([scales.y_scale for scales in self.scales]))
        self.told |= {
            "generation": state.generation,
            "seconds": seconds,
            "evaluations": state.evaluations,
            "front": self._formulas(archive),
            "chosen": None,
            "why": None,
        }
        if seconds < self._row:
            return
        self._row = seconds + seconds / ROWS
        row = {
            "generation": state.generation,
            "seconds": seconds,
            "best": _finite(float(population.mae[population.best]) * unit),
            "median": _finite(float(np.median(population.mae)) * unit),
            "diversity": len(np.unique(population.outputs)) / len(population),
            "length": float(population.programs.length.mean()),
        }
        try:
            append_line(self.folder / HISTORY, row, safe=False)
        except OSError:
            self.told["trouble"] = "The history cannot be written; is the disk full?"

    def _formulas(self, archive: Archive) -> list[str]:
        """The front as text, without what is hidden; most of it was on the last front, too."""
        last, self._texts = self._texts, {}
        for i in archive.front:
            program = archive.programs.take(i)
            parts = (program.opcode, program.feature, program.constant, archive.slope[i], archive.intercept[i])
            key = b"".join(part.tobytes() for part in parts)
            if last.get(key) is None:
                m = self.model(archive, i)
                last[key] = None if m is None or self._hidden(m) else self.notation.written(m)
            self._texts[key] = last[key]
        return [formula for formula in self._texts.values() if formula is not None]

    def _write(self) -> None:
        try:
            write_json(self.folder / SNAPSHOT, self.told | {"written": time.time()}, lasting=False)
        except OSError as error:
            self.told["trouble"] = f"Snapshots could not be written for a while: {error.strerror}."


def _found(folder: Path) -> dict[str, Any]:
    """What an earlier process of the run has found, so that the page never shows less."""
    nothing = {"generation": 0, "seconds": 0.0, "front": []}
    try:
        told = read_json(folder / SNAPSHOT)
    except FileNotFoundError:
        return nothing
    return {name: told.get(name, nothing[name]) for name in nothing}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
