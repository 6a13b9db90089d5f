"""What a worker needs to know of a search: cases, settings and own operators. Each process prepares it once."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from epsilex import __version__
from epsilex.data.losses import compiled_loss
from epsilex.evolution.islands.epoch import Rows, advanced
from epsilex.evolution.islands.island import Arrays, Packed, Parcel
from epsilex.evolution.islands.plan import Islands
from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.run import Run
from epsilex.evolution.search import rehearse
from epsilex.evolution.settings import Settings
from epsilex.pools import DaskPool, Gone, Pool, ProcessPool
from epsilex.programs.operators import Operator, adopt, own_operators

ALIGNED = 64  # bytes, as kernels want arrays to begin
MEMORY = Path("/dev/shm")  # a folder in memory, where there is one
ROOM = 1 << 30  # bytes that must be free there
KEPT = 2  # searches that a process remembers
BUFFERS = ("outputs_buffer", "trial_buffer", "error_buffers")


@dataclass(frozen=True, slots=True)
class Mapped:
    """Arrays in a file that processes map into their memory: name, where it begins, dtype and shape of each."""

    path: str
    table: tuple[tuple[str, int, str, tuple[int, ...]], ...]

    @classmethod
    def written(cls, arrays: Arrays, path: Path) -> Mapped:
        table, at = [], 0
        with open(path, "wb") as file:
            for name, array in arrays.items():
                at = -(-at // ALIGNED) * ALIGNED
                file.seek(at)
                array = np.ascontiguousarray(array)
                file.write(array.data if array.size else b"")
                table.append((name, at, str(array.dtype), array.shape))
                at += array.nbytes
            file.truncate(at + ALIGNED)  # an empty file cannot be mapped
        return cls(str(path), tuple(table))

    def arrays(self) -> Arrays:
        # Copy on write: kernels are compiled for arrays that may be written, though none is.
        whole = np.asarray(np.memmap(self.path, np.uint8, "c"))
        return {
            name: whole[at : at + np.dtype(kind).itemsize * int(np.prod(shape))].view(kind).reshape(shape)
            for name, at, kind, shape in self.table
        }


@dataclass(frozen=True, slots=True)
class Description:
    """A search as its workers see it.

    key      of this search; a process that knows it has all else
    arrays   those of the cases
    plain    the other fields of the cases, which are of this `kind`
    n_jobs   threads per island
    """

    key: str
    version: str
    kind: type[Cases]
    arrays: Arrays | Mapped
    plain: dict[str, Any]
    plan: Islands
    settings: tuple[Settings, ...]
    operators: tuple[Operator, ...]
    n_jobs: int

    def cases(self) -> Cases:
        """The cases, with buffers of their own."""
        arrays = self.arrays.arrays() if isinstance(self.arrays, Mapped) else self.arrays
        loss = compiled_loss(self.settings[0].loss, arrays["y"])
        return self.kind(**{**arrays, **self.plain, "loss": loss})


@contextmanager
def described(
    cases: Cases, plan: Islands, settings: tuple[Settings, ...], n_jobs: int, pool: Pool
) -> Iterator[Description]:
    """The description of a search in a form that suits the pool: arrays in a file for processes, sent once by Dask."""
    found = {field.name: getattr(cases, field.name) for field in fields(cases) if field.name not in (*BUFFERS, "loss")}
    arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in found.items() if name not in arrays}
    with _folder() if isinstance(pool, ProcessPool) else nullcontext() as folder:
        sent = arrays if folder is None else Mapped.written(arrays, folder / "cases")
        whole = Description(
            uuid.uuid4().hex, __version__, type(cases), sent, plain, plan, settings, own_operators(), n_jobs
        )
        yield pool.shared(whole) if isinstance(pool, DaskPool) else whole


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder, in memory where possible, which is removed even if this process is killed."""
    from joblib.externals.loky.backend import resource_tracker

    room = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
    with tempfile.TemporaryDirectory(
        prefix="epsilex-", dir=MEMORY if room else None, ignore_cleanup_errors=True
    ) as folder:
        resource_tracker.register(folder, "folder")
        try:
            yield Path(folder)
        finally:
            resource_tracker.unregister(folder, "folder")


def advance(
    description: Description, island: int, packed: Packed | None, arriving: Sequence[Parcel], until: int,
    wanted: Callable[[], bool],
) -> tuple[Packed, Rows] | None:  # fmt: skip
    """The work of a worker: one island at generation `until`, see `advanced`."""
    with _lent(description) as (known, cases):
        run = Run(cases, known.settings[island], known.n_jobs)
        return advanced(packed, run, known.plan, arriving, until, wanted)


def prepare(description: Description) -> None:
    """Compile or load all kernels before the clock of a search starts."""
    with _lent(description) as (known, cases):
        for settings in known.settings:
            rehearse(cases, settings)


_KNOWN: dict[str, tuple[Description, list[Cases]]] = {}  # by key, with the cases that no task uses now
_LOCK = threading.Lock()


@contextmanager
def _lent(description: Description) -> Iterator[tuple[Description, Cases]]:
    """The description that this process has, and cases whose buffers nobody else uses."""
    if description.version != __version__:
        raise Gone(f"dask: expected workers with epsilex {description.version}; {_name()} has {__version__}")
    with _LOCK:
        if description.key not in _KNOWN:
            adopt(description.operators)
            _KNOWN[description.key] = (description, [])
            for old in list(_KNOWN)[:-KEPT]:
                del _KNOWN[old]
        known, idle = _KNOWN[description.key]
        cases = idle.pop() if idle else None
    cases = cases or known.cases()
    yield known, cases
    idle.append(cases)


def _name() -> str:
    """Of this worker, for messages."""
    return f"process {os.getpid()} on {platform.node()}"
