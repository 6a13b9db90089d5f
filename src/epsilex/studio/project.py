"""The project folder: tables and runs, by id. Every file is written whole or not at all.

studio.json            the schema of the folder
secret.json            token and cookie of the browser, readable by the user only
tables/ID/             a table as it was uploaded, and its name
runs/ID/               a run: spec.json, acts.jsonl, log.jsonl, snapshot.json, history.jsonl, notes.json, checkpoints,
                       and `result` once it has ended
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from pathlib import Path
from typing import Any

from epsilex.files import write_file
from epsilex.tables.reading import SUFFIXES

SCHEMA = "epsilex-studio-1"
ID = re.compile(r"[0-9a-z][0-9a-z-]{0,39}")
NAME_LENGTH = 120


class Missing(ValueError):
    """A table or run that is not in the project, perhaps because its folder was deleted."""


class Project:
    """A folder with its tables and runs."""

    def __init__(self, folder: Path):
        self.folder = Path(folder).resolve()
        mark = self.folder / "studio.json"
        if mark.exists():
            found = read_json(mark).get("schema")
            if found != SCHEMA:
                raise ValueError(f"{self.folder}: expected a project of schema {SCHEMA}; got {found!r}")
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise ValueError(f"{self.folder}: expected a project of the studio, or an empty folder; got another folder")
        for name in ("tables", "runs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        if not mark.exists():
            write_json(mark, {"schema": SCHEMA})

    def secret(self) -> dict[str, str]:
        """Token and cookie; they are kept, so that an open page finds its server again after a restart."""
        path = self.folder / "secret.json"
        if not path.exists():
            new = {name: secrets.token_urlsafe(32) for name in ("token", "cookie", "csrf")}
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(new, file)
        return read_json(path)

    def add_table(self, name: str, content: bytes) -> str:
        """Keep a table; returns its id. The same table twice is kept once."""
        id = hashlib.sha256(content + b"\0" + name.encode()).hexdigest()[:16]
        folder = self.folder / "tables" / id
        if not (folder / "table.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            write_file(folder / f"table{suffix_of(name)}", content)
            write_json(folder / "table.json", {"name": name[:NAME_LENGTH], "made": time.time()})
        return id

    def tables(self) -> list[dict[str, Any]]:
        """Ids and names, the latest first."""
        found = []
        for folder in (self.folder / "tables").iterdir():
            if (folder / "table.json").exists():
                found.append({"id": folder.name, **read_json(folder / "table.json")})
        return sorted(found, key=lambda table: -table["made"])

    def table(self, id: str) -> tuple[str, Path]:
        """Name and file of a table."""
        folder = self._folder("tables", id)
        files = sorted(path for path in folder.glob("table*") if path.name != "table.json")
        if not files:
            raise Missing(f"table: its file is no longer in {folder}")
        return read_json(folder / "table.json")["name"], files[0]

    def add_run(self, spec: dict[str, Any]) -> str:
        """A new run that waits for its process; returns its id."""
        for _ in range(100):
            id = time.strftime("%Y%m%d-%H%M%S-") + secrets.token_hex(2)
            folder = self.folder / "runs" / id
            if not folder.exists():
                break
        folder.mkdir()
        write_json(folder / "spec.json", spec)
        return id

    def runs(self) -> list[str]:
        """Ids, the oldest first; an OSError if the folder is gone."""
        return sorted(path.name for path in (self.folder / "runs").iterdir() if (path / "spec.json").exists())

    def run(self, id: str) -> Path:
        """Folder of a run."""
        return self._folder("runs", id)

    def _folder(self, kind: str, id: str) -> Path:
        # The id is a name on a whitelist pattern, so no path can come from the browser.
        folder = self.folder / kind / id
        if not ID.fullmatch(id) or not folder.is_dir():
            raise Missing(f"{kind[:-1]}: expected one of this project; got {id[:40]!r}, perhaps its folder was deleted")
        return folder


def suffix_of(name: str) -> str:
    """The extension of a table's file name, such as .csv or .csv.gz."""
    suffixes = [part.lower() for part in Path(name).suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    first = (suffixes[:-1] if gzipped else suffixes)[-1:]
    if not first or first[0] not in SUFFIXES:
        raise ValueError(f"table: expected a file called {', '.join('*' + s for s in SUFFIXES)} (also .gz)")
    return first[0] + (".gz" if gzipped else "")


def read_json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def read_spec(run: Path) -> dict[str, Any]:
    """The spec in a run's folder; one of an older version knows nothing of the law."""
    nothing: dict[str, Any] = {
        "form": None, "guesses": [], "per_group": [], "constraints": [], "units": {}, "target_unit": None,
        "constant_units": "none", "notes": [],
    }  # fmt: skip
    return nothing | read_json(run / "spec.json")


def write_json(path: Path, value: object, lasting: bool = True) -> None:
    write_file(path, json.dumps(value, allow_nan=False) + "\n", lasting=lasting)


def append_line(path: Path, value: object, safe: bool = True) -> None:
    """Add a line of JSON, whole or not at all; unless it may be lost with the machine's power, force it to disk."""
    with open(path, "ab", buffering=0) as file:
        end, left = file.tell(), (json.dumps(value, allow_nan=False) + "\n").encode()
        try:
            while left:
                left = left[file.write(left) :]
            if safe:
                os.fsync(file.fileno())
        except OSError:
            file.truncate(end)  # the next line must not follow half of this one
            raise


def read_lines(path: Path) -> list[Any]:
    """The whole lines of a file; a line still being written is left for later."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]
