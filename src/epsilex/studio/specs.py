"""What a run is asked for: the browser's wishes, checked one by one, as plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from epsilex.constraints import NOISES
from epsilex.evolution.settings import population_for
from epsilex.programs.operators import BUILT_IN_NAMES, COMMON

ROLES = ("feature", "ignore", "weight", "error")
OPERATORS = tuple(name for name in BUILT_IN_NAMES if name not in ("pdiv", "plog", "neg"))
MAX_SECONDS = 7 * 24 * 3600.0
MAX_LENGTH, MAX_POPULATION = 100, 20_000
DEFAULTS = {"noise": "auto", "held_back": 0.25, "seconds": 60.0, "seed": 0, "max_length": 50, "operators": list(COMMON)}


def checked(asked: object, columns: Sequence[str]) -> dict[str, Any]:
    """The spec of a run; a ValueError names the field that is wrong."""
    if not isinstance(asked, dict):
        raise ValueError(f"run: expected an object; got {type(asked).__name__}")
    asked = DEFAULTS | asked
    target = asked.get("target")
    if target not in columns:
        raise ValueError(f"target: expected a column of the table; got {target!r:.60}")
    seconds = number(asked, "seconds", 1.0, MAX_SECONDS)
    generations = None if asked.get("generations") is None else whole(asked, "generations", 0, 10**7)
    size = asked.get("population")
    return {
        "name": words(asked, "name", str(target), 80),
        "target": target,
        "roles": _roles(asked.get("roles", {}), columns, str(target)),
        "noise": _one_of(asked, "noise", NOISES),
        "held_back": number(asked, "held_back", 0.0, 0.9),
        "operators": operators(asked["operators"]),
        "seconds": seconds,
        "generations": generations,
        "population": whole(asked, "population", 10, MAX_POPULATION) if size is not None else _population(asked),
        "max_length": whole(asked, "max_length", 3, MAX_LENGTH),
        "seed": whole(asked, "seed", 0, 2**32 - 1),
    }


def operators(names: object) -> list[str]:
    """Names of operators in the table's order."""
    if not isinstance(names, list) or not all(name in OPERATORS for name in names):
        raise ValueError(f"operators: expected names among {', '.join(OPERATORS)}; got {names!r:.80}")
    if not names:
        raise ValueError("operators: expected at least one; got none")
    return [name for name in OPERATORS if name in names]


def number(asked: dict, name: str, low: float, high: float) -> float:
    value = asked.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise ValueError(f"{name}: expected a number from {low:g} to {high:g}; got {value!r:.40}")
    return float(value)


def whole(asked: dict, name: str, low: int, high: int) -> int:
    value = number(asked, name, low, high)
    if not math.isclose(value, round(value)):
        raise ValueError(f"{name}: expected a whole number from {low} to {high}; got {value!r:.40}")
    return round(value)


def words(asked: dict, name: str, default: str, most: int) -> str:
    value = asked.get(name) or default
    if not isinstance(value, str) or len(value) > 20 * most:
        raise ValueError(f"{name}: expected a text of at most {most} characters; got {value!r:.40}")
    return " ".join(value.split())[:most]


def _population(asked: dict) -> int:
    """As the estimator: larger where time is the only limit."""
    return population_for(float(asked["seconds"])) if asked.get("generations") is None else 1000


def _one_of(asked: dict, name: str, known: Sequence[str]) -> str:
    if asked.get(name) not in known:
        raise ValueError(f"{name}: expected one of {', '.join(known)}; got {asked.get(name)!r:.40}")
    return str(asked[name])


def _roles(roles: object, columns: Sequence[str], target: str) -> dict[str, str]:
    """Roles other than "feature" by column; one column at most holds weights, and one standard errors."""
    if not isinstance(roles, dict):
        raise ValueError(f"roles: expected an object of columns; got {type(roles).__name__}")
    for column, role in roles.items():
        if column not in columns or role not in ROLES:
            expected = f"a column of the table and one of {', '.join(ROLES)}"
            raise ValueError(f"roles: expected {expected}; got {column!r:.60}: {role!r:.40}")
    found = {column: role for column, role in roles.items() if role != "feature" and column != target}
    for role in ("weight", "error"):
        if sum(value == role for value in found.values()) > 1:
            raise ValueError(f"roles: expected one column of {role}s at most; got more")
    if not set(columns) - {target, *found}:
        raise ValueError("roles: expected at least one feature; every column has another role")
    return found
