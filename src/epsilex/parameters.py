"""From the parameters of an estimator to the settings of a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from epsilex.constraints import PARAMETERS, check
from epsilex.evolution import Settings
from epsilex.evolution.islands.plan import Islands, islands_of
from epsilex.evolution.observers.checkpoint import stored_population_size
from epsilex.evolution.observers.records import exists
from epsilex.evolution.settings import population_for
from epsilex.models.choice.rules import rule_of
from epsilex.programs.structure import Structure, structure_of

SETTINGS = frozenset(Settings().get_params())
FLAT = ("selection", "loss", "operators", "max_length", "population_size")  # settings that are also parameters


class Parameters(BaseEstimator):
    """The part of an estimator that checks parameters and makes settings of them."""

    _preset: ClassVar[Callable[..., Settings]] = Settings
    settings: Settings | None
    settings_: Settings
    population_size: int | None
    generations: int | None
    time_limit: float | None
    choose: str | Callable
    checkpoint: str | Path | None
    islands: int | Islands
    dask: Any
    random_state: Any
    resume: bool
    warm_start: bool

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep` also the settings, as `settings__crossover`."""
        found = super().get_params(deep=False)
        if deep:
            own = self.settings if isinstance(self.settings, Settings) else self._preset()
            found |= {f"settings__{name}": value for name, value in own.get_params().items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, settings by `settings__` and theirs; returns self."""
        nested = {name: params.pop(name) for name in list(params) if name.startswith("settings__")}
        super().set_params(**params)
        if nested:
            changes = {name.removeprefix("settings__"): value for name, value in nested.items()}
            self.settings = (self.settings or self._preset()).changed(**changes)
        return self

    def _check_parameters(self, settings: Settings) -> None:
        for name, constraint in PARAMETERS.items():
            check(name, getattr(self, name), constraint)
        rule_of(self.choose)
        plan = islands_of(self.islands)
        plan.settings_of(settings)
        if self.dask is not None and plan.n == 1:
            raise ValueError("dask: expected islands of at least 2 to run on a cluster; got 1")

    def _settings(self) -> Settings:
        """The settings of a search: the parameters', with a seed."""
        chosen = self._unseeded()
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        return replace(chosen, seed=self.settings_.seed if self._continues() else seed)

    def _unseeded(self) -> Settings:
        """The settings, with those that were given as parameters, and the population that fits the time."""
        if not isinstance(self.settings, (Settings, NoneType)):
            raise ValueError(f"settings: expected a Settings, or None; got {self.settings!r}")
        own, preset = self.settings or self._preset(), self._preset()
        given = {name: getattr(self, name) for name in FLAT if getattr(self, name) is not None}
        for name in given:
            if getattr(own, name) != getattr(preset, name):
                raise ValueError(
                    f"{name}: expected it as a parameter or in settings; got {given[name]!r} and {getattr(own, name)!r}"
                )
        chosen = own.changed(**given)
        if self.settings is None and self.population_size is None:
            return replace(chosen, population_size=self._population_size(chosen.population_size))
        return chosen

    def _structure(self, settings: Settings, names: list[str]) -> Structure | None:
        """The structural limits among the settings, for columns of these names."""
        return structure_of(
            settings.nesting, settings.whole_exponents, settings.required, settings.forbidden, names, settings.costs,
            settings.max_length,
        )  # fmt: skip

    def _population_size(self, usual: int) -> int:
        if self._continues():
            return self.settings_.population_size
        if (path := self._resumed()) is not None:
            return stored_population_size(path)
        if self.generations is None and self.time_limit is not None:
            return population_for(self.time_limit)
        return usual

    def _continues(self) -> bool:
        """Whether `fit` continues from the last population."""
        return bool(self.warm_start) and hasattr(self, "search_")

    def _resumed(self) -> Path | None:
        """The checkpoint to resume from."""
        there = self.resume and self.checkpoint and exists(Path(self.checkpoint))
        return Path(self.checkpoint) if there and self.checkpoint else None
