"""The population: programs and their measurements."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from epsilex.data.shadow import UNTAMED
from epsilex.programs import Programs
from epsilex.programs.costs import Costs, sizes
from epsilex.selection.methods import Measures


@dataclass(slots=True)
class Population:
    """One row per individual.

    errors     (individuals, cases) float32
    fitness    (individuals,) float64, the mean error; infinite where it is not finite
    mae        (individuals,) float64, the mean absolute error, equal to the fitness unless another loss is set
    slope, intercept  (individuals,) float64: linear scaling of the outputs, 1 and 0 without it
    outputs    (individuals,) uint64: hash of the output vector
    tame       (individuals,) uint8: 0 if wild on the first shadow rows, 1 if tame on those, 2 if tame on all
    age        (individuals,) int64: generations since the oldest ancestor was made
    evaluated  number of programs run to make this population from the previous one
    """

    programs: Programs
    errors: np.ndarray
    fitness: np.ndarray
    mae: np.ndarray
    slope: np.ndarray
    intercept: np.ndarray
    outputs: np.ndarray
    tame: np.ndarray
    age: np.ndarray
    evaluated: int = field(default=0, kw_only=True)

    def __len__(self) -> int:
        return len(self.fitness)

    @classmethod
    def unmeasured(cls, programs: Programs, errors: np.ndarray) -> Population:
        """Programs of age 0 with unfilled arrays for their measurements, `errors` among them."""
        n = len(programs)
        measures = (np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.uint64), np.empty(n, np.uint8))
        return cls(programs, errors, *measures, np.zeros(n, np.int64))

    def take(self, index: np.ndarray) -> Population:
        """The individuals at `index`, copied."""
        rest = (getattr(self, name)[index] for name in _COLUMNS)
        return Population(self.programs.take(index), *rest)

    def put(self, index: np.ndarray, other: Population, source: np.ndarray, n_jobs: int = 1) -> None:
        """Overwrite the individuals at `index` with those of `other` at `source`."""
        for name in PROGRAM:
            getattr(self.programs, name)[index] = getattr(other.programs, name)[source]
        self.put_measures(index, other, source, n_jobs)

    def put_measures(self, index: np.ndarray, other: Population, source: np.ndarray, n_jobs: int = 1) -> None:
        """As `put`, where the programs are already equal."""
        from epsilex.kernels import fitting, slices

        for name in _COLUMNS:
            if name != "errors":
                getattr(self, name)[index] = getattr(other, name)[source]
        slices.run(
            lambda first, last: fitting.copy_rows(self.errors, index, other.errors, source, first, last),
            len(index), n_jobs,
        )  # fmt: skip

    @property
    def standing(self) -> np.ndarray:
        """(individuals,) float64: the fitness by which programs compete; untamed programs count as less fit."""
        return np.where(self.tame, self.fitness, UNTAMED * self.fitness)

    @property
    def best(self) -> int:
        """The first individual of least fitness."""
        return int(np.argmin(self.fitness))

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name, for a checkpoint."""
        return {name: getattr(self.programs, name) for name in PROGRAM} | {n: getattr(self, n) for n in _COLUMNS}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Population:
        return cls(Programs(*(arrays[name] for name in PROGRAM)), *(arrays[name] for name in _COLUMNS))


PROGRAM = ("opcode", "feature", "constant", "length")
_COLUMNS = ("errors", "fitness", "mae", "slope", "intercept", "outputs", "tame", "age")


class Union:
    """Several populations seen as one: the compared columns are joined, the errors are not.

    costs  operators that count as several nodes in `length`
    """

    def __init__(self, *populations: Population, costs: Costs = ()):
        self.populations, self.costs = populations, costs
        self.ends = np.cumsum([len(p) for p in populations])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def column(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(p, name) for p in self.populations])

    @property
    def length(self) -> np.ndarray:
        return np.concatenate([sizes(p.programs, self.costs) for p in self.populations])

    def measures(self, fitness: str, errors: bool = False) -> Measures:
        """What a survival rule sees: `fitness` is the column it judges by; without `errors` there are no cases."""
        joined = self.column("errors") if errors else np.empty((len(self), 0), np.float32)
        return Measures(joined, self.column(fitness), self.column("age"), self.length)

    def take(self, index: np.ndarray) -> Population:
        """The individuals at `index`, ascending, copied."""
        within = np.split(index, np.searchsorted(index, self.ends[:-1]))
        starts = self.ends - [len(p) for p in self.populations]

        def gathered(columns: list[np.ndarray]) -> np.ndarray:
            out = np.empty((len(index), *columns[0].shape[1:]), columns[0].dtype)
            parts = np.split(out, np.cumsum([len(who) for who in within])[:-1])
            for column, who, start, part in zip(columns, within, starts, parts, strict=True):
                np.take(column, who - start, axis=0, out=part, mode="clip")  # other modes make another copy
            return out

        programs = Programs(*(gathered([getattr(p.programs, name) for p in self.populations]) for name in PROGRAM))
        return Population(programs, *(gathered([getattr(p, name) for p in self.populations]) for name in _COLUMNS))
