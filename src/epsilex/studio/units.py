"""Units of a run's columns and target, from its spec to the estimator, with errors that name the column."""

from __future__ import annotations

import warnings
from typing import Any

from epsilex.dimensions.carried import units_by_name
from epsilex.dimensions.knowledge import rule_of
from epsilex.dimensions.law import law_of
from epsilex.dimensions.units import dimension
from epsilex.studio.preparing import Prepared


class AtColumn(ValueError):
    """A wish that is wrong at one column, where the page shows the words."""

    def __init__(self, words: str, column: str):
        super().__init__(words)
        self.column = column


def parameters(spec: dict[str, Any], data: Prepared) -> dict[str, Any]:
    """Parameters of the estimator; the units of features that were made of other columns are known."""
    if not spec["units"] and spec["target_unit"] is None:
        return {}
    units = {name: unit for name, unit in spec["units"].items() if name in data.names}
    return {
        "units": dict(data.table.units) | units, "target_unit": spec["target_unit"],
        "constant_units": spec["constant_units"],
    }  # fmt: skip


def texts_of(spec: dict[str, Any], data: Prepared) -> tuple[list[str], str] | None:
    """The units of the features and of the target as text; None if there are none."""
    known = parameters(spec, data)
    return (units_by_name(known["units"], data.names), known["target_unit"]) if known else None


def check(spec: dict[str, Any], data: Prepared) -> list[str]:
    """Raise if units are missing or cannot be; returns what there is to tell."""
    known = parameters(spec, data)
    if not known:
        return []
    for name in data.names:
        if name not in known["units"]:
            raise AtColumn(f"units: expected one for {name!r}, 1 for a pure number; got none", name)
        try:
            dimension(known["units"][name], "units")
        except ValueError as error:
            raise AtColumn(str(error), name) from None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rule = rule_of(known["units"], known["target_unit"], known["constant_units"], data.names, None)
    if rule is not None:
        law_of(rule, tuple(spec["operators"]), spec["max_length"])
    return [str(warning.message) for warning in told]
