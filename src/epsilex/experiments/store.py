"""The results file, one SQLite database: opened by one run at a time, one transaction per trial.

A killed run loses only the running trials; stored trials stay intact. A folder that has only a compact copy of its
results is continued from that copy.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from epsilex.experiments import compact, schema
from epsilex.experiments.studies import Cell, Scale
from epsilex.experiments.trials import HISTORY, Outcome, Trial, completed
from epsilex.problems import Problem

FILE = "results.sqlite"
_KEY = ("problem", "method", "settings", "engine", "trial")


class ResultsError(ValueError):
    """The results file cannot be used; the message says why."""


class Store:
    """The results file, open for writing. Use `Store.open(path)` in a `with` statement."""

    def __init__(self, connection: sqlite3.Connection, path: Path):
        self._connection = connection
        self._path = path

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Store]:
        """Open or make the file at `path`; a second run on the same file is refused."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResultsError(
                f"out: expected a folder that can be written; got {path.parent} ({error.strerror})"
            ) from None
        with _locked(path), explained(path):
            connection = sqlite3.connect(path, isolation_level=None)
            try:
                _prepare(connection, path)
                yield cls(connection, path)
            finally:
                connection.close()

    def begin(self, study: str, scale: Scale, cells: Sequence[Cell], problems: Iterable[Problem], workers: str) -> int:
        """Record a run and the cells it reports. Refuses data that differs from that of the stored results."""
        with self._transaction() as db:
            for problem in problems:
                _note_problem(db, problem)
            for c in cells:
                db.execute(
                    "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                    "method = excluded.method, settings = excluded.settings, trials = max(trials, excluded.trials)",
                    (
                        study, c.problem, c.column, c.method, c.settings, c.engine, scale.generations,
                        scale.population_size, scale.trials,
                    ),
                )  # fmt: skip
            db.execute(
                "INSERT INTO runs (started, study, trials, generations, population_size, engine, workers) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (_now(), study, scale.trials, scale.generations, scale.population_size, cells[0].engine, workers),
            )
            return db.execute("SELECT max(run) FROM runs").fetchone()[0]

    def end(self, run: int) -> None:
        """Record the end of a run."""
        with self._transaction() as db:
            db.execute("UPDATE runs SET finished = ? WHERE run = ?", (_now(), run))

    def done(self) -> set[Trial]:
        """The finished trials. Failed trials are not included, so a new run tries them again."""
        rows = self._connection.execute(f"SELECT {', '.join(_KEY)} FROM trials WHERE status = 'done'")
        return {Trial(*row) for row in rows}

    def add(self, trial: Trial, outcome: Outcome, attempts: int) -> None:
        """Write a trial and its history, all or nothing. A failed attempt is replaced by the next."""
        status = "done" if outcome.error is None else "failed"
        columns = (
            *_KEY,
            "seed",
            "split_seed",
            "status",
            "attempts",
            "error",
            *schema.TRIAL_COLUMNS,
            "environment",
            "finished",
        )
        with self._transaction() as db:
            values = (
                trial.problem, trial.method, trial.settings, trial.engine, trial.trial, trial.seed, trial.split_seed,
                status, attempts, outcome.error, *(outcome.row.get(name) for name in schema.TRIAL_COLUMNS),
                _environment(db, outcome), _now(),
            )  # fmt: skip
            db.execute(f"DELETE FROM trials WHERE ({', '.join(_KEY)}) = (?, ?, ?, ?, ?)", values[: len(_KEY)])
            id = db.execute(
                f"INSERT INTO trials ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", values
            ).lastrowid
            db.executemany(
                f"INSERT INTO generations (trial, {', '.join(HISTORY)}) VALUES ({', '.join('?' * (1 + len(HISTORY)))})",
                ((id, *row) for row in outcome.history),
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # On a full disk SQLite has already rolled back.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Raise a ResultsError unless this is a results file of our version."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != schema.APPLICATION_ID:
        raise ResultsError(f"{path}: expected a results file of epsilex; got another SQLite file")
    if version != schema.VERSION:
        raise ResultsError(
            f"{path}: expected results of schema version {schema.VERSION}; got version {version}, whose trials have "
            "other keys. The file is kept as it is; choose another folder, or use the version of epsilex that wrote it"
        )


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        connection.execute("PRAGMA journal_mode = WAL")
        # Tables and version are written in one transaction, so a file is either empty or complete.
        if compact.found_in(path.parent):
            with closing(restored(path.parent / compact.FOLDER)) as kept:
                kept.backup(connection)
        else:
            pragmas = f"PRAGMA application_id = {schema.APPLICATION_ID}; PRAGMA user_version = {schema.VERSION};"
            connection.executescript(f"BEGIN; {schema.TABLES} {pragmas} COMMIT;")
    check_version(connection, path)
    connection.create_function("completed", 1, completed, deterministic=True)
    for table in ("trials", "cells"):
        connection.execute(f"UPDATE {table} SET settings = completed(settings) WHERE settings <> completed(settings)")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")


def restored(folder: Path) -> sqlite3.Connection:
    """The compact copy in `folder` as a results file in memory."""
    try:
        return compact.connect(folder)
    except (OSError, ValueError, KeyError) as error:
        raise ResultsError(f"{folder}: expected the rows of a results file; got {error}") from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock beside the file. It is an SQLite lock, which works on every system and ends with its process."""
    beside = path.with_name(path.name + ".lock")
    try:
        lock = sqlite3.connect(beside, timeout=0, isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise ResultsError(
                f"{path}: another run is writing to this file; wait for it, or choose another folder"
            ) from None
        raise ResultsError(f"out: expected a folder that can be written; got {path.parent} ({error})") from None
    try:
        yield
    finally:
        lock.close()


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Translate SQLite's errors into messages for users."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        if "full" in text:
            reason = "the disk is full; what was stored is intact, so make room and start again"
        elif "readonly" in text or "unable to open" in text:
            reason = f"it cannot be written ({text})"
        elif "not a database" in text or "malformed" in text:
            reason = f"it is not a results file of epsilex ({text})"
        else:
            reason = text
        raise ResultsError(f"{path}: {reason}") from None


def _note_problem(db: sqlite3.Connection, problem: Problem) -> None:
    stored = db.execute("SELECT sha256 FROM problems WHERE problem = ?", (problem.name,)).fetchone()
    if stored and stored[0] != problem.sha256:
        raise ResultsError(
            f"{problem.name}: expected the data that the stored trials used, SHA-256 {stored[0]}; got {problem.sha256}"
        )
    db.execute(
        "INSERT OR REPLACE INTO problems VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            problem.name, problem.title, problem.sha256, *problem.X.shape, problem.dynamic, problem.raw_errors,
            problem.rebuilt, problem.source, problem.citation, json.dumps(problem.notes),
        ),
    )  # fmt: skip


def _environment(db: sqlite3.Connection, outcome: Outcome) -> int | None:
    text = json.dumps(outcome.environment, sort_keys=True)
    db.execute("INSERT OR IGNORE INTO environments (description) VALUES (?)", (text,))
    return db.execute("SELECT environment FROM environments WHERE description = ?", (text,)).fetchone()[0]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
