"""Lexicase selection for DEAP: selectors with its signature, `(individuals, k) -> list of individuals`.

    from epsilex.contrib.deap import selector

    toolbox.register("select", selector("lex_e_mad"))

Any id of `epsilex.selection.METHODS` works, except methods of survival such as `afp`. A selector of a method with a
memory keeps it from call to call. DEAP's own three names are here too, and compute the rules
that DEAP's documentation names: `selLexicase`, `selEpsilonLexicase` (Eq. 3 of the paper, `lex_y`) and
`selAutomaticEpsilonLexicase` (Eq. 6, `lex_y_mad`).

The errors of an individual are its attribute `errors` if it has one, a sequence of numbers with 0 as the best; else
the values of its fitness, one per case, minimised where the weight is negative. Random numbers come from Python's
`random` module, as in DEAP, so `random.seed` makes a run repeatable. DEAP itself is not imported.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from epsilex import selection

# These judge an error by its size, the others by its distance to the best, which also allows maximised fitness.
ABSOLUTE = tuple(id for id in selection.METHODS if selection.method(id).absolute)
# Survival of parents and children is up to DEAP's own loop.
WITHOUT_CASES = tuple(id for id in selection.METHODS if selection.method(id).survive is not None)


def selector(id: str | Callable, **options: Any) -> Callable[[Sequence, int], list]:
    """A selector with DEAP's signature for a method of `epsilex.selection`, with its options."""
    chosen = selection.method(id)
    if chosen.id in WITHOUT_CASES:
        raise ValueError(f"id: expected a method that needs errors alone; got {chosen.id!r}")
    selection.check_options(chosen, options)
    memory: dict[str, np.ndarray] = {}

    def select(individuals: Sequence, k: int) -> list:
        if not len(individuals):
            raise ValueError("individuals: expected at least one; got none")
        errors = case_errors(individuals, absolute=chosen.id in ABSOLUTE)
        rng, length = np.random.default_rng(random.getrandbits(64)), _lengths(individuals)
        return [individuals[i] for i in selection.select(id, errors, k, rng, length=length, memory=memory, **options)]

    select.__name__ = f"select_{chosen.id}"
    select.__doc__ = f"Select `k` of the individuals by {chosen.id}."
    return select


def selLexicase(individuals: Sequence, k: int) -> list:
    """Lexicase selection: the best of the pool on one case after another, in random order."""
    return selector("lex")(individuals, k)


def selEpsilonLexicase(individuals: Sequence, k: int, epsilon: float) -> list:
    """Epsilon-lexicase selection by a fixed threshold: an error of at most `epsilon` passes a case."""
    return selector("lex_y", epsilon=epsilon)(individuals, k)


def selAutomaticEpsilonLexicase(individuals: Sequence, k: int) -> list:
    """Epsilon-lexicase selection; the threshold of each case is the median absolute deviation of its errors."""
    return selector("lex_y_mad")(individuals, k)


def case_errors(individuals: Sequence, absolute: bool = False) -> np.ndarray:
    """Errors (individuals, cases) of DEAP's individuals, smaller being better; see the top of this module.

    For a positive weight the error is the distance to the largest value of all individuals. With `absolute`, for rules
    that judge an error by its size, a positive weight is refused.
    """
    if hasattr(individuals[0], "errors"):
        return np.abs(_matrix([individual.errors for individual in individuals], "errors"))
    values = _matrix([individual.fitness.values for individual in individuals], "fitness.values")
    maximised = np.asarray(individuals[0].fitness.weights, np.float64) > 0.0
    if maximised.shape != values.shape[1:]:
        raise ValueError(f"fitness.values: expected {maximised.size}, one per weight; got {values.shape[1]}")
    if not absolute:  # non-finite values pass no case, and must not move the others
        finite = np.where(np.isfinite(values), values, np.nan)
        largest, least = np.fmax.reduce(finite, axis=0), np.fmin.reduce(finite, axis=0)
        return np.where(maximised, largest - values, values - np.fmin(least, 0.0))
    if maximised.any() or (values < 0.0).any():
        raise ValueError("fitness: expected errors of at least 0 and negative weights for this method; got others")
    return values


def _lengths(individuals: Sequence) -> list[int]:
    """Nodes of a tree or numbers of a list; 1 for individuals without a length."""
    return [len(individual) if hasattr(individual, "__len__") else 1 for individual in individuals]


def _matrix(rows: list, what: str) -> np.ndarray:
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        raise ValueError(f"{what}: expected as many for each individual, at least one; got {sorted(map(len, rows))}")
    return np.asarray(rows, np.float64)
