"""Files that are whole or not there: written beside their place, forced to disk, then renamed. Locks, bounded reads,
and JSON documents with a checksum.

A part has an unpredictable name, `.NAME.TOKEN.part`, and is never opened through a link. A killed process leaves its
part behind; the next one that writes to the folder removes it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

try:
    import fcntl
except ImportError:  # not a POSIX system: no locks
    fcntl = None  # type: ignore[assignment]

OLD = 3600.0  # seconds after which a part has no living writer
NAME = 50  # characters of a file's name in those of its part and lock; a name may have 255 bytes
_PART = re.compile(r"\.(.*)\.[0-9a-f]{16}\.part", re.DOTALL)
_KINDS = {
    stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}  # fmt: skip


class Busy(ValueError):
    """Another process holds the lock."""


def write_file(path: Path, content: str | bytes, previous: Path | None = None, lasting: bool = True) -> None:
    """Write one file in one step. If `previous` is given, the file that was there is kept under that name. What is
    `lasting` is forced to disk; a file that is soon written again may be lost with the power."""
    part = _part(path)
    try:
        _check_place(path)
        _write(part, content, lasting)
        if previous is not None and path.exists():
            os.replace(path, previous)
        os.replace(part, path)
        if lasting:
            _force_names(path.parent)
    except OSError as error:
        raise _named(error, path) from None
    finally:
        _remove(part)


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files; none is renamed into place before all of them are on disk."""
    parts = {path: _part(path) for path in contents}
    at = None
    try:
        for at, part in parts.items():
            _check_place(at)
            _write(part, contents[at])
        for at, part in parts.items():
            os.replace(part, at)
        for folder in {path.parent for path in parts}:
            _force_names(folder)
    except OSError as error:
        raise _named(error, at) from None
    finally:
        for part in parts.values():
            _remove(part)


def read_file(path: Path, most: int | None = None) -> bytes:
    """The content of a regular file of at most `most` bytes; devices, pipes and folders are refused, as they never end.

    A file that grows is read up to the size it had.
    """
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise ValueError(f"{path}: expected at most {most} bytes; got {size}")
        content = bytearray()
        while len(content) < size and (more := file.read(size - len(content))):
            content += more
        return bytes(content)


def sealed(schema: str, version: int, body: dict) -> dict:
    """A JSON document: the body with its schema, its version and its checksum."""
    return {"schema": schema, "version": version, "sha256": _digest(body), **body}


def unsealed(document: object, schema: str, version: int, oldest: int = 1) -> dict:
    """The body of a document; a ValueError says what is wrong with any other value."""
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise ValueError("it was not written by epsilex")
    if document.get("version") not in range(oldest, version + 1):
        known = f"version {oldest} to {version}" if oldest < version else f"version {version}"
        raise ValueError(f"expected {known}; got {document.get('version')!r}, perhaps of another release")
    body = {name: value for name, value in document.items() if name not in ("schema", "version", "sha256")}
    if document.get("sha256") != _digest(body):
        raise ValueError("its content does not match its checksum: it is damaged or was altered")
    return body


def _digest(body: dict) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


@contextmanager
def opened(path: Path) -> Iterator[FileIO]:
    """A regular file to read, see `read_file`."""
    # A pipe without a writer would block without O_NONBLOCK.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb", buffering=0) as file:
        kind = os.fstat(handle).st_mode
        if not stat.S_ISREG(kind):
            raise ValueError(f"{path}: expected a file; got {_KINDS.get(stat.S_IFMT(kind), 'something else')}")
        yield file


def clean(folder: Path, names: Sequence[str] = ()) -> None:
    """Remove parts whose writers were killed: ours, and either of files `names`, which nobody else writes, or old."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if found := _PART.fullmatch(entry.name):
                about = entry.stat(follow_symlinks=False)
                ours = not hasattr(os, "getuid") or about.st_uid == os.getuid()
                dead = found[1] in [name[:NAME] for name in names] or time.time() - about.st_mtime >= OLD
                if ours and dead and stat.S_ISREG(about.st_mode):
                    _remove(Path(entry.path))


@contextmanager
def locked(path: Path, taken: str) -> Iterator[bool]:
    """Hold a lock on `path`, by a file beside it that ends with its process; Busy with `taken` if another holds it.

    Yields False where locks cannot be made, as on a read-only disk.
    """
    beside = path.with_name(f".{path.name[:NAME]}.lock")
    handle = _lock(beside, taken)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            _remove(beside)  # before the lock ends, so that nobody holds one on a removed file
            os.close(handle)


def _lock(beside: Path, taken: str) -> int | None:
    if fcntl is None:
        return None
    while True:
        try:
            handle = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), os.lstat(beside)):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise Busy(f"{taken}; wait for it, or choose another place") from None
        except FileNotFoundError:
            pass  # its holder has just removed it: try again
        except OSError:  # a file system without locks
            os.close(handle)
            return None
        os.close(handle)


def _part(path: Path) -> Path:
    """A name of its own in the same folder, so that two writers of one file never share a part."""
    return path.with_name(f".{path.name[:NAME]}.{secrets.token_hex(8)}.part")


def _check_place(path: Path) -> None:
    """Renaming would put a file in the place of a device."""
    with suppress(FileNotFoundError):
        mode = os.lstat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
            raise ValueError(f"{path}: expected a file to write; got {_KINDS.get(stat.S_IFMT(mode), 'something else')}")


def _write(part: Path, content: str | bytes, lasting: bool = True) -> None:
    with open(part, "xb") as file:  # never an existing file, and never through a link
        file.write(content.encode() if isinstance(content, str) else content)
        if lasting:
            file.flush()
            os.fsync(file.fileno())


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _named(error: OSError, path: Path | None) -> OSError:
    """The same error with the name of the file that was asked for, not of its part."""
    return OSError(error.errno, error.strerror, str(path))


def _force_names(folder: Path) -> None:
    """Force the folder's names to disk: without that, a rename may be lost with the power."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
