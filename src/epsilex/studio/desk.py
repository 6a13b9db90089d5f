"""The loop of a run's process: a search in segments, with the acts of a person between them.

A segment ends when an act waits, when a rejected form is on the front, or when a checkpoint is due; between segments
nothing is lost, so a run without acts finds the same, bit for bit, as one call of `search`. The checkpoint after the
n-th change is called `search-n.checkpoint` and is written before the log names that change: whatever is killed when,
log and checkpoint agree.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from epsilex.data.scales import Scales, scaled
from epsilex.evolution import Cases, Run, Search, Settings, State, Stop, search
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.checkpoint import load_checkpoint, write_checkpoint
from epsilex.evolution.observers.observer import Observer
from epsilex.evolution.observers.records import exists, previous
from epsilex.evolution.observers.structures import shapes_of
from epsilex.evolution.steering import judged, shaped, uses, with_guess, without
from epsilex.models.model import Model
from epsilex.studio.acts import ACTS, CHANGES, LOG, Course
from epsilex.studio.bounds import Bounds, violates
from epsilex.studio.forms import form_of
from epsilex.studio.notation import Notation
from epsilex.studio.project import append_line, read_lines
from epsilex.studio.publishing import Publisher

EVERY = 20.0  # seconds between checkpoints, at least
SHARE = 0.02  # of the time that checkpoints may take
RETRY = 1.0  # seconds between attempts to write to a disk that is full
LOOK = 0.1  # seconds between looks at the acts of a paused run
PATIENCE = 600.0  # seconds after which the process of a paused run leaves; `continue` starts another
CLEANINGS = 20  # of a front that shows rejected forms, in a row
OURS = ("acts", "rejected", "checkpoint")  # reasons for which a segment ends and the search goes on


class Left(Exception):
    """The process leaves before the search has ended; a checkpoint is there to continue from."""


class Desk:
    """The acts of one run: read, done, logged."""

    def __init__(
        self, folder: Path, spec: dict[str, Any], notation: Notation, publisher: Publisher, bounds: Bounds
    ):  # fmt: skip
        self.folder, self.spec, self.notation, self.publisher, self.bounds = folder, spec, notation, publisher, bounds
        self.log = read_lines(folder / LOG)
        self.course = Course.of(spec, self.log, notation)
        self.script = list(spec.get("script", ()))[sum("scripted" in entry for entry in self.log) :]
        self._taken = len(self.log) - sum("scripted" in entry for entry in self.log)
        self._seen_size, self._saved, self._every = -1, time.monotonic(), EVERY

    # --- the loop --------------------------------------------------------------------------------------------------

    def search(
        self, cases: Cases, settings: Settings, scales: Sequence[Scales], stop: Stop, settling: Sequence[Observer],
        leaving: Callable[[], bool], n_jobs: int,
    ) -> Search:  # fmt: skip
        """Search to the end, or until the process is `leaving`. `scales` lead from the user's units to the search's;
        `stop` holds target and exactness."""
        self.cases, self.first, self.scales, self.n_jobs, self.leaving = cases, settings, scales, n_jobs, leaving
        self._begun = cases.prior.probes
        self._know()
        found = self._resumed()
        while True:
            if found is not None:
                found = self._acted(self._cleaned(found))
                self.publisher.show(found)
                self._save(found, found.reason not in OURS or self.course.paused)
                if self.course.stopped:
                    return replace(found, reason="stopped")
                if self.course.paused:
                    self._wait()
                    continue
                if found.reason not in OURS and not self.script:
                    return found
            self.publisher.phase("searching", self.course)
            found = search(
                cases, self.settings, self._stop(found, stop), n_jobs=n_jobs,
                observers=[self, *([] if self.replays else settling)], begin=found,
            )  # fmt: skip
            if found.reason == "interrupt":
                self._save(self._cleaned(found), True)
                raise Left("interrupted")

    def see(self, state: State, archive: Archive) -> str | None:
        """As an observer: publish, and say if there is something to do."""
        self.publisher.see(state, archive)
        if self.leaving():
            return "interrupt"
        if self._waiting():
            return "acts"
        if self.course.rejected and len(self._hated(archive)):
            return "rejected"
        return "checkpoint" if time.monotonic() - self._saved >= self._every else None

    def end(self, state: State, archive: Archive) -> None:
        pass

    @property
    def settings(self) -> Settings:
        return replace(self.first, operators=self.course.operators)

    @property
    def replays(self) -> bool:
        return "script" in self.spec

    def _run(self) -> Run:
        return Run(self.cases, self.settings, self.n_jobs)

    def _stop(self, found: Search | None, stop: Stop) -> Stop:
        if self.replays:
            following = self.script[0]["generation"] if self.script else self.spec["generations"]
            return Stop(following, None, target=-1.0)
        spent = found.rows[-1]["seconds"] if found is not None else 0.0
        return replace(stop, generations=self.course.generations, seconds=max(self.course.seconds - spent, 1e-9))

    # --- acts ------------------------------------------------------------------------------------------------------

    def _waiting(self) -> bool:
        """Whether there are new acts; most of the time one look at a file's size is enough."""
        try:
            size = os.stat(self.folder / ACTS).st_size
        except FileNotFoundError:
            return False
        if size == self._seen_size:
            return False
        if len(read_lines(self.folder / ACTS)) > self._taken:
            return True
        self._seen_size = size
        return False

    def _acted(self, found: Search) -> Search:
        """The search after all acts that wait, of the script and of the person."""
        while self.script and self.script[0]["generation"] <= found.state.generation:
            found = self._do(self.script.pop(0)["act"], found, {"scripted": True})
        for act in read_lines(self.folder / ACTS)[self._taken :]:
            found = self._do(act, found, {})
            self._taken += 1
        return found

    def _do(self, act: dict[str, Any], found: Search, marks: dict[str, Any]) -> Search:
        entry = {"act": act, "generation": found.state.generation, "seconds": found.rows[-1]["seconds"], **marks}
        before = self.course
        try:
            if self.replays and not marks and act["kind"] in (*CHANGES, "extend"):
                raise ValueError(f"act: a replay cannot be steered; got {act['kind']}")
            self.course = before.after(act, entry["seconds"], self.notation)
            changed = self._changed(act, found)
        except ValueError as error:
            self.course = before
            self._know()
            self._note(entry | {"refused": str(error)})
            return found
        if self.course.changes != before.changes:
            self._waited(lambda: self._write(changed))
            self._note(entry)
            for path in (self._checkpoint(before), previous(self._checkpoint(before))):
                path.unlink(missing_ok=True)
        else:
            self._note(entry)
        again = act["kind"] in ("continue", "extend") or self.course.changes != before.changes
        return replace(changed, reason="acts") if again else changed

    def _changed(self, act: dict[str, Any], found: Search) -> Search:
        if act["kind"] == "forbid":
            return without(found, uses([act["operator"]]), self._run())
        if act["kind"] == "guess":
            nodes = self.notation.plain(act["formula"])
            rule = self.cases.prior.rule
            if rule is not None and not rule.allows(nodes):
                raise ValueError("formula: expected one whose units are consistent; got another")
            for scales in self.scales:
                nodes = scaled(nodes, scales, target=False)  # the search scales outputs itself
            if len(nodes) > self.first.max_length:
                raise ValueError(f"formula: expected at most {self.first.max_length} nodes; got {len(nodes)}")
            return with_guess(found, nodes, self._run())
        if act["kind"] == "bounds":
            if len(self.scales) > 1:
                raise ValueError("constraints: expected numbers between 1e-100 and 1e100; the data has others")
            self._know()
            return judged(found, self._run())
        return self._cleaned(found) if act["kind"] == "reject" else found

    def _note(self, entry: dict[str, Any]) -> None:
        self._waited(lambda: append_line(self.folder / LOG, entry))
        self.log.append(entry)

    # --- bounds ----------------------------------------------------------------------------------------------------

    def _know(self) -> None:
        """Let the search and the page judge by the bounds of the course."""
        said = self.course.constraints
        self.shapes = self.bounds.shapes(said)
        begun = said == tuple(self.spec["constraints"])
        probes = self._begun if begun else self.bounds.probes(self.shapes, self.scales[-1])
        self.cases.prior = replace(self.cases.prior, probes=probes)
        self.publisher.hide(self._is_hidden)

    def _is_hidden(self, m: Model) -> bool:
        """A rejected form may be found again, until the front is cleaned; the search looks at fewer points than this
        to find a violation."""
        return self._is_hated(m) or violates(m, self.shapes)

    # --- rejected forms --------------------------------------------------------------------------------------------

    def _is_hated(self, m: Model) -> bool:
        return bool(self.course.rejected) and form_of(m) in self.course.rejected

    def _hated(self, archive: Archive) -> np.ndarray:
        """Shapes of the programs on the front whose form, as the page shows it, is rejected."""
        front = archive.front
        models = ((i, self.publisher.model(archive, i)) for i in front)
        hated = [i for i, m in models if m is not None and self._is_hated(m)]
        return shapes_of(archive.programs.take(np.array(hated, int)))

    def _cleaned(self, found: Search) -> Search:
        for _ in range(CLEANINGS if self.course.rejected else 0):
            hated = self._hated(found.archive)
            if not len(hated):
                break
            found = without(found, shaped(hated.tolist()), self._run())
        return found

    # --- checkpoints and pauses ------------------------------------------------------------------------------------

    def _checkpoint(self, course: Course) -> Path:
        return self.folder / f"search-{course.changes}.checkpoint"

    def _resumed(self) -> Search | None:
        path = self._checkpoint(self.course)
        if not exists(path):
            if self.course.changes:
                raise ValueError(f"checkpoint: expected {path.name} of the last change; it is gone")
            return None
        return Search(*load_checkpoint(path, self.settings, self.cases), "checkpoint")

    def _save(self, found: Search, now: bool) -> None:
        """Write a checkpoint if it is due; without room for it the search goes on."""
        if not now and time.monotonic() - self._saved < self._every:
            return
        try:
            self._write(found)
        except OSError as error:
            self._check_folder(error)
            self._saved = time.monotonic()
            self.publisher.trouble(f"A checkpoint could not be written for a while: {error.strerror}.")

    def _waited(self, write: Callable[[], None]) -> None:
        """Write what the search must not go on without; it waits until there is room for it."""
        while True:
            try:
                return write()
            except OSError as error:
                self._check_folder(error)
                self.publisher.trouble(f"The search had to wait: what you asked for cannot be kept, {error.strerror}.")
                time.sleep(RETRY)

    def _check_folder(self, error: OSError) -> None:
        """A run whose folder was deleted ends; so does one that has to leave."""
        if not self.folder.is_dir() or self.leaving():
            raise error

    def _write(self, found: Search) -> None:
        began = time.monotonic()
        path = self._checkpoint(self.course)
        write_checkpoint(path, found.state, found.archive, found.rows, self.settings, self.cases)
        self._saved = time.monotonic()
        self._every = max(EVERY, (self._saved - began) / SHARE)

    def _wait(self) -> None:
        """Wait for an act while the run is paused."""
        self.publisher.phase("paused", self.course)
        since = time.monotonic()
        while not self._waiting():
            if time.monotonic() - since > PATIENCE or self.leaving() or not self.folder.is_dir():
                raise Left("paused")
            time.sleep(LOOK)
