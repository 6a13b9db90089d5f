"""Words of a command line: lists, settings, and options written out again."""

from __future__ import annotations

import ast
import re


def options(**values: object) -> list[str]:
    """Words of a command line, without options that are not given."""
    given = {f"--{name.replace('_', '-')}": str(value) for name, value in values.items() if value is not None}
    return [word for option in given.items() for word in option]


def listed(text: str | None) -> list[str] | None:
    """Items separated by commas; commas in brackets separate options, not items."""
    return None if text is None else [item.strip() for item in re.split(r",(?![^(]*\))", text) if item.strip()]


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
