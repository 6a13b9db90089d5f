"""What a run is asked for: the browser's wishes, checked one by one, as plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from epsilex.constraints import CONSTANT_UNITS, NOISES
from epsilex.evolution.settings import population_for
from epsilex.programs.operators import BUILT_IN_NAMES, COMMON

ROLES = ("feature", "ignore", "weight", "error", "group")
ONCE = {"weight": "weights", "error": "standard errors", "group": "groups"}  # roles of one column at most
OPERATORS = tuple(name for name in BUILT_IN_NAMES if name not in ("pdiv", "plog", "neg"))
MAX_SECONDS = 7 * 24 * 3600.0
MAX_LENGTH, MAX_POPULATION = 100, 20_000
MAX_TEXTS, MAX_CHARACTERS = 20, 2000
DEFAULTS = {"noise": "auto", "held_back": 0.25, "seconds": 60.0, "seed": 0, "max_length": 50, "operators": list(COMMON),
            "constant_units": "none"}  # fmt: skip


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
    roles = _roles(asked.get("roles", {}), columns, str(target))
    form, guesses = _form(asked, roles), texts(asked, "guesses")
    units, target_unit = _units(asked, roles, columns, str(target)), _unit(asked.get("target_unit"), "target_unit")
    for name, given in (("guesses", guesses), ("units", units), ("target_unit", target_unit)):
        if form is not None and given:
            raise ValueError(f"{name}: expected none beside a form; clear one of the two")
    return {
        "name": words(asked, "name", str(target), 80),
        "target": target,
        "roles": roles,
        "form": form,
        "guesses": guesses,
        "per_group": _per_group(asked, roles, guesses),
        "constraints": texts(asked, "constraints"),
        "units": units,
        "target_unit": target_unit,
        "constant_units": _one_of(asked, "constant_units", CONSTANT_UNITS),
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


def texts(asked: dict, name: str) -> list[str]:
    """A short list of texts; empty ones do not count."""
    values = asked.get(name) or []
    if not isinstance(values, list) or len(values) > MAX_TEXTS:
        raise ValueError(f"{name}: expected a list of at most {MAX_TEXTS} texts; got {values!r:.60}")
    if not all(isinstance(value, str) and len(value) <= MAX_CHARACTERS for value in values):
        raise ValueError(f"{name}: expected texts of at most {MAX_CHARACTERS} characters; got others")
    return [value.strip() for value in values if value.strip()]


def _form(asked: dict, roles: dict[str, str]) -> str | None:
    form = asked.get("form") or None
    if form is None:
        return None
    if not isinstance(form, str) or len(form) > MAX_CHARACTERS:
        raise ValueError(f"form: expected a text of at most {MAX_CHARACTERS} characters; got {form!r:.40}")
    if "group" in roles.values():
        raise ValueError(
            "form: expected no column of groups beside it; clear the form, or give that column another role"
        )
    return form.strip() or None


def _units(asked: dict, roles: dict[str, str], columns: Sequence[str], target: str) -> dict[str, str]:
    """Units by column, of features only; a column without one is left out."""
    units = asked.get("units") or {}
    if not isinstance(units, dict):
        raise ValueError(f"units: expected an object of columns; got {type(units).__name__}")
    if unknown := [column for column in units if column not in columns]:
        raise ValueError(f"units: expected columns of the table; got {unknown[0]!r:.60}")
    found = {column: _unit(unit, "units") for column, unit in units.items() if column not in (target, *roles)}
    return {column: unit for column, unit in found.items() if unit is not None}


def _unit(unit: object, name: str) -> str | None:
    if unit is None:
        return None
    if not isinstance(unit, str):
        raise ValueError(f"{name}: expected a unit as text, such as m/s; got {unit!r:.40}")
    return unit.strip() or None


def _per_group(asked: dict, roles: dict[str, str], guesses: list[str]) -> list[str]:
    names = texts(asked, "per_group")
    if names and "group" not in roles.values():
        raise ValueError("per_group: expected a column of groups with it; give a column that role")
    if names and not guesses:
        raise ValueError("per_group: expected a guess with these constants; got none")
    return names


def _population(asked: dict) -> int:
    """As the estimator: larger where time is the only limit."""
    return population_for(float(asked["seconds"])) if asked.get("generations") is None else 1000


def _one_of(asked: dict, name: str, known: Sequence[str]) -> str:
    if asked.get(name) not in known:
        raise ValueError(f"{name}: expected one of {', '.join(known)}; got {asked.get(name)!r:.40}")
    return str(asked[name])


def _roles(roles: object, columns: Sequence[str], target: str) -> dict[str, str]:
    """Roles other than "feature" by column; those of `ONCE` have one column at most."""
    if not isinstance(roles, dict):
        raise ValueError(f"roles: expected an object of columns; got {type(roles).__name__}")
    for column, role in roles.items():
        if column not in columns or role not in ROLES:
            expected = f"a column of the table and one of {', '.join(ROLES)}"
            raise ValueError(f"roles: expected {expected}; got {column!r:.60}: {role!r:.40}")
    found = {column: role for column, role in roles.items() if role != "feature" and column != target}
    for role, plural in ONCE.items():
        if sum(value == role for value in found.values()) > 1:
            raise ValueError(f"roles: expected one column of {plural} at most; got more")
    if not set(columns) - {target, *found}:
        raise ValueError("roles: expected at least one feature; every column has another role")
    return found
