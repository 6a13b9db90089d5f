"""Checkpoints: the state of a search as a record, so that a killed search continues bit for bit."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.records import read_record, write_record
from epsilex.evolution.population import Population
from epsilex.evolution.settings import Settings
from epsilex.evolution.state import State
from epsilex.files import clean, locked
from epsilex.programs import Programs
from epsilex.programs.operators import opcodes
from epsilex.selection import Method

SCHEMA = "epsilex-checkpoint-2"
ISLANDS = "epsilex-islands-1"  # several searches, see `epsilex.evolution.islands.checkpoint`
SCHEMAS: dict[str, dict[str, type]] = {SCHEMA: {"generation": int, "evaluations": int}, ISLANDS: {"islands": list}}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where the state of a search is written, and how often, in seconds."""

    path: Path
    every: float = 30.0

    def of(self, write: Callable[[State, Archive], None]) -> Writer:
        """The observer that writes it, by a function that makes the file."""
        return Writer(self, write)

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other searches from writing here, and remove what killed ones have left."""
        path = Path(self.path)
        with locked(path, f"checkpoint: another search is writing to {path}") as alone:
            clean(path.parent, (path.name,) if alone else ())
            yield


class Writer:
    """Writes the state every so often, and once at the end. A file that cannot be written costs only a warning."""

    def __init__(self, checkpoint: Checkpoint, write: Callable[[State, Archive], None]):
        self._path, self._every = Path(checkpoint.path), checkpoint.every
        self._make = write
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
            self._make(state, archive)
            self._written = state.generation
        except OSError as error:
            if not self._warned:
                warnings.warn(
                    f"checkpoint {self._path} cannot be written ({error.strerror}); the search goes on without it",
                    stacklevel=2,
                )
            self._warned = True


def write_checkpoint(path: Path, state: State, archive: Archive, rows: list, settings: Settings, cases: Cases) -> None:
    """Write the state; the checkpoint that was there becomes the previous one."""
    header = {
        "generation": state.generation,
        "evaluations": state.evaluations,
        "rows": rows,
        "settings": fingerprint(settings),
        "cases": cases_digest(cases),
    }
    write_record(path, SCHEMA, header, state_arrays(state, archive))


def state_arrays(state: State, archive: Archive) -> dict[str, np.ndarray]:
    """All arrays of a state and its archive, by name."""
    arrays = {f"population.{name}": a for name, a in state.population.arrays().items()}
    arrays |= {f"archive.{name}": a for name, a in archive.arrays().items()}
    arrays |= {f"memory.{name}": a for name, a in state.memory.items()}
    return arrays | {"cases_used": state.cases_used}


def load_checkpoint(path: Path, settings: Settings, cases: Cases) -> tuple[State, Archive, list]:
    """The state in `path`, or in the previous checkpoint."""
    header, arrays = read_record(Path(path), SCHEMAS)
    if header["schema"] != SCHEMA:
        raise ValueError(f"checkpoint: expected that of one population; it is that of {len(header['islands'])} islands")
    check_origin(header, settings, cases)
    return *checked_state(header, arrays, settings, cases, len(cases)), header["rows"]


def checked_state(
    header: dict, arrays: dict[str, np.ndarray], settings: Settings, cases: Cases, n_cases: int
) -> tuple[State, Archive]:
    """State and archive from their arrays, checked, because kernels trust the shapes and programs they are given."""
    try:
        check_arrays(arrays, settings, n_cases)
        state, archive = state_of(header, arrays)
        shelves = (shelf.programs.take(shelf.taken) for shelf in archive.shelves)
        for programs in (state.population.programs, archive.programs.take(archive.taken), *shelves):
            check_programs(programs, cases)
    except ValueError as error:
        raise ValueError(f"checkpoint: expected the arrays of a population and its archive; {error}") from None
    return state, archive


def check_programs(programs: Programs, cases: Cases) -> None:
    """Raise if these are no programs of a search on the cases."""
    programs.validate(cases.n_leaves)
    if cases.prior.form is not None:
        cases.prior.form.check(programs)


def state_of(header: dict, arrays: dict[str, np.ndarray]) -> tuple[State, Archive]:
    """State and archive from their arrays, which are trusted."""
    parts: dict[str, dict[str, np.ndarray]] = {"population": {}, "archive": {}, "memory": {}, "cases_used": {}}
    for name, array in arrays.items():
        part, _, rest = name.partition(".")
        parts[part][rest] = array
    population, archive = Population.from_arrays(parts["population"]), Archive.from_arrays(parts["archive"])
    used = parts["cases_used"][""]
    return State(header["generation"], population, header["evaluations"], used, parts["memory"]), archive


def check_origin(header: dict, settings: Settings, cases: Cases) -> None:
    """Raise if a record is that of another search."""
    if header["settings"] != fingerprint(settings):
        difference = _difference(header["settings"], settings)
        raise ValueError(f"checkpoint: expected the settings it was made with; {difference}")
    if header["cases"] != cases_digest(cases):
        raise ValueError(
            "checkpoint: expected the data it was made with; the training cases are others, or what is known of them"
        )


def stored_population_size(path: Path) -> int:
    """Size of the population in `path`, or in the previous checkpoint."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # loading gives the same warning
        header, _ = read_record(path, SCHEMAS)
    n = header["settings"].get("population_size")
    if type(n) is not int or n < 2:
        raise ValueError(f"checkpoint: expected a population in {path}; got one of {n!r}")
    return n


def check_arrays(arrays: dict[str, np.ndarray], settings: Settings, n_cases: int) -> None:
    """Raise if these are not the arrays, of the right shapes, of a state with these settings."""
    n, width = settings.population_size, settings.max_length
    like = Population.unmeasured(Programs.empty(n, width), np.empty((n, n_cases), np.float32))
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
    for array in (cases.X, cases.y, cases.weight, cases.rows_X, cases.rows_y, cases.rows_weight):
        if array is not None:
            digest.update(np.ascontiguousarray(array).data)
    digest.update(cases.prior.text.encode())
    return digest.hexdigest()
