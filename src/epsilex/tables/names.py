"""Names of columns, from a header."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

UNNAMED = "(unnamed {})"  # usually row numbers written by a spreadsheet or a library


def named(header: Sequence[object], path: Path) -> list[str]:
    """The names in a header, each once; a ValueError says what is wrong with another."""
    names = [str(name).strip() for name in header]
    twice = sorted(name for name, count in Counter(names).items() if name and count > 1)
    if twice:
        raise ValueError(f"{path}: expected each column name once; got {', '.join(map(repr, twice))} more than once")
    if all(is_number(name) for name in names):
        raise ValueError(f"{path}: expected names in the first line; got numbers, {', '.join(names[:3])}, ...")
    return [name or UNNAMED.format(place + 1) for place, name in enumerate(names)]


def is_number(text: str) -> bool:
    """Whether a cell is a number, with a decimal point or comma."""
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True
