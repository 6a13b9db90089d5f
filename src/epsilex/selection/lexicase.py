"""The lexicase filter behind seven methods: a rule is a threshold, `scale * best_error + width`, on each case.

Spector, "Assessment of problem modality by differential performance of lexicase selection" (2012); La Cava, Spector,
Danai, "Epsilon-lexicase selection for regression" (2016), Section 2, steps 1 to 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real

import numpy as np

from epsilex.selection.clusters import derived_errors, labels
from epsilex.selection.mating import DEPTH, KINDS, paired
from epsilex.selection.methods import Address, Measures, Method, Selected, generator

OPTIONS = ("pool_size", "neighbourhood", "case_order", "downsample", "clusters", "mating")
CASE_ORDERS = ("uniform", "difficulty", "easiness")


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
    measures: Measures,
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
    clusters: int | None = None,
    mating: str = "random",
) -> Selected:
    """`n` parents by lexicase selection.

    Parameters
    ----------
    epsilon : float, optional
        Overrides the rule's fixed width.
    pool_size : int, optional
        Each event begins with this number of individuals drawn at random, not with the whole population.
    neighbourhood : int, optional
        Each event begins with the individuals at most this many places away from its own place on a ring.
    case_order : {"uniform", "difficulty", "easiness"}
        Cases are drawn uniformly, or with probability proportional to how few, or how many, individuals pass them.
    downsample : float or int, optional
        Use only this share (below 1), or this number, of the cases, drawn again each time.
    clusters : int, optional
        Use this number of clusters of cases, by who passes them, instead of cases; see `clusters`.
    mating : {"random", "similar", "different"}
        Parents mate in the order of selection, or with those selected by similar or by different cases; see `mating`.
    """
    rule = _with_epsilon(rule, relative, epsilon)
    _one_of("case_order", case_order, CASE_ORDERS)
    _one_of("mating", mating, KINDS)
    errors, fitness = measures.errors, measures.fitness
    if clusters is not None:
        errors = _clustered(errors, fitness, rule, _at_least_one("clusters", clusters), address, n_jobs)
    cases = _drawn_cases(errors.shape[1], downsample, address)
    living = np.flatnonzero(_alive(errors, fitness))
    pools = (
        (living, len(errors)),
        (_at_least_one("pool_size", pool_size), _at_least_one("neighbourhood", neighbourhood)),
    )
    run = _pooled if rule.pooled else _static
    chosen, used, cumulative = run(errors, living, cases, rule, case_order, pools, n, address, n_jobs)
    if mating != "random":
        orders = _orders(pools, cumulative, len(cases), used, DEPTH, address)
        mates = paired(chosen, orders, len(cases), mating)
        chosen, used = chosen[mates], used[mates]
    return Selected(living[chosen], used / len(cases))


def _orders(pools, cumulative, n_cases: int, used: np.ndarray, depth: int, address: Address) -> np.ndarray:
    """The first cases of each event, (events, depth), -1 after the last case used."""
    from epsilex.kernels.orders import case_orders

    orders = np.empty((len(used), depth), np.int64)
    places, limits = pools
    case_orders(
        *places, cumulative, n_cases, *limits, np.uint64(address.seed), address.generation, 1, len(used), used, orders
    )
    return orders


def _clustered(errors, fitness, rule: Rule, k: int, address: Address, n_jobs: int) -> np.ndarray:
    """Errors on clusters of cases, (individuals, clusters)."""
    living = np.flatnonzero(_alive(errors, fitness))
    passing = _pass_bits(errors, living, np.arange(errors.shape[1]), _over_population(rule), n_jobs)[0]
    passes = np.unpackbits(passing.view(np.uint8), axis=1, count=len(living), bitorder="little")
    return derived_errors(errors, labels(passes, k, generator(address, 3)))


def _static(errors, living, cases, rule: Rule, case_order: str, pools, n: int, address: Address, n_jobs: int):
    """Events on pass/fail bits, with thresholds over the population."""
    from epsilex.kernels import lexicase, slices

    bits, verdicts = _pass_bits(errors, living, cases, rule, n_jobs)
    cumulative = _case_weights(bits, len(living), case_order)
    chosen, used = np.empty(n, np.int64), np.empty(n, np.int64)
    places, limits = pools

    def events(first: int, last: int) -> None:
        lexicase.select_static(
            bits, verdicts, *places, cumulative, *limits, np.uint64(address.seed), address.generation, 1, n, chosen,
            used, first, last,
        )  # fmt: skip

    slices.run(events, n, n_jobs)
    return chosen, used, cumulative


def _pooled(errors, living, cases, rule: Rule, case_order: str, pools, n: int, address: Address, n_jobs: int):
    """Events on errors, with the best error or the MAD over the pool; difficulty is always over the population."""
    from epsilex.kernels import lexicase, passing, slices

    e = np.empty((len(cases), len(living)), errors.dtype)
    passing.case_major(errors, living, cases, e)
    cumulative = np.empty(0)
    if case_order != "uniform":
        bits = _pass_bits(errors, living, cases, _over_population(rule), n_jobs)[0]
        cumulative = _case_weights(bits, len(living), case_order)
    chosen, used = np.empty(n, np.int64), np.empty(n, np.int64)
    places, limits = pools

    def events(first: int, last: int) -> None:
        lexicase.select_pooled(
            e, *places, *_numbers(rule), cumulative, *limits, np.uint64(address.seed), address.generation, 1, n, chosen,
            used, first, last,
        )  # fmt: skip

    slices.run(events, n, n_jobs)
    return chosen, used, cumulative


def _pass_bits(errors, living, cases, rule: Rule, n_jobs: int) -> tuple[np.ndarray, np.ndarray]:
    """Who passes which case: per case, 64 individuals per word (cases, words); and per individual, 64 cases per word
    (individuals, tiles)."""
    from epsilex.kernels import passing, slices

    words, tiles = -(-len(living) // 64), -(-len(cases) // passing.TILE)
    bits, verdicts = np.empty((len(cases), words), np.uint64), np.empty((words * 64, tiles), np.uint64)
    slices.run(
        lambda a, b: passing.pass_bits(errors, living, cases, *_numbers(rule), bits, verdicts, a, b), tiles, n_jobs
    )
    return bits, verdicts


def _numbers(rule: Rule) -> tuple[float, int, int, float]:
    """The rule as the kernels read it."""
    from epsilex.kernels import passing

    best = {None: passing.NO_BEST, "population": passing.POPULATION, "pool": passing.POOL}[rule.best]
    width = {"fixed": passing.FIXED, "population": passing.MAD_POPULATION, "pool": passing.MAD_POOL}[rule.width]
    return rule.scale, best, width, rule.epsilon


def _over_population(rule: Rule) -> Rule:
    """The rule with its best error and width over the population instead of the pool."""
    best = None if rule.best is None else "population"
    return replace(rule, best=best, width="fixed" if rule.width == "fixed" else "population")


def _case_weights(bits: np.ndarray, n: int, case_order: str) -> np.ndarray:
    """Cumulative weights of the cases, empty if all are equal: the weight of a case is the share of individuals that
    fail it, or pass it."""
    if case_order == "uniform":
        return np.empty(0)
    passing = np.bitwise_count(bits).sum(axis=1)
    failing = 1.0 - passing / (n + 1.0)
    return np.cumsum(failing if case_order == "difficulty" else 1.0 + 1.0 / (n + 1.0) - failing)


def _alive(errors: np.ndarray, fitness: np.ndarray) -> np.ndarray:
    """(individuals,) bool: who can pass a case: those with a finite error, or everyone if nobody has one."""
    living = np.isfinite(fitness)
    doubtful = np.flatnonzero(~living)
    living[doubtful] = np.isfinite(errors[doubtful]).any(axis=1)
    return living if living.any() else ~living


def _with_epsilon(rule: Rule, relative: bool, epsilon: float | None) -> Rule:
    if epsilon is None:
        return rule
    if not (isinstance(epsilon, Real) and np.isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon: expected a finite number of at least 0; got {epsilon}")
    return replace(rule, scale=1.0 + epsilon) if relative else replace(rule, epsilon=float(epsilon))


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}: expected one of {', '.join(allowed)}; got {value!r}")


def _at_least_one(name: str, value: int | None) -> int:
    """0 if the option is not given."""
    if value is None:
        return 0
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name}: expected an integer of at least 1; got {value!r}")
    return int(value)


def _drawn_cases(n_cases: int, downsample: float | int | None, address: Address) -> np.ndarray:
    """The cases of this selection, ascending."""
    if downsample is None:
        return np.arange(n_cases)
    if not (isinstance(downsample, Real) and 0 < downsample < np.inf):
        raise ValueError(f"downsample: expected a share above 0 and below 1, or a number of cases; got {downsample!r}")
    wanted = round(downsample * n_cases) if downsample < 1 else int(downsample)
    wanted = min(max(1, wanted), n_cases)
    return np.sort(generator(address, 2).choice(n_cases, size=wanted, replace=False))
