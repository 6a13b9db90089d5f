"""The lexicase filter behind the methods `lex` to `complementary`: a rule on each case, and options for the events.

Spector, "Assessment of problem modality by differential performance of lexicase selection" (2012); La Cava, Spector,
Danai, "Epsilon-lexicase selection for regression" (2016), Section 2, steps 1 to 4. The options cite their sources in
the methods that are named after them: `cohort`, `batch`, `truncated`, `toggle`, `leaky`, `lexi2`, `complementary`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from epsilex.selection import ends
from epsilex.selection.clusters import derived_errors, labels
from epsilex.selection.cohorts import in_cohorts
from epsilex.selection.complements import complemented
from epsilex.selection.mating import DEPTH, KINDS, paired
from epsilex.selection.methods import Address, Measures, Method, Selected, at_least_one, generator, one_of
from epsilex.selection.rules import Rule, case_major, known_of_cases, pass_bits, passes, with_finite_error
from epsilex.selection.sampling import drawn_cases

OPTIONS = (
    "pool_size", "neighbourhood", "case_order", "downsample", "informed", "clusters", "cohorts", "batch", "truncate",
    "toggle", "slip", "complexity", "mating",
)  # fmt: skip
CASE_ORDERS = ("uniform", "difficulty", "easiness")
COMPLEXITY = ("shuffled", "first", "last")
MATINGS = (*KINDS, "complementary")
CLUSTERS = 3  # purpose


class Ends(NamedTuple):
    """When and how events end.

    most    (events,) cases that each may use
    ties    (individuals,) of the last survivors those with the least win; empty: any of them
    placed  1 if the last case comes first in every event, else 0
    """

    most: np.ndarray
    ties: np.ndarray
    placed: int = 0


def lexicase_method(id: str, label: str, rule: Rule, relative: bool = False, **preset: Any) -> Method:
    """A method from its rule; a fixed width takes an `epsilon` option, `relative` to the best error or absolute.

    `preset` are options with another default than `parents` has.
    """
    has_epsilon = relative or rule.epsilon > 0.0
    options = OPTIONS + (("epsilon",) if has_epsilon else ())
    chosen = partial(parents, rule=rule, relative=relative, **preset)
    return Method(id, label, chosen, options=options, absolute=relative or rule.best is None)


@in_cohorts
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
    informed: bool = False,
    clusters: int | None = None,
    batch: int | None = None,
    truncate: float | str | None = None,
    toggle: float | None = None,
    slip: float | None = None,
    complexity: str | None = None,
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
    downsample, informed : float or int, optional; bool
        Use only this share (below 1), or this number, of the cases, drawn again each time; see `sampling`.
    clusters : int, optional
        Use this number of clusters of cases, by who passes them, instead of cases; see `clusters`.
    cohorts : int, optional
        Split individuals and cases into this number of cohorts, and select within pairs of them; see `cohort`.
    batch : int, optional
        Judge by the mean error on batches of this number of cases; see `batch`.
    truncate, toggle, slip : optional
        Events end after a share of the cases, or a random number of them; see `ends`.
    complexity : {"shuffled", "first", "last"}, optional
        The length is one more case, among the others or before them; or the shortest of the last survivors wins.
    mating : {"random", "similar", "different", "complementary"}
        Parents mate in the order of selection, with those selected by similar or by different cases, see `mating`; or
        with those that are good where they are not, see `complementary`.
    """
    rule = rule.with_epsilon(relative, epsilon)
    one_of("case_order", case_order, CASE_ORDERS)
    one_of("mating", mating, MATINGS)
    if complexity is not None:
        one_of("complexity", complexity, COMPLEXITY)
    limits = at_least_one("pool_size", pool_size), at_least_one("neighbourhood", neighbourhood)
    if complexity == "first" and case_order != "uniform":
        raise ValueError(f"case_order: expected 'uniform' with complexity='first'; got {case_order!r}")
    errors, fitness = measures.errors, measures.fitness
    if clusters is not None:
        errors = _clustered(errors, fitness, rule, at_least_one("clusters", clusters), address, n_jobs)
        measures = Measures(errors, fitness, measures.age, measures.length, measures.memory)
    cases, memory = drawn_cases(measures, downsample, informed, address, n_jobs)
    living = np.flatnonzero(with_finite_error(errors, fitness))
    if complexity in ("shuffled", "first"):
        cases = np.append(cases, errors.shape[1])
        errors = np.column_stack([errors, measures.length.astype(errors.dtype)])
    most = ends.cases_at_most(n, len(cases), truncate, toggle, slip, address)
    ties = measures.length[living] if complexity == "last" else np.empty(0, np.int64)
    end = Ends(most, ties, int(complexity == "first"))
    pools = (living, len(errors)), limits
    run: Callable = _pooled if rule.pooled else _static
    if batch is not None:
        run = partial(_batched, size=at_least_one("batch", batch))
    chosen, used, cumulative = run(errors, living, cases, rule, case_order, pools, n, address, n_jobs, end)
    if mating in ("similar", "different"):
        orders = _orders(pools, cumulative, len(cases), used, DEPTH, address, end.placed)
        mates = paired(chosen, orders, len(cases), mating)
        chosen, used = chosen[mates], used[mates]
    chosen = living[chosen]
    if mating == "complementary":
        chosen = complemented(chosen, measures, address, n_jobs)
    return Selected(chosen, used / len(cases), memory)


def _orders(pools, cumulative, n_cases: int, used: np.ndarray, depth: int, address: Address, placed: int = 0):
    """The first cases of each event, (events, depth), -1 after the last case used."""
    from epsilex.kernels.orders import case_orders

    orders = np.empty((len(used), depth), np.int64)
    places, limits = pools
    case_orders(
        *places, cumulative, n_cases, *limits, placed, np.uint64(address.seed), address.generation, 1, len(used), used,
        orders,
    )  # fmt: skip
    return orders


def _clustered(errors, fitness, rule: Rule, k: int, address: Address, n_jobs: int) -> np.ndarray:
    """Errors on clusters of cases, (individuals, clusters)."""
    living = np.flatnonzero(with_finite_error(errors, fitness))
    return derived_errors(errors, labels(passes(errors, living, rule, n_jobs), k, generator(address, CLUSTERS)))


def _static(errors, living, cases, rule: Rule, case_order: str, pools, n, address: Address, n_jobs: int, end=None):
    """Events on pass/fail bits, with thresholds over the population."""
    from epsilex.kernels import lexicase, slices

    bits, verdicts = pass_bits(errors, living, cases, rule, n_jobs)
    cumulative = _case_weights(bits, len(living), case_order)
    chosen, used = np.empty(n, np.int64), np.empty(n, np.int64)
    places, limits = pools
    end = end or _all_cases(n, len(cases))

    def events(first: int, last: int) -> None:
        lexicase.select_static(
            bits, verdicts, *places, cumulative, *limits, *end, np.uint64(address.seed), address.generation, 1, n,
            chosen, used, first, last,
        )  # fmt: skip

    slices.run(events, n, n_jobs)
    return chosen, used, cumulative


def _pooled(errors, living, cases, rule: Rule, case_order: str, pools, n, address: Address, n_jobs: int, end: Ends):
    """Events on errors, with the best error or the width over the pool; difficulty is always over the population."""
    from epsilex.kernels import lexicase, slices

    e = case_major(errors, living, cases)
    known = known_of_cases(e, rule)
    cumulative = _weights(errors, living, cases, rule, case_order, n_jobs)
    chosen, used = np.empty(n, np.int64), np.empty(n, np.int64)
    places, limits = pools

    def events(first: int, last: int) -> None:
        lexicase.select_pooled(
            e, *places, *rule.numbers(), *known, cumulative, *limits, *end, np.uint64(address.seed), address.generation,
            1, n, chosen, used, first, last,
        )  # fmt: skip

    slices.run(events, n, n_jobs)
    return chosen, used, cumulative


def _batched(
    errors, living, cases, rule: Rule, case_order: str, pools, n, address: Address, n_jobs: int, end: Ends, size: int
):
    """Events on batches of cases."""
    from epsilex.kernels import batches, slices

    e = np.ascontiguousarray(case_major(errors, living, cases).T)
    cumulative = _weights(errors, living, cases, rule, case_order, n_jobs)
    chosen, used = np.empty(n, np.int64), np.empty(n, np.int64)
    places, limits = pools

    def events(first: int, last: int) -> None:
        batches.select_batches(
            e, *places, *rule.numbers(), cumulative, *limits, *end, min(size, len(cases)), np.uint64(address.seed),
            address.generation, 1, n, chosen, used, first, last,
        )  # fmt: skip

    slices.run(events, n, n_jobs)
    return chosen, used, cumulative


def _all_cases(n: int, n_cases: int) -> Ends:
    return Ends(np.full(n, n_cases), np.empty(0, np.int64))


def _weights(errors, living, cases, rule: Rule, case_order: str, n_jobs: int) -> np.ndarray:
    if case_order == "uniform":
        return np.empty(0)
    return _case_weights(pass_bits(errors, living, cases, rule.over_population(), n_jobs)[0], len(living), case_order)


def _case_weights(bits: np.ndarray, n: int, case_order: str) -> np.ndarray:
    """Cumulative weights of the cases, empty if all are equal: the weight of a case is the share of individuals that
    fail it, or pass it."""
    if case_order == "uniform":
        return np.empty(0)
    passing = np.bitwise_count(bits).sum(axis=1)
    failing = 1.0 - passing / (n + 1.0)
    return np.cumsum(failing if case_order == "difficulty" else 1.0 + 1.0 / (n + 1.0) - failing)
