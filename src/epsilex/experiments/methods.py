"""The compared methods: the paper's eight with their letters, the other ids, and anyone's own function."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Method:
    """One row of the table.

    id       an id of `selection.METHODS`, or `package.module:function`
    label    as in the paper, in plain text
    math     the same, its mathematics between dollar signs
    letter   names the method in the table's marks of significance
    options  options of the selection method
    """

    id: str
    label: str
    math: str
    letter: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)


PAPER = (
    Method("random", "Rand Sel", "Rand Sel", "a"),
    Method("tournament", "Tourn", "Tourn", "b"),
    Method("afp", "AFP", "AFP", "c"),
    Method("lex", "Lex", "Lex", "d"),
    Method("lex_y", "Lex ε_y", r"Lex $\epsilon_y$", "e", {"epsilon": 0.10}),
    Method("lex_e", "Lex ε_e", r"Lex $\epsilon_e$", "f", {"epsilon": 5.0}),
    Method("lex_y_mad", "Lex ε_yλ", r"Lex $\epsilon_{y\lambda}$", "g"),
    Method("lex_e_mad", "Lex ε_eλ", r"Lex $\epsilon_{e\lambda}$", "h"),
)
BEYOND = {"lex_semi": "Lex semi-dynamic", "lex_dynamic": "Lex dynamic"}

_KNOWN = {method.id: method for method in PAPER}


def arrange(ids: Sequence[str]) -> list[Method]:
    """The methods of these ids, the paper's first and in its order; the others get the letters from i on."""
    ids = list(dict.fromkeys(ids))
    others = [text for text in ids if text not in _KNOWN]
    names = [text.partition(":")[2] for text in others]
    found = [method for method in PAPER if method.id in ids]
    for number, text in enumerate(others):
        name = names[number]
        label = BEYOND.get(text) or (name if name and names.count(name) == 1 else text)
        found.append(Method(text, label, label, _letter(number)))
    return found


def check(text: str) -> None:
    """Raise a ValueError unless `text` names a method that can be run."""
    from epsilex import selection

    if ":" in text:
        load(text)
    elif text not in selection.METHODS:
        raise ValueError(
            f"method: expected one of {', '.join(selection.METHODS)}, or package.module:function; got {text!r}"
        )


def load(text: str) -> str | Callable:
    """What the estimator takes as `selection`: the id itself, or the function that `package.module:function` names."""
    module, colon, name = text.partition(":")
    if not colon:
        return text
    if "" not in sys.path:
        sys.path.append("")  # an installed command does not see the folder it is run in; Python itself does
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"method: expected an importable package.module:function; got {text!r} ({error})") from None
    if not callable(function):
        raise ValueError(f"method: expected a function (errors, n, rng) -> parents; got {text!r}, a {type(function)}")
    return function


def code_mark(text: str) -> str | None:
    """A short hash of a user's function, so that trials of an edited function are not taken for trials of the old."""
    function = load(text)
    if isinstance(function, str):
        return None
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = text
    return hashlib.sha256(source.encode()).hexdigest()[:12]


def _letter(number: int) -> str:
    alphabet = "ijklmnopqrstuvwxyz"
    return alphabet[number] if number < len(alphabet) else f"z{number}"
