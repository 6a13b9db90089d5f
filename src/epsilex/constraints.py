"""One table of constraints on parameters and settings. Constraints between them are checked where they meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

NOISES = ("auto", "additive", "relative")
INTERRUPTS = ("raise", "return")
CONSTANT_UNITS = ("none", "overall", "any")
Constraint = tuple[Callable, str]  # whether a value is valid, and what was expected


def check(name: str, value: Any, constraint: Constraint) -> None:
    """Raise a ValueError that names the parameter if its value is invalid."""
    holds, expected = constraint
    if not holds(value):
        raise ValueError(f"{name}: expected {expected}; got {value!r}")


def integer_from(least: int) -> Constraint:
    return (
        lambda v: isinstance(v, Integral) and not isinstance(v, bool) and int(v) >= least,
        f"an integer of at least {least}",
    )


def _number(low: float, high: float = np.inf) -> Constraint:
    return (
        lambda v: isinstance(v, Real) and not isinstance(v, bool) and low <= float(v) <= high,
        f"a number from {low:g} to {high:g}",
    )


def _finite(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))


def _or_none(constraint: Constraint) -> Constraint:
    return lambda v: v is None or constraint[0](v), f"{constraint[1]}, or None"


def _are_named_numbers(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(name, str) and name.isidentifier() and _finite(number) and number != 0
        for name, number in value.items()
    )


_NUMBERS: Constraint = (
    lambda v: isinstance(v, Mapping) and all(map(_finite, v.values())),
    "a mapping from kinds to numbers",
)
_NAMES: Constraint = (lambda v: not isinstance(v, str) and isinstance(v, Sequence), "a sequence of names")
_BOOLEAN: Constraint = (lambda v: isinstance(v, (bool, np.bool_)), "True or False")
_FUNCTION_OR_NAME: Constraint = (lambda v: isinstance(v, str) or callable(v), "a name or a function")
_SELECTION: Constraint = (
    lambda v: isinstance(v, str) or callable(v) or callable(getattr(v, "parents", None)),
    "a name, a function or a selection.Method",
)

SETTINGS: dict[str, Constraint] = {
    "population_size": integer_from(2),
    "operators": _NAMES,
    "min_length": integer_from(1),
    "max_length": integer_from(1),
    "constant_range": (
        lambda v: isinstance(v, Sequence) and len(v) == 2 and all(map(_finite, v)),
        "a pair (low, high)",
    ),
    "constant_share": _number(0.0, 1.0),
    "coefficients": _BOOLEAN,
    "scaling": _BOOLEAN,
    "limit_outputs": _BOOLEAN,
    "loss": _FUNCTION_OR_NAME,
    "selection": _SELECTION,
    "selection_options": (lambda v: isinstance(v, Mapping), "a mapping"),
    "short_share": _number(0.0, 1.0),
    "crossover": _number(0.0, 1.0),
    "mutations": _NUMBERS,
    "point_rate": _number(0.0, 1.0),
    "redraw": _BOOLEAN,
    "min_child_length": integer_from(1),
    "retries": integer_from(0),
    "subtree_size": integer_from(1),
    "variations": _NUMBERS,
    "tuning": (lambda v: isinstance(v, str), "a name"),
    "tuning_share": _number(0.0, 1.0),
    "tuning_steps": integer_from(1),
    "tuning_cases": integer_from(2),
    "survival": (lambda v: isinstance(v, str), "a name"),
    "max_cases": _or_none(integer_from(2)),
    "fresh_cases": _or_none(integer_from(1)),
    "shadow": _BOOLEAN,
    "planters": _NAMES,
    "elitism": _BOOLEAN,
    "nesting": (
        lambda v: isinstance(v, Mapping) and all(isinstance(k, str) and _NAMES[0](names) for k, names in v.items()),
        "a mapping from functions to sequences of functions, such as {'sin': ['sin', 'cos']}",
    ),
    "costs": (lambda v: isinstance(v, Mapping), "a mapping from operators to whole numbers, such as {'sin': 3}"),
    "whole_exponents": _BOOLEAN,
    "required": _NAMES,
    "forbidden": _NAMES,
    "seed": integer_from(0),
}

PARAMETERS: dict[str, Constraint] = {
    "time_limit": _or_none(_number(0.0)),
    "generations": _or_none(integer_from(0)),
    "target_error": _number(0.0),
    "noise": (
        lambda v: v in NOISES if isinstance(v, str) else v is not None and np.ndim(v) == 1,
        f"one of {', '.join(NOISES)}, or an array of standard errors, one per row",
    ),
    "choose": _FUNCTION_OR_NAME,
    "guesses": (
        lambda v: not isinstance(v, str) and isinstance(v, Sequence) and all(isinstance(text, str) for text in v),
        "a sequence of formulas as text",
    ),
    "form": _or_none((lambda v: isinstance(getattr(v, "text", v), str), "a formula as text, or an epsilex.Form")),
    "units": _or_none(
        (
            lambda v: v == "header" if isinstance(v, str) else isinstance(v, Mapping),
            "a mapping from columns to units, or 'header'",
        )
    ),
    "target_unit": _or_none((lambda v: isinstance(v, str), "a unit as text, such as 'm/s'")),
    "constant_units": (
        lambda v: isinstance(v, str) and v in CONSTANT_UNITS,
        f"one of {', '.join(CONSTANT_UNITS)}",
    ),
    "constants": (
        lambda v: v is None or v is False or _are_named_numbers(v),
        "a mapping from names to numbers other than 0, False, or None",
    ),
    "constraints": (
        lambda v: not isinstance(v, str) and isinstance(v, Sequence) and all(isinstance(text, str) for text in v),
        "a sequence of statements as text, such as 'increasing in x'",
    ),
    "domain": _or_none((lambda v: isinstance(v, Mapping), "a mapping from columns to pairs (low, high)")),
    "groups": _or_none((lambda v: isinstance(v, str), "the name of a column")),
    "per_group": _NAMES,
    "polish": _BOOLEAN,
    "islands": (
        lambda v: callable(getattr(v, "settings_of", None)) or integer_from(1)[0](v),
        f"{integer_from(1)[1]}, or Islands",
    ),
    "dask": _or_none(
        (lambda v: isinstance(v, str) or callable(getattr(v, "get_executor", None)), "an address, or a Dask client")
    ),
    "n_jobs": _or_none((lambda v: isinstance(v, Integral) and v != 0, "an integer other than 0")),
    "warm_start": _BOOLEAN,
    "progress": _BOOLEAN,
    "callbacks": (lambda v: isinstance(v, Sequence) and all(map(callable, v)), "a sequence of functions"),
    "checkpoint": _or_none((lambda v: isinstance(v, (str, Path)), "a path")),
    "checkpoint_every": _number(0.0),
    "resume": _BOOLEAN,
    "on_interrupt": (lambda v: isinstance(v, str) and v in INTERRUPTS, f"one of {', '.join(INTERRUPTS)}"),
}
