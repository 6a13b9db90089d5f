"""What a person may do to a run, and the log of it.

The server adds acts to `acts.jsonl`; the run's process takes them between two generations and adds to `log.jsonl` what
it did, with the generation. The log alone decides how a run continues, and it replays the run bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from epsilex.programs.fold import Node
from epsilex.programs.operators import FIRST_OPERATOR, lookup
from epsilex.studio.bounds import checked_bounds
from epsilex.studio.forms import Form, form_of
from epsilex.studio.notation import Notation
from epsilex.studio.specs import OPERATORS, number

ACTS, LOG = "acts.jsonl", "log.jsonl"
COURSE = ("pause", "continue", "extend", "stop")  # they change when a run ends, not what it finds
CHANGES = ("forbid", "allow", "guess", "reject", "bounds")
UNITS_NEED = ("mul", "div")
MAX_EXTENSION = 24 * 3600.0


def checked(asked: object, notation: Notation, spec: dict[str, Any]) -> dict[str, Any]:
    """An act on a run of this spec as plain JSON values; a ValueError says what is wrong with it."""
    if not isinstance(asked, dict) or asked.get("kind") not in COURSE + CHANGES:
        got = asked.get("kind") if isinstance(asked, dict) else type(asked).__name__
        raise ValueError(f"act: expected one of {', '.join(COURSE + CHANGES)}; got {got!r:.40}")
    kind = str(asked["kind"])
    if kind == "extend":
        return {"kind": kind, "seconds": number(asked, "seconds", 1.0, MAX_EXTENSION)}
    if kind in ("forbid", "allow", "guess") and notation.outline is not None:
        raise ValueError(f"act: the functions of a form are searched as the run began; got {kind}")
    if kind in ("forbid", "allow"):
        if asked.get("operator") not in OPERATORS:
            raise ValueError(f"operator: expected one of {', '.join(OPERATORS)}; got {asked.get('operator')!r:.40}")
        if kind == "forbid" and spec["units"] and asked["operator"] in UNITS_NEED:
            raise ValueError(f"operator: products and quotients make the units of this run; got {asked['operator']}")
        return {"kind": kind, "operator": asked["operator"]}
    if kind == "guess":
        notation.plain(asked.get("formula"), spec["max_length"])
        return {"kind": kind, "formula": asked["formula"]}
    if kind == "bounds":
        return {"kind": kind, "constraints": checked_bounds(asked, notation.names, spec["constraints"])}
    if kind == "reject":
        short = notation.read(asked.get("formula")).formula
        return {"kind": kind, "formula": asked["formula"], "short": short}
    return {"kind": kind}


def operators_in(nodes: Iterable[Node]) -> set[str]:
    return {lookup(code).name for code, _, _ in nodes if code >= FIRST_OPERATOR}


@dataclass(frozen=True)
class Course:
    """What a spec and its log ask of the rest of the search.

    constraints  statements about values and slopes
    forbidden    operators forbidden by an act, which a guess must not contain
    rejected     forms that must not be on the front
    changes      how many acts have changed what the search finds
    """

    operators: tuple[str, ...]
    seconds: float
    generations: int | None
    constraints: tuple[str, ...] = ()
    forbidden: frozenset[str] = frozenset()
    rejected: frozenset[Form] = frozenset()
    paused: bool = False
    stopped: bool = False
    changes: int = 0

    @classmethod
    def of(cls, spec: dict[str, Any], log: Iterable[dict[str, Any]], notation: Notation) -> Course:
        course = cls(tuple(spec["operators"]), spec["seconds"], spec["generations"], tuple(spec["constraints"]))
        for entry in log:
            if "refused" not in entry:
                course = course.after(entry["act"], entry["seconds"], notation)
        return course

    def after(self, act: dict[str, Any], spent: float, notation: Notation) -> Course:
        """The course once an act is done, `spent` seconds into the search; a ValueError if it cannot be."""
        kind = act["kind"]
        if kind == "pause":
            return replace(self, paused=True)
        if kind == "continue":
            return replace(self, paused=False, stopped=False)
        if kind == "stop":
            return replace(self, paused=False, stopped=True)
        if kind == "extend":
            longer = max(self.seconds, spent) + act["seconds"]
            return replace(self, seconds=longer, generations=None, paused=False, stopped=False)
        return replace(self._changed(act, notation), changes=self.changes + 1)

    def _changed(self, act: dict[str, Any], notation: Notation) -> Course:
        kind, operator = act["kind"], act.get("operator")
        if kind == "forbid":
            rest = tuple(name for name in self.operators if name != operator)
            if not rest:
                raise ValueError(f"operator: {operator} is the last one and cannot be forbidden")
            return replace(self, operators=rest, forbidden=self.forbidden | {str(operator)})
        if kind == "allow":
            allowed = tuple(name for name in OPERATORS if name in self.operators or name == operator)
            return replace(self, operators=allowed, forbidden=self.forbidden - {str(operator)})
        if kind == "bounds":
            return replace(self, constraints=tuple(act["constraints"]))
        if kind == "reject":
            return replace(self, rejected=self.rejected | {form_of(notation.read(act["formula"]))})
        if banned := sorted(operators_in(notation.plain(act["formula"])) & self.forbidden):
            raise ValueError(f"formula: {', '.join(banned)} is forbidden; allow it first")
        return self
