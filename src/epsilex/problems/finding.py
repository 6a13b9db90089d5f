"""Where a problem's data is found: the folder named by EPSILEX_DATA, the user's cache, then the authors' public files.

A folder may hold the prepared table, or the authors' own files, which may also be in its sub-folder `raw`. Content is
always checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from epsilex.problems.declaration import Declaration, sha256_of
from epsilex.problems.fetching import DataMissing, Unreachable, download, keep

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Found:
    """A problem's data, checked.

    tables  content of each prepared file by name, the table first
    paths   the files it was read from
    place   EPSILEX_DATA or cache
    """

    declared: Declaration
    tables: dict[str, bytes]
    paths: tuple[Path, ...]
    place: str

    @property
    def table(self) -> bytes:
        return next(iter(self.tables.values()))

    @property
    def sha256(self) -> str:
        """Hash of the prepared table: the one stored with results."""
        return sha256_of(self.table)


def find(versions: Sequence[Declaration], tell: Tell = lambda _: None) -> Found:
    """The best local version of a problem, else the best that can be downloaded.

    tell  called with one line on what is downloaded, or why a better version was skipped
    """
    try:
        found = at_hand(versions, tell) or _first(versions, tell, partial(_fetched, tell))
    except Unreachable as error:
        raise DataMissing(f"{versions[0].name}: not here, and {error}. {_what_to_do(versions[-1])}") from None
    assert found is not None  # fetched data is found
    return found


def at_hand(versions: Sequence[Declaration], tell: Tell = lambda _: None) -> Found | None:
    """The best version of a problem in the first folder that has one; None if no folder has."""
    for place, folder in places():
        try:
            if found := _first(versions, tell, partial(_in_folder, place, folder)):
                return found
        except ValueError as error:
            raise ValueError(f"{error}{'; delete it to fetch it anew' if place == 'cache' else ''}") from None
    return None


def places() -> Iterator[tuple[str, Path]]:
    """Folders to search, by name."""
    if folder := os.environ.get("EPSILEX_DATA"):
        if not Path(folder).is_dir():
            raise ValueError(f"EPSILEX_DATA: expected a folder with data files; got {folder!r}")
        yield "EPSILEX_DATA", Path(folder)
    yield "cache", cache_folder()


def cache_folder() -> Path:
    """The user's cache, where fetched data is kept."""
    import pooch

    return Path(pooch.os_cache("epsilex"))


def _first(versions: Sequence[Declaration], tell: Tell, look: Callable[[Declaration], Found | None]) -> Found | None:
    """The first version that `look` finds; an error of the last one is raised, any other is reported to `tell`."""
    for version in versions:
        try:
            if found := look(version):
                return found
        except (ValueError, Unreachable) as error:
            if version is versions[-1]:
                raise
            tell(f"{version.name}: {version.raw[0].name} is not available: {error}")
    return None


def _in_folder(place: str, folder: Path, version: Declaration) -> Found | None:
    prepared = tuple(folder / file for file in version.prepared)
    if prepared and all(path.is_file() for path in prepared):
        tables = {path.name: path.read_bytes() for path in prepared}
        version.check(tables, folder)
        return Found(version, tables, prepared, place)
    raw = tuple(path for file in version.raw if (path := _existing(folder / file.name, folder / "raw" / file.name)))
    if len(raw) < len(version.raw):
        return None
    contents = [path.read_bytes() for path in raw]
    for file, content, path in zip(version.raw, contents, raw, strict=True):
        file.check(content, path)
    return Found(version, _prepared(version, contents), raw, place)


def _existing(*paths: Path) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def _prepared(version: Declaration, contents: list[bytes]) -> dict[str, bytes]:
    tables = version.recipe(version, contents)
    version.check(tables, f"{version.name}, prepared here")
    return tables


def _fetched(tell: Tell, version: Declaration) -> Found:
    """Download, prepare and keep; the authors' files themselves are kept if no prepared file is declared."""
    contents = {}
    for file in version.raw:
        tell(f"{version.name}: downloading {file.name}")
        contents[f"raw/{file.name}"] = download(file)
    tables = _prepared(version, list(contents.values()))
    kept = {cache_folder() / name: content for name, content in (tables if version.prepared else contents).items()}
    keep(kept)
    return Found(version, tables, tuple(kept), "cache")


def _what_to_do(version: Declaration) -> str:
    either = [" and ".join(names) for names in (version.prepared, [file.name for file in version.raw]) if names]
    return (
        f"With a network run: epsilex data {version.name}; without one put {' or '.join(either)} into a folder "
        "and name it in EPSILEX_DATA"
    )
