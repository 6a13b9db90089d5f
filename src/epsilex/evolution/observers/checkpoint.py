"""Checkpoints: JSON and raw arrays, with a schema version and a SHA-256. Nothing loaded is ever executed.

A file is one line of JSON (the header) followed by the bytes of the arrays. It is written to a temporary file, forced
to disk and renamed, and the previous one is kept. So one whole checkpoint always exists.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.history import PARTS, History
from epsilex.evolution.population import Population
from epsilex.evolution.run import Run
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.files import clean, locked, read_file, write_file
from epsilex.programs import Programs
from epsilex.programs.operators import opcodes
from epsilex.selection import Method
from epsilex.selection.methods import KINDS

SCHEMA = "epsilex-checkpoint-2"
DTYPES = KINDS
HEADER = {
    "arrays": list, "sha256": str, "generation": int, "evaluations": int, "rows": list, "settings": dict, "cases": str,
}  # fmt: skip
ROW = {"generation", "evaluations", "seconds", *(f"seconds_{part}" for part in PARTS)}  # numbers of 0 and more


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where the state of a search is written, and how often, in seconds."""

    path: Path
    every: float = 30.0

    def of(self, run: Run, history: History) -> Writer:
        """The observer that writes it."""
        return Writer(self, run, history)

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other searches from writing here, and remove what killed ones have left."""
        path = Path(self.path)
        with locked(path, f"checkpoint: another search is writing to {path}") as alone:
            clean(path.parent, (path.name,) if alone else ())
            yield


class Writer:
    """Writes the state every so often, and once at the end. A file that cannot be written costs only a warning."""

    def __init__(self, checkpoint: Checkpoint, run: Run, history: History):
        self._path, self._every = Path(checkpoint.path), checkpoint.every
        self._run, self._history = run, history
        self._last = time.monotonic()
        self._written: int | None = None
        self._warned = False

    def see(self, state: State, archive: Archive) -> None:
        if time.monotonic() - self._last >= self._every:
            self._write(state, archive)

    def end(self, state: State, archive: Archive) -> None:
        if self._written != state.generation:
            self._write(state, archive)

    def _write(self, state: State, archive: Archive) -> None:
        self._last = time.monotonic()
        try:
            write_checkpoint(self._path, state, archive, self._history.rows, self._run.settings, self._run.cases)
            self._written = state.generation
        except OSError as error:
            if not self._warned:
                warnings.warn(
                    f"checkpoint {self._path} cannot be written ({error.strerror}); the search goes on without it",
                    stacklevel=2,
                )
            self._warned = True


def previous(path: Path) -> Path:
    """Path of the previous checkpoint."""
    return path.with_name(path.name + ".previous")


def exists(path: Path) -> bool:
    """Whether there is anything to resume; between two renames only the previous checkpoint exists."""
    return path.exists() or previous(path).exists()


def write_checkpoint(path: Path, state: State, archive: Archive, rows: list, settings: Settings, cases: Cases) -> None:
    """Write the state; the checkpoint that was there becomes the previous one."""
    arrays = {f"population.{name}": a for name, a in state.population.arrays().items()}
    arrays |= {f"archive.{name}": a for name, a in archive.arrays().items()}
    arrays |= {f"memory.{name}": a for name, a in state.memory.items()}
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
    write_file(path, f"{header_digest} {text}\n".encode() + body, previous(path))


def load_checkpoint(path: Path, settings: Settings, cases: Cases) -> tuple[State, Archive, list]:
    """The state in `path`, or in the previous checkpoint."""
    header, arrays = _read_either(Path(path))
    if header["settings"] != fingerprint(settings):
        difference = _difference(header["settings"], settings)
        raise ValueError(f"checkpoint: expected the settings it was made with; {difference}")
    if header["cases"] != cases_digest(cases):
        raise ValueError(
            "checkpoint: expected the data it was made with; the training cases are others, or what is known of them"
        )
    try:
        population, archive = _state(arrays, settings, cases)
    except ValueError as error:
        raise ValueError(f"checkpoint: expected the arrays of a population and its archive; {error}") from None
    memory = {name.removeprefix("memory."): a for name, a in arrays.items() if name.startswith("memory.")}
    state = State(header["generation"], population, header["evaluations"], arrays["cases_used"], memory)
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
    line, _, body = read_file(path).partition(b"\n")
    digest, _, text = line.decode("utf-8", "replace").partition(" ")
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        raise ValueError("its header does not match its checksum")
    try:
        header = json.loads(text)
    except RecursionError:
        raise ValueError("its header is nested too deeply") from None
    if not isinstance(header, dict) or header.get("schema") != SCHEMA:
        raise ValueError(f"expected schema {SCHEMA}")
    if not all(type(header.get(key)) is kind for key, kind in HEADER.items()):
        raise ValueError("its header does not hold what it should")
    if not all(map(_is_row, header["rows"])) or min(header["generation"], header["evaluations"]) < 0:
        raise ValueError("its history is not one")
    if hashlib.sha256(body).hexdigest() != header["sha256"]:
        raise ValueError("its arrays do not match their checksum")
    return header, _arrays(header["arrays"], body)


def _is_row(row: object) -> bool:
    """Whether this may be a row of a history: numbers by name, and the time is one of them."""
    return (
        isinstance(row, dict)
        and row.keys() >= ROW
        and all(type(value) in (int, float) for value in row.values())
        and all(math.isfinite(row[name]) and row[name] >= 0 for name in ROW)
    )


def _arrays(described: list, body: bytes) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    at = 0
    for item in described:
        if not isinstance(item, list) or [type(part) for part in item] != [str, str, list] or item[0] in arrays:
            raise ValueError(f"expected arrays as [name, dtype, shape], each once; got {item!r:.60}")
        name, dtype, shape = item
        if dtype not in DTYPES or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"array {name:.60} has dtype {dtype:.60} and shape {shape!r:.60}")
        count = math.prod(shape)
        arrays[name] = np.frombuffer(body, dtype, count, at).reshape(shape).copy()
        at += count * np.dtype(dtype).itemsize
    return arrays


def _state(arrays: dict[str, np.ndarray], settings: Settings, cases: Cases) -> tuple[Population, Archive]:
    """Population and archive, checked, because kernels trust the shapes and programs they are given."""
    n, width = settings.population_size, settings.max_length
    like = Population.unmeasured(Programs.empty(n, width), np.empty((n, len(cases)), np.float32))
    expected = {f"population.{name}": array for name, array in like.arrays().items()}
    expected |= {f"archive.{name}": array for name, array in Archive(width).arrays().items()}
    used = arrays.get("cases_used")
    known = {name for name in arrays if not name.startswith("memory.")}
    if known != {*expected, "cases_used"} or used is None or used.ndim != 1 or used.dtype != np.float64:
        raise ValueError(f"expected {', '.join(expected)} and cases_used")
    for name, array in expected.items():
        if (arrays[name].dtype, arrays[name].shape) != (array.dtype, array.shape):
            got = f"{arrays[name].dtype} of shape {arrays[name].shape}"
            raise ValueError(f"expected {name} as {array.dtype} of shape {array.shape}; got {got}")
    population = Population.from_arrays({name: arrays[f"population.{name}"] for name in like.arrays()})
    archive = Archive.from_arrays({name: arrays[f"archive.{name}"] for name in Archive(width).arrays()})
    shelves = (shelf.programs.take(shelf.taken) for shelf in archive.shelves)
    for kept in (population.programs, archive.programs.take(archive.taken), *shelves):
        kept.validate(cases.n_leaves)
        if cases.prior.form is not None:
            cases.prior.form.check(kept)
    return population, archive


def fingerprint(settings: Settings) -> dict:
    """The settings as plain JSON values, a function by its hash; and the opcodes of the operators."""
    from epsilex.kernels.meaning import digest

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
    """A SHA-256 of the training cases and of what is known of their law."""
    digest = hashlib.sha256()
    for array in (cases.X, cases.y, cases.weight):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(cases.prior.text.encode())
    return digest.hexdigest()
