"""A selection method, which is a parent rule and a survival rule; and its inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

Memory = Mapping[str, np.ndarray]
KINDS = ("bool", "uint8", "int32", "int64", "uint64", "float32", "float64")  # of arrays that a memory may hold


class Address(NamedTuple):
    """The address of the random streams of one selection."""

    seed: int
    generation: int


@dataclass(frozen=True, slots=True)
class Measures:
    """What selection sees of a population: only numbers.

    errors   (individuals, cases) float32 or float64, at least 0
    fitness  (individuals,) float64, the mean error
    age      (individuals,) int64, generations since the oldest ancestor was made
    length   (individuals,) int64, nodes of the program
    memory   arrays that the last selection by the same method left behind, empty before the first
    """

    errors: np.ndarray
    fitness: np.ndarray
    age: np.ndarray
    length: np.ndarray
    memory: Memory = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.fitness)

    @classmethod
    def of(cls, errors: np.ndarray, fitness=None, age=None, length=None, memory: Memory | None = None) -> Measures:
        """Errors with the given measures; by default the fitness is the mean error, the age 0 and the length 1."""
        n = len(errors)
        with np.errstate(over="ignore", invalid="ignore"):
            fitness = errors.mean(axis=1, dtype=np.float64) if fitness is None else np.asarray(fitness, np.float64)
        age = np.zeros(n, np.int64) if age is None else np.asarray(age, np.int64)
        length = np.ones(n, np.int64) if length is None else np.asarray(length, np.int64)
        return cls(errors, fitness, age, length, dict(memory or {}))

    def take(self, who: np.ndarray) -> Measures:
        return Measures(self.errors[who], self.fitness[who], self.age[who], self.length[who], self.memory)

    def on(self, cases: np.ndarray) -> Measures:
        """The same individuals on some of the cases; their fitness is the mean error on these."""
        errors = self.errors[:, cases]
        with np.errstate(over="ignore", invalid="ignore"):
            return replace(self, errors=errors, fitness=errors.mean(axis=1, dtype=np.float64))

    def recalled(self, name: str, *shape: int | None) -> np.ndarray | None:
        """The array of this name in the memory; None if there is none, or one of another shape (None: any length), as
        after a change of data."""
        found = self.memory.get(name)
        if found is None or found.ndim != len(shape):
            return None
        fits = all(wanted is None or wanted == got for wanted, got in zip(shape, found.shape, strict=True))
        return found if fits else None


class Selected(NamedTuple):
    """The parents in mating order: 2 j mates with 2 j + 1.

    parents     (n,) indices of the population
    cases_used  (n,) share of the cases each selection event used, 0 if it uses no cases
    memory      arrays for the next selection by the same method; the search keeps them, and checkpoints hold them
    """

    parents: np.ndarray
    cases_used: np.ndarray
    memory: Memory = {}  # noqa: RUF012 - never written to


@dataclass(frozen=True, slots=True)
class Method:
    """A parent rule and a survival rule.

    parents   function of (measures, n, address, n_jobs, **options) -> Selected
    survive   function of (measures, n, address, **options) -> indices of the `n` survivors among `n` parents, `n`
              children and newcomers, in this order; None: the children replace their parents
    options   names of the options that both rules take
    absolute  whether it judges an error by its size, not by its distance to others' errors
    survival  name of the rule of evolution that asks `survive`: "age_fitness" (one newcomer each generation) or
              "by_method"
    newcomers      function of (generation, n, **options) -> number of newcomers, for "by_method"; None: none
    survive_errors  whether `survive` looks at errors; without, it gets none, because joining them takes time
    """

    id: str
    label: str
    parents: Callable[..., Selected]
    survive: Callable[..., np.ndarray] | None = None
    options: tuple[str, ...] = ()
    absolute: bool = False
    survival: str = "age_fitness"
    newcomers: Callable[..., int] | None = None
    survive_errors: bool = False


def alive(fitness: np.ndarray) -> np.ndarray:
    """(individuals,) bool: who may be a parent: those with a finite fitness, or everyone if nobody has one."""
    finite = np.isfinite(fitness)
    return finite if finite.any() else np.ones(len(fitness), bool)


def complete(measures: Measures) -> np.ndarray:
    """(individuals,) bool: who has a finite fitness and no error that is not finite; everyone if nobody has."""
    found = np.isfinite(measures.fitness)
    with np.errstate(over="ignore", invalid="ignore"):
        found &= np.isfinite(measures.errors.sum(axis=1, dtype=np.float64))
    return found if found.any() else np.ones(len(measures), bool)


def generator(address: Address, purpose: int) -> np.random.Generator:
    """A NumPy generator at an address, for methods without a kernel."""
    return np.random.Generator(np.random.Philox(key=[address.seed % 2**64, address.generation * 16 + purpose]))


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}: expected one of {', '.join(allowed)}; got {value!r}")


def at_least_one(name: str, value: int | None) -> int:
    """The option as an integer; 0 if it is not given."""
    if value is None:
        return 0
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}: expected an integer of at least 1; got {value!r}")
    return int(value)


def number(name: str, value: Any, low: float, high: float = np.inf) -> float:
    """The option as a number from `low` to `high`, finite."""
    right = isinstance(value, Real) and not isinstance(value, bool)
    if not (right and low <= float(value) <= high and np.isfinite(float(value))):
        above = "a finite number" if high == np.inf else "a number"
        raise ValueError(f"{name}: expected {above} from {low:g} to {high:g}; got {value!r}")
    return float(value)
