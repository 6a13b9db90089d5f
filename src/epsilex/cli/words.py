"""Words of a command line: lists, pairs and settings."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterable


def listed(text: str | None) -> list[str] | None:
    """Items separated by commas; commas in brackets separate options, not items."""
    return None if text is None else [item.strip() for item in re.split(r",(?![^(]*\))", text) if item.strip()]


def quoted(text: str) -> list[str]:
    """Items separated by commas; an item with a comma is quoted, such as `a,"b, c"`."""
    cells = next(csv.reader(io.StringIO(text), skipinitialspace=True), [])
    return [cell.strip() for cell in cells if cell.strip()]


def joined(items: Iterable[str]) -> str:
    """The text from which `quoted` gets the items."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(list(items))
    return text.getvalue()


def pairs(text: str, what: str) -> dict[str, str]:
    """Values by name from `name=value,...`; a ValueError that begins with `what` otherwise."""
    found = {}
    for item in quoted(text):
        name, sign, value = item.rpartition("=")
        if not sign or not name.strip() or not value.strip():
            raise ValueError(f"{what}; got {item!r}")
        found[name.strip()] = value.strip()
    return found


def assigned(texts: list[str]) -> dict[str, object]:
    """Settings from `name=value`; a value is a number, True, False, None, a list or a dict, else a word."""
    found: dict[str, object] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise ValueError(f"--set: expected name=value, such as crossover=0.9; got {text!r}")
        try:
            found[name.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            found[name.strip()] = value.strip()
    return found
