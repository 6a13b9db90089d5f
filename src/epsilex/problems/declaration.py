"""Declaration of a problem before its data is read: sizes, names, the authors' files, and how they are prepared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epsilex.problems.partitions import random_rows


@dataclass(frozen=True)
class AuthorsFile:
    """A public file of the paper's authors at a pinned commit.

    blob    git's id of the content
    sha256  None if the content has never been seen; the blob is checked instead
    """

    repository: str
    commit: str
    path: str
    blob: str
    sha256: str | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def check(self, content: bytes, where: object) -> None:
        """Raise a ValueError unless the content is this file's."""
        if self.sha256 is not None:
            wanted, got, what = self.sha256, sha256_of(content), "SHA-256"
        else:
            wanted, got, what = self.blob, blob_of(content), "git blob id"
        if got != wanted:
            raise ValueError(f"{where}: expected a file with {what} {wanted}; got {got}")


@dataclass(frozen=True)
class Declaration:
    """A problem before its data is read.

    raw       the authors' files
    recipe    function (declaration, content of the authors' files) -> content of the prepared files; see `preparing`
    prepared  SHA-256 of each prepared file by name, the table first; empty if the authors' files are kept instead
    moments   of the table's columns, if the last digits of a prepared table depend on library versions
    """

    name: str
    title: str
    rows: int
    features: tuple[str, ...]
    raw: tuple[AuthorsFile, ...]
    recipe: Callable[[Declaration, list[bytes]], dict[str, bytes]]
    source: str
    citation: str
    prepared: dict[str, str]
    moments: tuple[tuple[float, ...], ...] | None = None
    partition: Callable = random_rows
    dynamic: bool = False
    rebuilt: bool = False
    notes: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """Name of the prepared table."""
        return f"{self.name}.csv"

    def check(self, tables: dict[str, bytes], where: object) -> None:
        """Raise a ValueError unless these are the declared prepared files."""
        for file, wanted in self.prepared.items():
            got = sha256_of(tables[file])
            if got != wanted and not (file == self.file and self._same_moments(tables[file])):
                raise ValueError(f"{where}: expected {file} with SHA-256 {wanted}; got {got}")

    def _same_moments(self, table: bytes) -> bool:
        if self.moments is None:
            return False
        lines = table.decode(errors="replace").splitlines()[1:]
        try:
            values = np.loadtxt(lines, delimiter=",", ndmin=2) if len(lines) == self.rows else np.empty((0, 0))
        except ValueError:
            return False
        shaped = values.shape == (self.rows, len(self.moments))
        return shaped and np.allclose(moments_of(values), self.moments, rtol=0, atol=1e-9)


def moments_of(values: np.ndarray) -> np.ndarray:
    """(columns, 3): mean, standard deviation, and mean of value times place in the series; values (rows, columns)."""
    place = np.arange(len(values)) / len(values)
    return np.column_stack([values.mean(axis=0), values.std(axis=0, ddof=1), (values.T * place).mean(axis=1)])


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def blob_of(content: bytes) -> str:
    """Git's id of a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
