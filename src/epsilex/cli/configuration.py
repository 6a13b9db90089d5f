"""A configuration file: options of a command in TOML, by name."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

from epsilex.cli.options import Option
from epsilex.cli.words import joined
from epsilex.files import read_file

MAX_BYTES = 2**20


def from_file(table: Callable[[], Sequence[Option]]) -> Callable:
    """The callback of an option `--config FILE` that takes options from a file; the command line overrides them."""

    def take(context: typer.Context, value: Path | None) -> Path | None:
        if value is not None:
            context.default_map = read(value, table())
        return value

    return take


def read(path: Path, table: Sequence[Option]) -> dict[str, Any]:
    """Values of options by name, as a command line would give them."""
    try:
        found = tomllib.loads(read_file(path, MAX_BYTES).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: expected a TOML file; {error!s:.200}") from None
    rows = {row.name: row for row in table if row.name != "config"}
    given: dict[str, Any] = {}
    for key, value in found.items():
        name = key.replace("-", "_")
        if name not in rows:
            raise ValueError(f"{path}: expected options of the command, {', '.join(rows)}; got {key!r}")
        given[name] = _value(value, rows[name], path)
    return given


def _value(value: Any, row: Option, path: Path) -> Any:
    """A value of TOML as the command line would give it: tables and lists become `name=value` and commas."""
    if row.kind is bool:
        if not isinstance(value, bool):
            raise ValueError(f"{path}: {row.name}: expected true or false; got {value!r}")
        return value
    if row.kind == list[str]:
        return [_text(each) for each in (value if isinstance(value, list) else [value])]
    if isinstance(value, dict):
        return joined(f"{name}={_text(each)}" for name, each in value.items())
    return joined(map(_text, value)) if isinstance(value, list) else _text(value)


def _text(value: Any) -> str:
    """One value; a list is a range, such as [0, 10]."""
    return ":".join(map(_text, value)) if isinstance(value, list) else str(value)
