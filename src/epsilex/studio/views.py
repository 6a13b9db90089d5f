"""What the page shows of runs: their files, read when they change, with the front's formulas typeset."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from epsilex.data.scales import Scales
from epsilex.models.own import read
from epsilex.studio import acts, units
from epsilex.studio.bounds import Bounds
from epsilex.studio.columns import summary
from epsilex.studio.exporting import said
from epsilex.studio.lock import alive
from epsilex.studio.looking import Looker
from epsilex.studio.notation import Notation
from epsilex.studio.preparing import Prepared, prepared
from epsilex.studio.project import Project, append_line, read_json, read_lines, read_spec, write_json
from epsilex.studio.publishing import HISTORY, SNAPSHOT
from epsilex.studio.specs import checked
from epsilex.tables import read_table

WATCHED = ("spec.json", acts.ACTS, acts.LOG, "notes.json")
LIVE = ("waiting", "preparing", "searching", "paused", "finishing")
POINTS = 400  # of the history drawn
LEAST = 4 * 2**20  # bytes free on a disk that is not full
FULL = "The disk is full: the search goes on, but what it finds cannot be kept until there is room again."
MAX_NOTES, MAX_NOTE = 200, 2000


class Runs:
    """The runs of a project, for the server; every method may be called from any thread."""

    def __init__(self, project: Project):
        self.project = project
        self._lock = threading.RLock()
        self._lookers: dict[str, Looker] = {}
        self._started: dict[str, subprocess.Popen] = {}
        self._snapshots: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}  # by run, each with its stamp

    # --- tables ----------------------------------------------------------------------------------------------------

    def add_table(self, name: str, content: bytes) -> dict[str, Any]:
        id = self.project.add_table(name, content)
        try:
            return self.table(id)
        except ValueError:
            for path in (self.project.folder / "tables" / id).iterdir():
                path.unlink()
            (self.project.folder / "tables" / id).rmdir()
            raise

    def table(self, id: str) -> dict[str, Any]:
        name, path = self.project.table(id)
        try:
            return {"id": id, "name": name, **summary(read_table(path))}
        except ValueError as error:  # it names the path, which is of no use to the page
            raise ValueError(str(error).replace(str(path), name)) from None

    # --- runs ------------------------------------------------------------------------------------------------------

    def begin(self, asked: dict[str, Any]) -> str:
        """Check a spec, make its run and start its process; returns its id."""
        _, path = self.project.table(str(asked.get("table", "")))
        frame = read_table(path)
        spec = checked(asked, [str(name) for name in frame.columns]) | {"table": asked["table"]}
        data = prepared(frame, spec)
        spec["notes"] = _check_together(data, spec)
        id = self.project.add_run(spec | {"made": time.time()})
        self.start(id)
        return id

    def replay(self, id: str) -> str:
        """A new run that repeats another by its log, not yet started."""
        folder = self.project.run(id)
        snapshot = self._snapshot(folder)
        if snapshot["phase"] != "done":
            raise ValueError("replay: expected a run that has ended")
        log = [entry for entry in read_lines(folder / acts.LOG) if "refused" not in entry]
        spec = read_spec(folder)
        script = [{"act": entry["act"], "generation": entry["generation"]} for entry in log]
        spec |= {
            "name": f"{spec['name']}, replayed", "generations": snapshot["generation"], "replays": id,
            "expected": snapshot["digest"], "made": time.time(),
            "script": [entry for entry in script if entry["act"]["kind"] in acts.CHANGES],
        }  # fmt: skip
        return self.project.add_run(spec)

    def start(self, id: str) -> None:
        """Start the process of a run; it outlives the server, and does nothing if another one has the run."""
        folder = self.project.run(id)
        with self._lock, open(folder / "process.log", "ab") as log:
            command = [sys.executable, "-m", "epsilex.studio.worker", str(self.project.folder), id]
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
            self._started[id] = process

    def act(self, id: str, asked: dict[str, Any]) -> None:
        """Add an act to a run's inbox, and start a process if the run has none and the act needs one."""
        folder = self.project.run(id)
        spec = read_spec(folder)
        act = acts.checked(asked, self.looker(id).notation, spec)
        with self._lock:
            if len(read_lines(folder / acts.ACTS)) >= 10_000:
                raise ValueError("act: this run has 10000 acts; expected no more")
            append_line(folder / acts.ACTS, act | {"asked": time.time()})
        if act["kind"] in ("continue", "extend") and not self.running(id):
            self.start(id)

    def tend(self) -> None:
        """Start a process for acts that came while the last process was leaving; one that failed has seen those that
        came before it said so."""
        for id in self.project.runs():
            if self.running(id):
                continue
            folder = self.project.run(id)
            told = self._snapshot(folder)
            seen = told["written"] if told["phase"] == "failed" else 0.0
            log = [entry for entry in read_lines(folder / acts.LOG) if "scripted" not in entry]
            waiting = read_lines(folder / acts.ACTS)[len(log) :]
            if any(act["kind"] in ("continue", "extend") and act["asked"] > seen for act in waiting):
                self.start(id)

    def running(self, id: str) -> bool:
        """Whether a run has a process, or one that is just starting."""
        process = self._started.get(id)
        if process is not None and process.poll() is None:
            return True
        return alive(self.project.run(id))

    def interrupt(self) -> int:
        """Ask all processes to save their runs and leave; returns how many there are."""
        count = 0
        for id in self.project.runs():
            pid = self._snapshot(self.project.run(id)).get("pid")
            if self.running(id) and isinstance(pid, int):
                count += 1
                try:
                    os.kill(pid, signal.SIGTERM)
                except OSError:
                    continue
        return count

    def looker(self, id: str) -> Looker:
        """Looks at the formulas of a run; its rows are read once."""
        with self._lock:
            if id not in self._lookers:
                spec = read_spec(self.project.run(id))
                if len(self._lookers) > 8:
                    self._lookers.clear()
                data = self.data(spec)
                self._lookers[id] = Looker(data, Notation.of(data, spec), spec["noise"], units.texts_of(spec, data))
            return self._lookers[id]

    def data(self, spec: dict[str, Any]) -> Prepared:
        return prepared(read_table(self.project.table(spec["table"])[1]), spec)

    # --- what the page shows ---------------------------------------------------------------------------------------

    def signature(self, id: str) -> tuple[tuple, tuple]:
        """Changes when the view of a run does: first what a person waits for, then what the search tells."""
        folder = self.project.run(id)
        phase = self._phase(id, self._snapshot(folder))
        return (phase, self._is_full(), *(_stamp(folder / name) for name in WATCHED)), _stamp(folder / SNAPSHOT)

    def brief(self, id: str) -> dict[str, Any]:
        """A run in a line."""
        folder = self.project.run(id)
        spec, snapshot = read_spec(folder), self._snapshot(folder)
        return {
            "id": id, "name": spec["name"], "target": spec["target"], "made": spec.get("made", 0.0),
            "phase": self._phase(id, snapshot), "generation": snapshot["generation"], "seconds": snapshot["seconds"],
            "budget": snapshot.get("budget", spec["seconds"]), "limit": snapshot.get("limit", spec["generations"]),
        }  # fmt: skip

    def view(self, id: str) -> dict[str, Any]:
        """All that the page shows of a run beside a single formula."""
        folder = self.project.run(id)
        spec, snapshot = read_spec(folder), self._snapshot(folder)
        looker = self.looker(id)
        log = read_lines(folder / acts.LOG)
        asked = read_lines(folder / acts.ACTS)
        done = sum("scripted" not in entry for entry in log)
        final = snapshot["phase"] == "done"
        return self.brief(id) | {
            "spec": {key: spec[key] for key in spec if key not in ("script",)},
            "table": self.project.table(spec["table"])[0],
            "features": looker.names,
            "groups": {"column": looker.notation.column, "labels": list(looker.notation.labels)},
            "rows": {"train": len(looker.train.y), "held": len(looker.held.y)},
            "notes_on_data": [*looker.data.table.notes, *spec["notes"]],
            "front": looker.front(snapshot["front"], final),
            "chosen": snapshot.get("chosen") if final else None,
            "why": snapshot.get("why"),
            "reason": snapshot.get("reason") if final else None,
            "message": snapshot.get("message"),
            "trouble": FULL if self._is_full() else snapshot.get("trouble"),
            "digest": snapshot.get("digest"),
            "same": snapshot.get("digest") == spec["expected"] if final and "expected" in spec else None,
            "operators": snapshot.get("operators", spec["operators"]),
            "forbidden": snapshot.get("forbidden", []),
            "constraints": snapshot.get("constraints", spec["constraints"]),
            "log": [{"generation": e["generation"], "said": said(e), "refused": "refused" in e} for e in log],
            "waiting": [said({"act": act}) for act in asked[done:]],
            "history": self._history(folder),
            "notes": self.notes(id),
        }

    def _is_full(self) -> bool:
        """Whether the disk is about full; a run cannot tell, because it cannot write."""
        return shutil.disk_usage(self.project.folder).free < LEAST

    def _snapshot(self, folder: Path) -> dict[str, Any]:
        """What the search told last; read once."""
        stamp = _stamp(folder / SNAPSHOT)
        if self._snapshots.get(folder.name, (None,))[0] != stamp:
            first = {"phase": "waiting", "generation": 0, "seconds": 0.0, "front": []}
            try:
                self._snapshots[folder.name] = stamp, first | read_json(folder / SNAPSHOT)
            except FileNotFoundError:
                return first
        return self._snapshots[folder.name][1]

    def _phase(self, id: str, snapshot: dict[str, Any]) -> str:
        """The phase told, unless the process that told it is gone."""
        phase = snapshot["phase"]
        if self.running(id):
            return phase if phase in LIVE else "preparing"
        return "interrupted" if phase in LIVE and phase != "paused" else phase

    def _history(self, folder: Path) -> dict[str, list]:
        rows = read_lines(folder / HISTORY)
        kept: list[dict] = []
        for row in rows:  # a process that was killed may have told more than its checkpoint knew
            while kept and kept[-1]["generation"] >= row["generation"]:
                kept.pop()
            kept.append(row)
        some = np.unique(np.linspace(0, max(len(kept) - 1, 0), min(len(kept), POINTS)).astype(int))
        names = ("generation", "seconds", "best", "median", "diversity", "length")
        return {name: [kept[k][name] for k in some] for name in names}

    # --- notes -----------------------------------------------------------------------------------------------------

    def notes(self, id: str) -> list[dict[str, Any]]:
        """Formulas that a person has pinned or written about."""
        try:
            return read_json(self.project.run(id) / "notes.json")["notes"]
        except FileNotFoundError:
            return []

    def note(self, id: str, asked: dict[str, Any]) -> None:
        """Pin a formula, unpin it, or write about it."""
        looker = self.looker(id)
        m = looker.notation.read(asked.get("formula"))
        words, pinned = asked.get("text", ""), asked.get("pinned", False)
        if not isinstance(words, str) or len(words) > MAX_NOTE or not isinstance(pinned, bool):
            raise ValueError(f"note: expected a text of at most {MAX_NOTE} characters, and whether it is pinned")
        with self._lock:
            others = [note for note in self.notes(id) if note["formula"] != asked["formula"]]
            told = looker.told(m) or {"formula": asked["formula"], "math": ""}
            new = {"formula": asked["formula"], "text": words, "pinned": pinned, "short": told["formula"],
                   "math": told["math"]}  # fmt: skip
            kept = [*others, new] if words or pinned else others
            if len(kept) > MAX_NOTES:
                raise ValueError(f"note: expected at most {MAX_NOTES} formulas with notes; got more")
            write_json(self.project.run(id) / "notes.json", {"notes": kept})


def _check_together(data: Prepared, spec: dict[str, Any]) -> list[str]:
    """Raise what a search would refuse of a spec and its rows before it starts; returns what there is to tell."""
    if data.sigma is None and spec["noise"] == "relative" and not _one_sign(data.y):
        raise ValueError("noise: expected a target of one sign for relative noise")
    notation = Notation.of(data, spec)
    Bounds.of(data, notation).shapes(spec["constraints"])
    named = {name for guess in spec["guesses"] for name in read(guess, data.names, "guesses").labels.values()}
    if unknown := [name for name in spec["per_group"] if name not in named]:
        raise ValueError(f"per_group: expected names of constants in the guesses; got {', '.join(map(repr, unknown))}")
    limited = {
        "form": spec["form"] is not None, "groups": data.labels is not None, "constraints": bool(spec["constraints"])
    }  # fmt: skip
    if any(limited.values()) and Scales.modest(data.X, data.y) is not None:
        which = next(name for name, value in limited.items() if value)
        raise ValueError(f"{which}: expected numbers between 1e-100 and 1e100; the data has others")
    return units.check(spec, data)


def _one_sign(y: np.ndarray) -> bool:
    return bool((y > 0.0).all() or (y < 0.0).all())


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)
