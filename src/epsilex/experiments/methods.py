"""The compared methods: the paper's eight with their letters, the other ids, and users' own functions."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from epsilex import selection
from epsilex.selection import spelling


@dataclass(frozen=True)
class Method:
    """One row of the table.

    id       an id of `selection.METHODS` or `package.module:function`, with options, and with settings after a `+`:
             `lex_e_mad`, `lex_e(epsilon=0.5)`, `tournament + crossover=0.9`
    label    as in the paper, in plain text
    math     the same, with mathematics between dollar signs
    letter   the method's letter in the table's marks of significance
    """

    id: str
    label: str
    math: str
    letter: str


PAPER = (
    Method("random", "Rand Sel", "Rand Sel", "a"),
    Method("tournament", "Tourn", "Tourn", "b"),
    Method("afp", "AFP", "AFP", "c"),
    Method("lex", "Lex", "Lex", "d"),
    Method("lex_y", "Lex ε_y", r"Lex $\epsilon_y$", "e"),
    Method("lex_e", "Lex ε_e", r"Lex $\epsilon_e$", "f"),
    Method("lex_y_mad", "Lex ε_yλ", r"Lex $\epsilon_{y\lambda}$", "g"),
    Method("lex_e_mad", "Lex ε_eλ", r"Lex $\epsilon_{e\lambda}$", "h"),
)
PAPER_OPTIONS: dict[str, dict[str, Any]] = {"lex_y": {"epsilon": 0.10}, "lex_e": {"epsilon": 5.0}}  # Section 4.3
PLUS = " + "  # between a method and its settings

_KNOWN = {method.id: method for method in PAPER}


def arrange(ids: Sequence[str]) -> list[Method]:
    """The methods of these ids, the paper's first and in its order; the others get letters from i on."""
    ids = list(dict.fromkeys(ids))
    others = [text for text in ids if text not in _KNOWN]
    found = [method for method in PAPER if method.id in ids]
    for number, text in enumerate(others):
        label, math = _labels(text, others)
        found.append(Method(text, label, math, _letter(number)))
    return found


def _labels(text: str, others: Sequence[str]) -> tuple[str, str]:
    """Label and mathematics of a method beyond the paper's: its known name, options and settings kept as written."""
    name = text.partition(PLUS)[0].partition("(")[0]
    rest = text[len(name) :]
    if name in _KNOWN and PLUS not in text and parts(text) == parts(name):
        return _KNOWN[name].label, _KNOWN[name].math
    if name in _KNOWN:
        return _KNOWN[name].label + rest, _KNOWN[name].math + rest
    function = name.partition(":")[2]
    alone = function and sum(other.partition("(")[0].endswith(f":{function}") for other in others) == 1
    label = selection.method(name).label if name in selection.METHODS else function if alone else name
    return label + rest, label + rest


def parts(text: str) -> tuple[str, dict[str, Any]]:
    """Name and effective options of a method: the paper's, if any, overridden by those in the text."""
    name, options = spelling.parse(text)
    return name, PAPER_OPTIONS.get(name, {}) | options


def check(text: str) -> None:
    """Raise a ValueError unless `text` names a method that can be run, with valid options and values."""
    import numpy as np

    name, options = parts(text)
    if ":" in name:
        selection.check_options(selection.method(load(name)), options)
    elif name not in selection.METHODS:
        raise ValueError(
            f"method: expected one of {', '.join(selection.METHODS)}, or package.module:function; got {name!r}"
        )
    else:
        selection.select(name, np.ones((2, 2)), 1, np.random.default_rng(0), **options)


def load(text: str) -> str | Callable | selection.Method:
    """The estimator's `selection`: the id itself, or the object that `package.module:function` names."""
    module, colon, name = text.partition(":")
    if not colon:
        return text
    if "" not in sys.path:
        sys.path.append("")  # an installed command, unlike `python`, does not import from the current folder
    try:
        if not all(part.isidentifier() for part in module.split(".")):
            raise ImportError(f"{module!r} is a path, not the name of a module")
        function = getattr(importlib.import_module(module), name)
    except Exception as error:  # a module of the user's own may raise anything
        raise ValueError(f"method: expected an importable package.module:function; got {text!r} ({error})") from None
    if not callable(function) and not isinstance(function, selection.Method):
        raise ValueError(
            f"method: expected a function (errors, n, rng) -> parents, or a Method; got {text!r}, a {type(function)}"
        )
    return function


def code_mark(text: str) -> str | None:
    """A short hash of a user's function, so that trials of an edited function are kept apart from earlier ones."""
    function = load(text)
    if isinstance(function, str):
        return None
    try:
        source = inspect.getsource(function.parents if isinstance(function, selection.Method) else function)
    except (OSError, TypeError):
        source = text
    return hashlib.sha256(source.encode()).hexdigest()[:12]


def _letter(number: int) -> str:
    alphabet = "ijklmnopqrstuvwxyz"
    return alphabet[number] if number < len(alphabet) else f"z{number}"
