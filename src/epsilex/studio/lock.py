"""Whether a run's process is alive: it holds an SQLite transaction, which ends with the process on every system."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

FILE = "alive.sqlite"


class Busy(RuntimeError):
    """Another process runs this run."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the lock of a run; `Busy` if another process has it."""
    with closing(_connection(folder)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise Busy(f"{folder}: another process runs it ({error})") from None
        yield


def alive(folder: Path) -> bool:
    """Whether some process holds the lock of a run."""
    if not (folder / FILE).exists():
        return False
    with closing(_connection(folder)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return True
    return False


def _connection(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / FILE, timeout=0.0, isolation_level=None)
