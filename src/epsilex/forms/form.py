"""A form as a user gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from epsilex.programs.operators import canonical, opcodes

LIMITS = ("max_length", "operators")


@dataclass(frozen=True)
class Form:
    """A formula with unknown functions, and what is known of these.

    Parameters
    ----------
    text : str
        Such as ``f(x, z)*exp(-g(t)) + c``. A function that is not an operator is unknown and will be searched; names
        that are not columns are constants, which are tuned; numbers stay as they are. ``d(f, x)`` is the derivative of
        f(x, ...) with respect to x.
    functions : mapping from names to mappings, optional
        Per unknown function its greatest number of nodes, ``max_length``, and its ``operators``. By default the
        functions share the `max_length` of the search evenly and use its operators.

    Examples
    --------
    >>> from epsilex import Form
    >>> Form("f(x)*exp(-g(t))", functions={"g": {"max_length": 5, "operators": ["+", "*"]}}).text
    'f(x)*exp(-g(t))'
    """

    text: str
    functions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ValueError(f"form: expected a formula as text; got {self.text!r:.60}")
        if not isinstance(self.functions, Mapping):
            raise ValueError(f"functions: expected a mapping from names to limits; got {self.functions!r:.60}")
        for name, known in self.functions.items():
            _check(name, known)

    def __sklearn_clone__(self) -> Form:
        return self  # nothing can change it


def _check(name: object, known: object) -> None:
    if not isinstance(known, Mapping) or not known.keys() <= {*LIMITS}:
        raise ValueError(f"functions: expected {' and '.join(LIMITS)} of {name}; got {known!r:.100}")
    most, operators = known.get("max_length", 1), known.get("operators", ("add",))
    if isinstance(most, bool) or not isinstance(most, Integral) or most < 1:
        raise ValueError(f"functions: expected a max_length of {name} that is an integer of at least 1; got {most!r}")
    if isinstance(operators, str) or not isinstance(operators, Sequence) or not operators:
        raise ValueError(f"functions: expected operators of {name} as a sequence of names; got {operators!r}")
    opcodes(canonical(operators))
