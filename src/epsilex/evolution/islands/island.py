"""An island between two epochs, and its form on the way between processes and on disk: plain numbers and arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.checkpoint import state_arrays, state_of
from epsilex.evolution.population import PROGRAM, Population
from epsilex.evolution.state import State
from epsilex.programs import Programs

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Parcel:
    """Programs on their way from one island to others, and their ages (programs,)."""

    programs: Programs
    age: np.ndarray

    @classmethod
    def empty(cls, width: int) -> Parcel:
        return cls(Programs.empty(0, width), np.zeros(0, np.int64))

    def arrays(self) -> Arrays:
        return {name: getattr(self.programs, name) for name in PROGRAM} | {"age": self.age}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Parcel:
        return cls(Programs(*(arrays[name] for name in PROGRAM)), arrays["age"])


@dataclass(frozen=True, slots=True)
class Island:
    """State and archive of an island, and what it sent at the end of its last two epochs, the latest last."""

    state: State
    archive: Archive
    parcels: tuple[Parcel, Parcel]

    def packed(self) -> Packed:
        """The island without its errors, which are large and can be measured again."""
        state = self.state
        bare = replace(state, population=without_errors(state.population))
        arrays = state_arrays(bare, self.archive)
        for k, parcel in enumerate(self.parcels):
            arrays |= {f"parcel{k}.{name}": a for name, a in parcel.arrays().items()}
        return Packed(state.generation, state.evaluations, arrays)


@dataclass(frozen=True, slots=True)
class Packed:
    """An island as plain numbers and arrays by name."""

    generation: int
    evaluations: int
    arrays: Arrays

    def island(self) -> Island:
        header = {"generation": self.generation, "evaluations": self.evaluations}
        state, archive = state_of(header, {k: a for k, a in self.arrays.items() if not k.startswith("parcel")})
        return Island(state, archive, (self.parcel(0), self.parcel(1)))

    def parcel(self, k: int) -> Parcel:
        """What was sent at the end of the last epoch but one (0), or of the last (1)."""
        prefix = f"parcel{k}."
        return Parcel.from_arrays({n.removeprefix(prefix): a for n, a in self.arrays.items() if n.startswith(prefix)})


def without_errors(population: Population) -> Population:
    """The population as if it had no cases."""
    return replace(population, errors=np.empty((len(population), 0), np.float32))
