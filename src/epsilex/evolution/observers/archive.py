"""The archive: the fittest program met at each length."""

from __future__ import annotations

import numpy as np

from epsilex.evolution.population import Population
from epsilex.programs import Programs


class Archive:
    """One place a length, up to the limit; an infinite standing marks a place nobody has taken."""

    def __init__(self, max_length: int):
        self.programs = Programs.empty(max_length + 1, max_length)
        self.standing = np.full(max_length + 1, np.inf)
        self.fitness = np.full(max_length + 1, np.inf)
        self.slope = np.ones(max_length + 1)
        self.intercept = np.zeros(max_length + 1)

    def update(self, population: Population) -> None:
        """Take every individual that is fitter than the one at its length, if it was seen on all shadow rows."""
        length = population.programs.length
        standing = np.where(population.tame == 1, np.inf, population.standing)
        order = np.lexsort((standing, length))
        lengths, first = np.unique(length[order], return_index=True)
        best = order[first]
        better = standing[best] < self.standing[lengths]
        self._put(lengths[better], population, best[better])

    def _put(self, places: np.ndarray, population: Population, source: np.ndarray) -> None:
        for name in ("opcode", "feature", "constant", "length"):
            getattr(self.programs, name)[places] = getattr(population.programs, name)[source]
        for name in ("standing", "fitness", "slope", "intercept"):
            getattr(self, name)[places] = getattr(population, name)[source]

    @property
    def taken(self) -> np.ndarray:
        """The lengths that have a program, ascending."""
        return np.flatnonzero(np.isfinite(self.standing))

    @property
    def front(self) -> np.ndarray:
        """Those of them that are fitter than every shorter one."""
        taken = self.taken
        least_before = np.minimum.accumulate(np.concatenate([[np.inf], self.standing[taken]]))[:-1]
        return taken[self.standing[taken] < least_before]

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name, for a checkpoint."""
        programs = {name: getattr(self.programs, name) for name in ("opcode", "feature", "constant", "length")}
        return programs | {name: getattr(self, name) for name in ("standing", "fitness", "slope", "intercept")}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Archive:
        archive = cls(arrays["opcode"].shape[1])
        archive.programs = Programs(*(arrays[name] for name in ("opcode", "feature", "constant", "length")))
        for name in ("standing", "fitness", "slope", "intercept"):
            setattr(archive, name, arrays[name])
        return archive
