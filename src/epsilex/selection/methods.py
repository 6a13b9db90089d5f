"""A selection method, which is a parent rule and a survival rule; and its inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


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
    """

    errors: np.ndarray
    fitness: np.ndarray
    age: np.ndarray
    length: np.ndarray

    def __len__(self) -> int:
        return len(self.fitness)

    @classmethod
    def of(cls, errors: np.ndarray, fitness=None, age=None, length=None) -> Measures:
        """Errors with the given measures; by default the fitness is the mean error, the age 0 and the length 1."""
        n = len(errors)
        with np.errstate(over="ignore", invalid="ignore"):
            fitness = errors.mean(axis=1, dtype=np.float64) if fitness is None else np.asarray(fitness, np.float64)
        age = np.zeros(n, np.int64) if age is None else np.asarray(age, np.int64)
        return cls(errors, fitness, age, np.ones(n, np.int64) if length is None else np.asarray(length, np.int64))

    def take(self, who: np.ndarray) -> Measures:
        return Measures(self.errors[who], self.fitness[who], self.age[who], self.length[who])


class Selected(NamedTuple):
    """The parents in mating order: 2 j mates with 2 j + 1.

    parents     (n,) indices of the population
    cases_used  (n,) share of the cases each selection event used, 0 if it uses no cases
    """

    parents: np.ndarray
    cases_used: np.ndarray


@dataclass(frozen=True, slots=True)
class Method:
    """A parent rule and a survival rule.

    parents   function of (measures, n, address, n_jobs, **options) -> Selected
    survive   function of (fitness, age, n) -> indices of the survivors among parents, children and newcomers;
              None: the children replace their parents
    options   names of the options the parent rule takes
    """

    id: str
    label: str
    parents: Callable[..., Selected]
    survive: Callable[[np.ndarray, np.ndarray, int], np.ndarray] | None = None
    options: tuple[str, ...] = ()


def alive(fitness: np.ndarray) -> np.ndarray:
    """(individuals,) bool: who may be a parent: those with a finite fitness, or everyone if nobody has one."""
    finite = np.isfinite(fitness)
    return finite if finite.any() else np.ones(len(fitness), bool)


def generator(address: Address, purpose: int) -> np.random.Generator:
    """A NumPy generator at an address, for methods without a kernel."""
    return np.random.Generator(np.random.Philox(key=[address.seed % 2**64, address.generation * 16 + purpose]))
