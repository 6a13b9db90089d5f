"""The lexicase filter behind seven methods: a rule is a threshold, `scale * best_error + width`, on each case.

Spector, "Assessment of problem modality by differential performance of lexicase selection" (2012); La Cava, Spector,
Danai, "Epsilon-lexicase selection for regression" (2016), Section 2, steps 1 to 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from epsilex.selection.methods import Address, Method, Selected, generator

OPTIONS = ("pool_size", "neighbourhood", "case_order", "downsample")


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table of rules.

    scale  factor of the best error
    best   its scope: "population", "pool", or None where the rule has no best error
    width  "fixed" (epsilon), "population" or "pool": the MAD over it
    """

    scale: float = 1.0
    best: str | None = "population"
    width: str = "fixed"
    epsilon: float = 0.0

    @property
    def pooled(self) -> bool:
        return "pool" in (self.best, self.width)


def lexicase_method(id: str, label: str, rule: Rule, relative: bool = False) -> Method:
    """A method from its rule; a fixed width takes an `epsilon` option, `relative` to the best error or absolute."""
    has_epsilon = relative or rule.epsilon > 0.0
    options = OPTIONS + (("epsilon",) if has_epsilon else ())
    return Method(id, label, partial(parents, rule=rule, relative=relative), options=options)


def parents(
    errors: np.ndarray,
    fitness: np.ndarray,
    n: int,
    address: Address,
    n_jobs: int = 1,
    *,
    rule: Rule,
    relative: bool = False,
    epsilon: float | None = None,
    pool_size: int | None = None,
    neighbourhood: int | None = None,
    case_order: str = "uniform",
    downsample: float | int | None = None,
) -> Selected:
    """`n` parents by lexicase selection on errors (individuals, cases).

    Parameters
    ----------
    epsilon : float, optional
        Overrides the rule's fixed width.
    pool_size : int, optional
        Each event begins with so many individuals drawn at random, not with the whole population.
    neighbourhood : int, optional
        Each event begins with the individuals at most so many places away on a ring from its own place.
    case_order : {"uniform", "difficulty"}
        Cases are drawn uniformly, or with probability in proportion to how few individuals pass them.
    downsample : float or int, optional
        Only this share (below 1), or this number, of the cases is used, drawn anew each time.
    """
    from epsilex.kernels import lexicase, slices

    rule = _with_epsilon(rule, relative, epsilon)
    cases = _drawn_cases(errors.shape[1], downsample, address)
    living = np.flatnonzero(_alive(errors, fitness))
    e = np.empty((len(cases), len(living)), errors.dtype)
    slices.run(lambda a, b: lexicase.case_major(errors, living, cases, e, a, b), len(cases), n_jobs)
    numbers = (
        rule.scale,
        {None: lexicase.NO_BEST, "population": lexicase.POPULATION, "pool": lexicase.POOL}[rule.best],
        {"fixed": lexicase.FIXED, "population": lexicase.MAD_POPULATION, "pool": lexicase.MAD_POOL}[rule.width],
        rule.epsilon,
    )
    chosen, used = np.empty(n, np.int64), np.empty(n, np.int64)
    kernel = lexicase.select_pooled if rule.pooled else lexicase.select_static
    cumulative = _case_weights(e, numbers, case_order, n_jobs)
    pool, ring = _at_least_one("pool_size", pool_size), _at_least_one("neighbourhood", neighbourhood)

    def events(first: int, last: int) -> None:
        kernel(
            e, living, len(errors), *numbers, cumulative, pool, ring,
            np.uint64(address.seed), address.generation, 1, n, chosen, used, first, last,
        )  # fmt: skip

    slices.run(events, n, n_jobs)
    return Selected(living[chosen], used / len(cases))


def _alive(errors: np.ndarray, fitness: np.ndarray) -> np.ndarray:
    """Who can pass a case at all: those with a finite error; everyone where nobody has one. (individuals,) bool"""
    living = np.isfinite(fitness)
    doubtful = np.flatnonzero(~living)
    living[doubtful] = np.isfinite(errors[doubtful]).any(axis=1)
    return living if living.any() else ~living


def _with_epsilon(rule: Rule, relative: bool, epsilon: float | None) -> Rule:
    if epsilon is None:
        return rule
    if not (np.isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon: expected a finite number of at least 0; got {epsilon}")
    return replace(rule, scale=1.0 + epsilon) if relative else replace(rule, epsilon=float(epsilon))


def _at_least_one(name: str, value: int | None) -> int:
    """0 where the option is not given."""
    if value is None:
        return 0
    if value < 1:
        raise ValueError(f"{name}: expected at least 1; got {value}")
    return int(value)


def _drawn_cases(n_cases: int, downsample: float | int | None, address: Address) -> np.ndarray:
    """The cases of this selection, ascending."""
    if downsample is None:
        return np.arange(n_cases)
    if not downsample > 0:
        raise ValueError(f"downsample: expected a share above 0 and below 1, or a number of cases; got {downsample}")
    wanted = round(downsample * n_cases) if downsample < 1 else int(downsample)
    wanted = min(max(1, wanted), n_cases)
    return np.sort(generator(address, 2).choice(n_cases, size=wanted, replace=False))


def _case_weights(e, numbers, case_order: str, n_jobs: int) -> np.ndarray:
    """Cumulative weights of the cases for a draw by difficulty; empty for a uniform one."""
    from epsilex.kernels import lexicase, slices

    if case_order == "uniform":
        return np.empty(0)
    if case_order != "difficulty":
        raise ValueError(f"case_order: expected 'uniform' or 'difficulty'; got {case_order!r}")
    counts = np.empty(len(e), np.int64)
    slices.run(lambda a, b: lexicase.pass_counts(e, *numbers, counts, a, b), len(e), n_jobs)
    return np.cumsum(1.0 - counts / (e.shape[1] + 1.0))
