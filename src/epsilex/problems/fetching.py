"""Downloading the authors' files, and writing the cache."""

from __future__ import annotations

import io
import os
from pathlib import Path

from epsilex.files import clean, write_files
from epsilex.problems.declaration import AuthorsFile

PUBLIC = "https://raw.githubusercontent.com"
TIMEOUT = (10, 60)  # seconds to connect, seconds without a byte


class DataMissing(ValueError):
    """The data is neither local nor downloadable; the message says what to do."""


class Unreachable(Exception):
    """An address returned no file."""


def address(file: AuthorsFile) -> str:
    """Where the file is downloaded from; EPSILEX_DATA_URL replaces the public host by a mirror of it."""
    base = os.environ.get("EPSILEX_DATA_URL") or PUBLIC
    if not base.startswith(("http://", "https://")):
        raise ValueError(f"EPSILEX_DATA_URL: expected an http or https address; got {base!r}")
    return f"{base.rstrip('/')}/{file.repository}/{file.commit}/{file.path}"


def download(file: AuthorsFile) -> bytes:
    """The file's content, checked."""
    import pooch
    from requests import RequestException

    place, content = address(file), io.BytesIO()
    try:
        pooch.HTTPDownloader(timeout=TIMEOUT)(place, content, None)
    except RequestException as error:
        reason = f"status {error.response.status_code}" if error.response is not None else type(error).__name__
        raise Unreachable(f"{place} gave {reason}") from None
    file.check(content.getvalue(), place)
    return content.getvalue()


def keep(files: dict[Path, bytes]) -> None:
    """Write files of the cache, all of them or none."""
    try:
        for path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            clean(path.parent)
        write_files(files)
    except OSError as error:
        folder = next(iter(files)).parent
        raise DataMissing(f"{folder}: expected a cache folder that can be written; got {error.strerror}") from None
