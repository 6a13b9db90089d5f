"""A method and its options as one text: `lex_e_mad`, `lex_e(epsilon=0.5)`, `my.module:select(k=3)`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any


def parse(text: str) -> tuple[str, dict[str, Any]]:
    """The method's name and its options. Values are numbers, strings, True, False or None; nothing is executed."""
    name, bracket, _ = text.partition("(")
    if not bracket:
        return text.strip(), {}
    try:
        call = ast.parse(f"f{text[len(name) :].strip()}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args or not name.strip():
            raise ValueError
        options = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords if word.arg}
        if len(options) < len(call.keywords) or not all(_is_plain(value) for value in options.values()):
            raise ValueError
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise ValueError(
            f"selection: expected a name, or a name with options such as lex_e(epsilon=0.5); got {text!r}"
        ) from None
    return name.strip(), options


def spell(name: str, options: Mapping[str, Any]) -> str:
    """The text of a method with options; equal options give equal texts."""
    words = ", ".join(f"{key}={value!r}" for key, value in sorted(options.items()))
    return f"{name}({words})" if words else name


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))
