"""A user's own method: a function of (errors, n, rng), or a `Method`.

    def mine(errors, n, rng): ...                        # returns indices of n parents
    def mine(errors, n, rng, *, fitness, age, k=3): ...  # may also ask for fitness, age, length, generation, address,
                                                         # n_jobs, memory by name; its other keywords are options
    return parents, cases_used                           # may also return the share of the cases that each event used

Parents mate in the order they are returned: 2 j with 2 j + 1. A `memory` is a dictionary of arrays, empty at first;
what the function puts there is there again in the next generation. For its own survival rule, a method must be a
`Method`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

from epsilex.selection.methods import KINDS, Address, Measures, Method, Selected, generator

OFFERED = ("fitness", "age", "length", "generation", "address", "n_jobs", "memory")


def method_of(function: Callable) -> Method:
    """The method around a user's function."""
    name = getattr(function, "__name__", "own")
    keywords = _keywords(function)
    asked = [word for word in keywords if word in OFFERED]

    def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, **options) -> Selected:
        memory = dict(measures.memory)
        offer = {
            "fitness": measures.fitness, "age": measures.age, "length": measures.length,
            "generation": address.generation, "address": address, "n_jobs": n_jobs,
            "memory": memory,
        }  # fmt: skip
        given = {word: offer[word] for word in asked}
        found = function(measures.errors, n, generator(address, 0), **given, **options)
        chosen, used = found if isinstance(found, tuple) else (found, np.zeros(n))
        kept = _arrays(memory, name) if "memory" in asked else {}
        return Selected(_indices(chosen, n, len(measures), name), _shares(used, n, name), kept)

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


def _arrays(memory: dict, name: str) -> dict[str, np.ndarray]:
    """Copies, so that nothing the function keeps can change them."""
    kept = {key: np.array(value) for key, value in memory.items()}
    for key, array in kept.items():
        if not isinstance(key, str) or str(array.dtype) not in KINDS:
            raise ValueError(
                f"selection {name}: expected names and arrays of {', '.join(KINDS)} in its memory; got {key!r} of "
                f"{array.dtype}"
            )
    return kept


def _shares(used, n: int, name: str) -> np.ndarray:
    used = np.asarray(used, np.float64)
    if used.shape != (n,) or not ((used >= 0) & (used <= 1)).all():
        raise ValueError(f"selection {name}: expected {n} shares of the cases, from 0 to 1; got {used!r}")
    return used
