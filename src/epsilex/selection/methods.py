"""What a selection method is: a parent rule and a survival rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Address(NamedTuple):
    """Where the random streams of one selection lie."""

    seed: int
    generation: int


class Selected(NamedTuple):
    """Indices of the parents (n,), and the share of the cases each selection event used (n,), 0 where none is looked
    at."""

    parents: np.ndarray
    cases_used: np.ndarray


@dataclass(frozen=True, slots=True)
class Method:
    """A parent rule and a survival rule.

    parents   function of (errors, fitness, n, address, n_jobs, **options) -> Selected
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
    """Who may be a parent: those with a finite fitness; everyone where nobody has one. (individuals,) bool"""
    finite = np.isfinite(fitness)
    return finite if finite.any() else np.ones(len(fitness), bool)


def generator(address: Address, purpose: int) -> np.random.Generator:
    """A NumPy generator at an address, for methods that need no kernel."""
    return np.random.Generator(np.random.Philox(key=[address.seed % 2**64, address.generation * 16 + purpose]))
