"""The output folder of a fit: checked to be writable before the search, filled in one step at its end."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def filled(folder: Path) -> Iterator[Path]:
    """A new folder inside `folder` to write files into; they are moved to `folder` at the end, unless an error occurs.

    Folders that were created but stay empty are removed.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    part = None
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part = Path(tempfile.mkdtemp(prefix=".writing-", dir=folder))
        except OSError as error:
            raise ValueError(f"out: expected a folder that can be written; got {folder} ({error.strerror})") from None
        yield part
        for file in sorted(part.iterdir()):
            os.replace(file, folder / file.name)
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
        for place in made:
            if place.is_dir() and not any(place.iterdir()):
                place.rmdir()


def write_text(path: Path, text: str) -> None:
    """Write a temporary file, then rename it into place."""
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
