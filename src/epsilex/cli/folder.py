"""The output folder of a fit: checked to be writable, and claimed for one fit at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from epsilex.files import clean, locked, write_file


@contextmanager
def claimed(folder: Path, names: Sequence[str]) -> Iterator[None]:
    """Make the folder, keep other fits out of it, and remove what killed ones have left of the files `names`.

    Folders that were created but stay empty are removed.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    trial = folder / ".writable"
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_file(trial, b"")
        except OSError as error:
            raise ValueError(f"out: expected a folder that can be written; got {folder} ({error.strerror})") from None
        finally:
            with suppress(OSError):
                trial.unlink()
        with locked(folder / "fit", f"out: another fit is writing to {folder}") as alone:
            clean(folder, names if alone else ())
            yield
    finally:
        for place in made:
            with suppress(OSError):
                place.rmdir()  # refused unless it is empty
