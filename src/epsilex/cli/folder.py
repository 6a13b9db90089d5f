"""The output folder of a fit: free or to be overwritten, writable, and claimed for one fit at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from epsilex.evolution.observers.records import exists
from epsilex.files import clean, locked, write_file

RESULT = ("model.json", "fit.json")  # written at the end of a fit


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


def holds_result(folder: Path) -> bool:
    """Whether a fit has ended here."""
    return any((folder / name).exists() for name in RESULT)


def check_free(folder: Path, names: Sequence[str], checkpoint: Path, resume: bool, overwrite: bool) -> None:
    """Refuse to lose a result or an interrupted search, unless that was asked for."""
    if overwrite or (resume and (exists(checkpoint) or not holds_result(folder))):
        return
    if exists(checkpoint):
        raise ValueError(
            f"out: {folder} holds an interrupted fit; --resume continues it, --overwrite replaces it, or choose "
            "another folder with --out"
        )
    if any((folder / name).exists() for name in names):
        nothing = ", and there is nothing to resume" if resume else ""
        raise ValueError(
            f"out: {folder} holds a fit already{nothing}; --overwrite replaces it, or choose another folder with --out"
        )
