"""The paper's two studies as lists of trials.

`table`    eight methods on six problems, 30 trials (Section 4.4)
`epsilon`  fixed epsilon_e and epsilon_y from 0.01 to 10 on Tower, 15 trials (Section 4.3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from epsilex.experiments import methods
from epsilex.experiments.trials import Trial, encode

EPSILONS = (0.01, 0.05, 0.10, 0.50, 1.0, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """How much of a study is run."""

    trials: int
    generations: int
    population_size: int

    def __post_init__(self) -> None:
        for name in ("trials", "generations", "population_size"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}: expected an integer of at least 1; got {value!r}")


FULL = {"table": Scale(30, 1000, 1000), "epsilon": Scale(15, 1000, 1000)}
QUICK = {"table": Scale(3, 30, 1000), "epsilon": Scale(2, 20, 1000)}


def scale(study: str, quick: bool, trials: int | None, generations: int | None) -> Scale:
    """The paper's scale, or the quick one, with what the caller asks for put in."""
    asked = {name: value for name, value in (("trials", trials), ("generations", generations)) if value is not None}
    return replace((QUICK if quick else FULL)[study], **asked)


def plan(study: str, problems: Sequence[str], method_ids: Sequence[str], scale: Scale) -> list[Trial]:
    """All trials of a study, trial k of every cell before trial k + 1, so that a part of it is balanced."""
    cells = [(problem, *cell) for problem in problems for cell in _columns(study, method_ids, scale)]
    return [Trial(study, *cell, trial) for trial in range(1, scale.trials + 1) for cell in cells]


def _columns(study: str, method_ids: Sequence[str], scale: Scale) -> list[tuple[str, str]]:
    """(method, options) of each column of a study."""
    if study == "epsilon":
        return [(id, _options(scale, {"epsilon": epsilon})) for id in method_ids for epsilon in EPSILONS]
    return [
        (method.id, _options(scale, method.options, methods.code_mark(method.id)))
        for method in methods.arrange(method_ids)
    ]


def _options(scale: Scale, selection: dict[str, Any], code: str | None = None) -> str:
    options: dict[str, Any] = {"generations": scale.generations, "population_size": scale.population_size}
    if selection:
        options["selection_options"] = dict(selection)
    if code:
        options["code"] = code
    return encode(options)
