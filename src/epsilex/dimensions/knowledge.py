"""From an estimator's parameters to a rule, with errors that say which column or unit is at fault."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from epsilex.dimensions import exact
from epsilex.dimensions.law import fractions_of
from epsilex.dimensions.rule import Rule
from epsilex.dimensions.units import dimension, from_header, of_columns


def rule_of(
    units: str | Mapping[str, str] | None, target_unit: str | None, constants: str, names: Sequence[str],
    target_name: str | None,
) -> Rule | None:  # fmt: skip
    """The rule for columns of these names; None if no units are given."""
    if units is None:
        if target_unit is not None:
            raise ValueError(f"target_unit: expected together with units; got {target_unit!r} alone")
        return None
    if target_unit is None and units == "header":
        target_unit = from_header(target_name or "")
        if not target_unit:
            raise ValueError(
                f"target_unit: expected a unit, or a target whose name has one, such as 'v [m/s]'; got {target_name!r}"
            )
    if target_unit is None:
        raise ValueError("target_unit: expected the unit of the target, '1' for a pure number; got None")
    named = [*of_columns(units, names), dimension(target_unit, "target_unit")]
    bases, found = exact.vectors(named)
    rule = Rule(tuple(found[:-1]), found[-1], constants, tuple(bases))
    if constants == "none":
        _check_reachable(rule, names, target_unit)
        _tell_useless(rule, names)
    return rule


def _check_reachable(rule: Rule, names: Sequence[str], target_unit: str) -> None:
    if exact.reachable(rule.target, rule.features):
        return
    made = [any(feature[k] for feature in rule.features) for k in range(len(rule.bases))]
    wanted = zip(rule.bases, rule.target, made, strict=True)
    lacking = [base.strip("[]") for base, power, known in wanted if power and not known]
    reason = f"no column has {' or '.join(lacking)}" if lacking else "no product of powers of the columns has it"
    columns = ", ".join(f"{name} ({fractions_of(d, rule.bases)})" for name, d in zip(names, rule.features, strict=True))
    raise ValueError(
        f"target_unit: expected one that can be made of the columns {columns}; got {target_unit!r}, "
        f"{fractions_of(rule.target, rule.bases)}: {reason}. constant_units='overall' lets the formula's factor carry "
        "a unit"
    )


def _tell_useless(rule: Rule, names: Sequence[str]) -> None:
    useless = [names[j] for j in exact.useless(rule.features, rule.target)]
    if useless:
        warnings.warn(
            f"units: no formula of consistent units contains {', '.join(map(repr, useless))}, because nothing else has "
            "this dimension",
            stacklevel=2,
        )
