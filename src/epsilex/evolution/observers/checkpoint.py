"""Checkpoints: JSON and raw arrays, with a schema version and a SHA-256. Nothing loaded is ever executed.

A file is one line of JSON (the header) followed by the bytes of the arrays. It is written to a temporary file, forced
to disk and renamed, and the previous one is kept. So one whole checkpoint always exists.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
import warnings
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.history import History
from epsilex.evolution.population import Population
from epsilex.evolution.run import Run
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.programs.operators import opcodes
from epsilex.selection import Method

SCHEMA = "epsilex-checkpoint-2"
DTYPES = ("bool", "uint8", "int32", "int64", "uint64", "float32", "float64")
HEADER = {
    "arrays": list, "sha256": str, "generation": int, "evaluations": int, "rows": list, "settings": dict, "cases": str,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where the state of a search is written, and how often, in seconds."""

    path: Path
    every: float = 30.0

    def of(self, run: Run, history: History) -> Writer:
        """The observer that writes it."""
        return Writer(self, run, history)


class Writer:
    """Writes the state every so often, and once at the end."""

    def __init__(self, checkpoint: Checkpoint, run: Run, history: History):
        self._path, self._every = Path(checkpoint.path), checkpoint.every
        self._run, self._history = run, history
        self._last = time.monotonic()
        self._written: int | None = None

    def see(self, state: State, archive: Archive) -> None:
        if time.monotonic() - self._last >= self._every:
            self._write(state, archive)

    def end(self, state: State, archive: Archive) -> None:
        if self._written != state.generation:
            self._write(state, archive)

    def _write(self, state: State, archive: Archive) -> None:
        write_checkpoint(self._path, state, archive, self._history.rows, self._run.settings, self._run.cases)
        self._last, self._written = time.monotonic(), state.generation


def previous(path: Path) -> Path:
    """Path of the previous checkpoint."""
    return path.with_name(path.name + ".previous")


def exists(path: Path) -> bool:
    """Whether there is anything to resume; between two renames only the previous checkpoint exists."""
    return path.exists() or previous(path).exists()


def write_checkpoint(path: Path, state: State, archive: Archive, rows: list, settings: Settings, cases: Cases) -> None:
    """Write, force to disk, rename; the checkpoint that was there becomes the previous one."""
    arrays = {f"population.{name}": a for name, a in state.population.arrays().items()}
    arrays |= {f"archive.{name}": a for name, a in archive.arrays().items()}
    arrays["cases_used"] = state.cases_used
    body = b"".join(np.ascontiguousarray(a).tobytes() for a in arrays.values())
    header = {
        "schema": SCHEMA,
        "sha256": hashlib.sha256(body).hexdigest(),
        "arrays": [[name, str(a.dtype), list(a.shape)] for name, a in arrays.items()],
        "generation": state.generation,
        "evaluations": state.evaluations,
        "rows": rows,
        "settings": fingerprint(settings),
        "cases": cases_digest(cases),
    }
    text = json.dumps(header)
    header_digest = hashlib.sha256(text.encode()).hexdigest()
    temporary = path.with_name(path.name + ".part")
    with open(temporary, "wb") as file:
        file.write(f"{header_digest} {text}\n".encode())
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        os.replace(path, previous(path))
    os.replace(temporary, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load_checkpoint(path: Path, settings: Settings, cases: Cases) -> tuple[State, Archive, list]:
    """The state in `path`, or in the previous checkpoint."""
    header, arrays = _read_either(Path(path))
    if header["settings"] != fingerprint(settings):
        difference = _difference(header["settings"], settings)
        raise ValueError(f"checkpoint: expected the settings it was made with; {difference}")
    if header["cases"] != cases_digest(cases):
        raise ValueError("checkpoint: expected the data it was made with; the training cases are others")
    try:
        population, archive = _state(arrays, settings, cases)
    except (KeyError, ValueError) as error:
        raise ValueError(f"checkpoint: expected the arrays of a population and its archive; {error}") from None
    state = State(header["generation"], population, header["evaluations"], arrays["cases_used"])
    return state, archive, header["rows"]


def stored_population_size(path: Path) -> int:
    """Size of the population in `path`, or in the previous checkpoint."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # loading gives the same warning
        header, _ = _read_either(path)
    n = header["settings"].get("population_size")
    if type(n) is not int or n < 2:
        raise ValueError(f"checkpoint: expected a population in {path}; got one of {n!r}")
    return n


def _read_either(path: Path) -> tuple[dict, dict[str, np.ndarray]]:
    """The content of `path`; if that is missing or damaged, of the previous checkpoint, with a warning."""
    try:
        return _read(path)
    except (OSError, ValueError) as error:
        older = previous(path)
        if not older.exists():
            raise ValueError(f"checkpoint: expected a whole checkpoint at {path}; {error}") from None
        warnings.warn(f"checkpoint {path} cannot be used ({error}); the previous one is used instead", stacklevel=2)
        try:
            return _read(older)
        except (OSError, ValueError) as second:
            raise ValueError(f"checkpoint: expected a whole one at {path} or {older}; {error}; {second}") from None


def _read(path: Path) -> tuple[dict, dict[str, np.ndarray]]:
    with open(path, "rb") as file:
        line, body = file.readline(), file.read()
    digest, _, text = line.decode("utf-8", "replace").rstrip("\n").partition(" ")
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        raise ValueError("its header does not match its checksum")
    header = json.loads(text)
    if header.get("schema") != SCHEMA:
        raise ValueError(f"expected schema {SCHEMA}, got {header.get('schema')!r}")
    if not all(isinstance(header.get(key), kind) for key, kind in HEADER.items()):
        raise ValueError("its header does not hold what it should")
    if hashlib.sha256(body).hexdigest() != header["sha256"]:
        raise ValueError("its arrays do not match their checksum")
    return header, _arrays(header["arrays"], body)


def _arrays(described: list, body: bytes) -> dict[str, np.ndarray]:
    arrays, at = {}, 0
    for name, dtype, shape in described:
        if dtype not in DTYPES or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"array {name} has dtype {dtype} and shape {shape}")
        count = math.prod(shape)
        arrays[name] = np.frombuffer(body, dtype, count, at).reshape(shape).copy()
        at += count * np.dtype(dtype).itemsize
    return arrays


def _state(arrays: dict[str, np.ndarray], settings: Settings, cases: Cases) -> tuple[Population, Archive]:
    """Population and archive, checked, because kernels trust the shapes and programs they are given."""
    split: dict[str, dict] = {"population": {}, "archive": {}, "cases_used": {}}
    for name, array in arrays.items():
        part, _, column = name.partition(".")
        split[part][column] = array
    n, width = settings.population_size, settings.max_length
    for part, rows in (("population", n), ("archive", width + 1)):
        if any(len(array) != rows for array in split[part].values()):
            raise ValueError(f"expected {rows} rows in each array of the {part}")
    population, archive = Population.from_arrays(split["population"]), Archive.from_arrays(split["archive"])
    if population.errors.shape != (n, len(cases)) or {population.programs.width, archive.programs.width} != {width}:
        raise ValueError(f"expected {len(cases)} errors of each program and {width} nodes")
    population.programs.validate(cases.n_features)
    archive.programs.take(archive.taken).validate(cases.n_features)
    return population, archive


def fingerprint(settings: Settings) -> dict:
    """The settings as plain JSON values, a function by its hash; and the opcodes of the operators."""
    from epsilex.kernels.compiling import digest

    plain = {field.name: getattr(settings, field.name) for field in fields(settings)}
    plain = {k: f"function {digest(v)}" if callable(v) else v for k, v in plain.items()}
    if isinstance(settings.selection, Method):
        plain["selection"] = f"method {settings.selection.id}"
    plain["opcodes"] = opcodes(settings.operators).tolist()
    return json.loads(json.dumps(plain, default=str))


def _difference(saved: dict, settings: Settings) -> str:
    now = fingerprint(settings)
    changed = [f"{k} was {saved.get(k)!r} and is {now[k]!r}" for k in now if saved.get(k) != now[k]]
    return "; ".join(changed) or "they differ"


def cases_digest(cases: Cases) -> str:
    """A SHA-256 of the training cases."""
    digest = hashlib.sha256()
    for array in (cases.X, cases.y, cases.weight):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
