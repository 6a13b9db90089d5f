"""Selection: which individuals become parents. It sees errors, fitness and age, never a program.

random       parents at random, the control
tournament   the fitter of two
afp          random parents, survival by age and fitness (SPEA2)
lex          lexicase: the best of the pool on each case
lex_y        epsilon-lexicase, an error of at most epsilon passes (Eq. 3)
lex_e        at most (1 + epsilon) times the population's best error passes (Eq. 2)
lex_y_mad    at most the population's median absolute deviation passes (Eq. 6)
lex_e_mad    within that deviation of the population's best error passes (Eq. 5)
lex_semi     the same with the best error of the pool (La Cava and others, 2019)
lex_dynamic  best error and deviation both of the pool

`select` works on anyone's errors. A new method is one file with a `METHOD`, and its line in `_MODULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from epsilex.selection import (
    afp,
    lex,
    lex_dynamic,
    lex_e,
    lex_e_mad,
    lex_semi,
    lex_y,
    lex_y_mad,
    random,
    tournament,
)
from epsilex.selection.methods import Address, Method, Selected

__all__ = ["METHODS", "PAPER_METHODS", "Address", "Method", "Selected", "method", "select"]

_MODULES = (random, tournament, afp, lex, lex_y, lex_e, lex_y_mad, lex_e_mad, lex_semi, lex_dynamic)
_REGISTRY = {module.METHOD.id: module.METHOD for module in _MODULES}
METHODS = tuple(_REGISTRY)
PAPER_METHODS = METHODS[:8]


def method(selection: str | Callable) -> Method:
    """The method of an id, or one around a function of (errors, n, rng) that returns indices of parents."""
    if callable(selection):
        return _own_method(selection)
    if selection not in _REGISTRY:
        raise ValueError(f"selection: expected one of {', '.join(METHODS)}, or a function; got {selection!r}")
    return _REGISTRY[selection]


def select(id: str | Callable, errors, n: int, rng: np.random.Generator, *, n_jobs: int = 1, **options) -> np.ndarray:
    """Indices of `n` parents (n,), chosen by the method `id` from errors (individuals, cases).

    A non-finite error passes nothing. An individual without any finite error, or for the methods that go by fitness
    without a finite mean, is a parent only where everyone is like that. Options are those of the method, see
    `epsilex.selection.lexicase.parents`.
    """
    errors = np.asarray(errors)
    if errors.ndim != 2 or 0 in errors.shape or errors.dtype.kind not in "fiub":
        raise ValueError(
            f"errors: expected numbers of shape (individuals, cases), at least one of each; got {errors.dtype} "
            f"of shape {errors.shape}"
        )
    if (errors < 0).any():
        raise ValueError(f"errors: expected absolute errors, at least 0; got {errors[errors < 0].min()}")
    if n < 0:
        raise ValueError(f"n: expected at least 0; got {n}")
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng: expected a numpy.random.Generator; got {rng!r}")
    errors = np.ascontiguousarray(errors, np.float32 if errors.dtype == np.float32 else np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        fitness = errors.mean(axis=1, dtype=np.float64)
    chosen = method(id)
    check_options(chosen, options)
    return chosen.parents(errors, fitness, n, Address(int(rng.integers(2**63)), 0), n_jobs, **options).parents


def check_options(chosen: Method, options: Mapping) -> None:
    """Raise a ValueError for an option the method does not have."""
    unknown = sorted(map(str, set(options) - set(chosen.options)))
    if unknown:
        known = ", ".join(chosen.options) or "none"
        raise ValueError(f"options of {chosen.id}: expected {known}; got {', '.join(unknown)}")


def _own_method(function: Callable) -> Method:
    name = getattr(function, "__name__", "own")

    def parents(errors, fitness, n, address, n_jobs=1) -> Selected:
        from epsilex.selection.methods import generator

        chosen = np.asarray(function(errors, n, generator(address, 0)))
        if (
            chosen.shape != (n,)
            or chosen.dtype.kind not in "iu"
            or (n and not 0 <= chosen.min() <= chosen.max() < len(errors))
        ):
            raise ValueError(f"selection {name}: expected {n} indices below {len(errors)}; got {chosen!r}")
        return Selected(chosen, np.zeros(n))

    return Method(name, name, parents)
