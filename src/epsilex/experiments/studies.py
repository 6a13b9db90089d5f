"""The studies as lists of trials.

`table`       eight methods on six problems, 30 trials (Section 4.4)
`epsilon`     fixed epsilon_e and epsilon_y from 0.01 to 10 on Tower, 15 trials (Section 4.3)
`discussion`  open questions of the paper's discussion, on the static problems, 10 trials (Section 5)
`laboratory`  all selection methods on the static problems and three more, 10 trials, in three arms: the paper's
              settings, and the modern engine with as many evaluations for all, or as much time
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from epsilex.evolution import Settings, engine
from epsilex.experiments import methods
from epsilex.experiments.trials import Trial, effective_settings, encode
from epsilex.selection import spelling

FIXED = ("seed", "selection", "selection_options")  # determined by the trial's number and method
EPSILONS = (0.01, 0.05, 0.10, 0.50, 1.0, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """The scale at which a study is run."""

    trials: int
    generations: int
    population_size: int

    def __post_init__(self) -> None:
        for name in ("trials", "generations", "population_size"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}: expected an integer of at least 1; got {value!r}")


LABORATORY = ("laboratory", "laboratory_evaluations", "laboratory_time")
SECONDS = 0.02  # per generation of a trial with a limit of time: about what one takes with tournament selection
FULL = {
    "table": Scale(30, 1000, 1000),
    "epsilon": Scale(15, 1000, 1000),
    "discussion": Scale(10, 1000, 1000),
    **dict.fromkeys(LABORATORY, Scale(10, 1000, 1000)),
}
QUICK = {
    "table": Scale(3, 30, 1000),
    "epsilon": Scale(2, 20, 1000),
    "discussion": Scale(1, 10, 1000),
    **dict.fromkeys(LABORATORY, Scale(1, 10, 1000)),
}


def scale(study: str, quick: bool, trials: int | None, generations: int | None) -> Scale:
    """The paper's scale or the quick one, overridden by the caller's values."""
    asked = {name: value for name, value in (("trials", trials), ("generations", generations)) if value is not None}
    return replace((QUICK if quick else FULL)[study], **asked)


@dataclass(frozen=True)
class Cell:
    """One method on one problem: a row of a table, a box of a figure.

    column    the method's name there: as requested, with the changed settings
    method, settings, engine  see `Trial`
    """

    problem: str
    column: str
    method: str
    settings: str
    engine: int

    def trial(self, number: int) -> Trial:
        return Trial(self.problem, self.method, self.settings, self.engine, number)


def check_changes(changes: Mapping[str, Any]) -> None:
    """Raise a ValueError for an unknown setting or an invalid value."""
    known = [field.name for field in fields(Settings) if field.name not in FIXED]
    for name in changes:
        if name not in known:
            raise ValueError(f"settings: expected one of {', '.join(known)}; got {name!r}")
    Settings.paper(**changes)


def cells(
    study: str, problems: Sequence[str], asked: Sequence[str], scale: Scale, changes: Mapping[str, Any] | None = None
) -> list[Cell]:
    """The cells of a study; `changes` are settings other than Table 1's."""
    changes = dict(changes or {})
    changed = methods.PLUS + ", ".join(f"{name}={value}" for name, value in changes.items()) if changes else ""
    found = []
    for text in _columns(study, asked):
        settings = effective_settings(
            text, scale.generations, budget(study, scale), **{"population_size": scale.population_size} | changes
        )
        found.append((text + changed, spelling.spell(*methods.parts(text)), encode(settings)))
    version = engine.MODERN if budget(study, scale) else engine.PAPER
    return [Cell(problem, *cell, version) for problem in problems for cell in found]


def budget(study: str, scale: Scale) -> dict[str, float]:
    """What ends a trial instead of its generations: `evaluations` or `seconds`; empty: the paper's settings."""
    if study == "laboratory_evaluations":
        return {"evaluations": scale.generations * scale.population_size}
    return {"seconds": round(scale.generations * SECONDS, 3)} if study == "laboratory_time" else {}


def plan(cells: Sequence[Cell], trials: int) -> list[Trial]:
    """All trials, trial k of every cell before trial k + 1, so that an unfinished run is balanced."""
    return [cell.trial(number) for number in range(1, trials + 1) for cell in cells]


def _columns(study: str, asked: Sequence[str]) -> list[str]:
    if study == "epsilon":
        return [spelling.spell(id, {"epsilon": epsilon}) for id in asked for epsilon in EPSILONS]
    return [method.id for method in methods.arrange(asked)]
