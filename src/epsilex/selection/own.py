"""A user's own method: a function of (errors, n, rng), or a `Method`.

    def mine(errors, n, rng): ...                        # returns indices of n parents
    def mine(errors, n, rng, *, fitness, age, k=3): ...  # may also ask for fitness, age, length, generation, address,
                                                         # n_jobs by name; its other keywords are options
    return parents, cases_used                           # may also return the share of the cases that each event used

Parents mate in the order they are returned: 2 j with 2 j + 1. For its own survival rule, a method must be a `Method`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, generator

OFFERED = ("fitness", "age", "length", "generation", "address", "n_jobs")


def method_of(function: Callable) -> Method:
    """The method around a user's function."""
    name = getattr(function, "__name__", "own")
    keywords = _keywords(function)
    asked = [word for word in keywords if word in OFFERED]

    def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, **options) -> Selected:
        offer = {
            "fitness": measures.fitness, "age": measures.age, "length": measures.length,
            "generation": address.generation, "address": address, "n_jobs": n_jobs,
        }  # fmt: skip
        given = {word: offer[word] for word in asked}
        found = function(measures.errors, n, generator(address, 0), **given, **options)
        chosen, used = found if isinstance(found, tuple) else (found, np.zeros(n))
        return Selected(_indices(chosen, n, len(measures), name), _shares(used, n, name))

    return Method(name, name, parents, options=tuple(word for word in keywords if word not in OFFERED))


def _keywords(function: Callable) -> list[str]:
    """Parameters after the first three."""
    try:
        return [
            parameter.name
            for parameter in list(inspect.signature(function).parameters.values())[3:]
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        ]
    except (TypeError, ValueError):  # a built-in without a signature
        return []


def _indices(chosen, n: int, size: int, name: str) -> np.ndarray:
    chosen = np.asarray(chosen)
    right = chosen.shape == (n,) and chosen.dtype.kind in "iu" and (n == 0 or 0 <= chosen.min() <= chosen.max() < size)
    if not right:
        raise ValueError(f"selection {name}: expected {n} indices below {size}; got {chosen!r}")
    return chosen


def _shares(used, n: int, name: str) -> np.ndarray:
    used = np.asarray(used, np.float64)
    if used.shape != (n,) or not ((used >= 0) & (used <= 1)).all():
        raise ValueError(f"selection {name}: expected {n} shares of the cases, from 0 to 1; got {used!r}")
    return used
