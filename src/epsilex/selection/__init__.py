"""Selection: which individuals become parents. It sees errors, fitness, age and length, never a program.

The paper:

random         parents at random, the control
tournament     the fitter of two
afp            random parents, survival by age and fitness (SPEA2)
lex            lexicase: the best of the pool on each case
lex_y          epsilon-lexicase, an error of at most epsilon passes (Eq. 3)
lex_e          at most (1 + epsilon) times the population's best error passes (Eq. 2)
lex_y_mad      at most the population's median absolute deviation passes (Eq. 6)
lex_e_mad      within that deviation of the population's best error passes (Eq. 5)
lex_semi       the same with the best error of the pool (La Cava and others, 2019)
lex_dynamic    best error and deviation both of the pool

Related work of the paper:

ifs            tournaments on rewards that are shared by those who are good at a case
hardness       errors count more on cases that few of the last population solved
cosolvability  tournaments on rewards for pairs of solved cases
doc            NSGA-II's tournaments on the mean errors of clusters of cases
nsga2          fronts of fitness and length, or of a few cases; survival by the same
spea2          dominance and density of the same objectives; survival of an archive
paretogp       one parent of each pair from the front of fitness and length; cascades
alps           competition within layers of similar age, newcomers in the youngest
dss            tournaments on hard and long unused cases
interleaved    tournaments on all cases and on a single one by turns
predictors     tournaments on a few cases, which are evolved to predict the fitness
novelty        tournaments on how few others solve the same cases

Since then:

mvt            passes if in the better of two groups of the population's errors
mvt_semi       the width of the better group of the population, from the best error of the pool
mvt_dynamic    passes if in the better of two groups of the pool's errors
cohort         lexicase within pairs of cohorts of individuals and of cases
batch          lexicase on mean errors of batches of cases
truncated      lexicase on a share of the cases
toggle         lexicase in which a case counts only with some probability
leaky          lexicase that may end before any case
lexi2          lexicase, the shortest of the last survivors
double         of ten winners of lexicase one, the shorter the more likely
complementary  mates that are good where a parent by lexicase is not
dalex          least weighted error, with random weights for each parent
plexicase      drawn from approximate probabilities of lexicase
bts            tournaments on batches of cases

`select` works on any error matrix. A new method is one file with a `METHOD`, and its line in `_MODULES`. Your own
method need not be in the package, see `own`; `check_contract` tests whether it keeps to the rules. Methods with a
memory get what their last selection left behind, and the search and its checkpoints keep it.

methods, spelling, own, contract   the method class, its text form, a user's own method, the contract
rules, lexicase, mating, clusters  thresholds, the filter of the lexicase methods, pairing of parents, derived cases
sampling, cohorts, ends            options: fewer cases, random or informed; groups of both; events that end early
scores, fronts                     tournaments on a score, or on non-dominated fronts
environmental                      survival by dominance and distance, as in SPEA2
complements, duplicates            mates by complementary errors, individuals with equal errors
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from epsilex.selection import (
    afp,
    alps,
    batch,
    bts,
    cohort,
    complementary,
    contract,
    cosolvability,
    dalex,
    doc,
    double,
    dss,
    hardness,
    ifs,
    interleaved,
    leaky,
    lex,
    lex_dynamic,
    lex_e,
    lex_e_mad,
    lex_semi,
    lex_y,
    lex_y_mad,
    lexi2,
    mvt,
    mvt_dynamic,
    mvt_semi,
    novelty,
    nsga2,
    own,
    paretogp,
    plexicase,
    predictors,
    random,
    spea2,
    toggle,
    tournament,
    truncated,
)
from epsilex.selection.methods import Address, Measures, Method, Selected

__all__ = ["METHODS", "Address", "Measures", "Method", "Selected", "check_contract", "method", "select"]

_MODULES = (
    random, tournament, afp, lex, lex_y, lex_e, lex_y_mad, lex_e_mad, lex_semi, lex_dynamic, ifs, hardness,
    cosolvability, doc, nsga2, spea2, paretogp, alps, dss, interleaved, predictors, novelty, mvt, mvt_semi,
    mvt_dynamic, cohort, batch, truncated, toggle, leaky, lexi2, double, complementary, dalex, plexicase, bts,
)  # fmt: skip
_REGISTRY = {module.METHOD.id: module.METHOD for module in _MODULES}
METHODS = tuple(_REGISTRY)


def method(selection: str | Callable | Method) -> Method:
    """The method of an id, or a user's own: a `Method`, or a function of (errors, n, rng), see `own`."""
    if isinstance(selection, Method):
        return selection
    if callable(selection):
        return own.method_of(selection)
    if selection not in _REGISTRY:
        raise ValueError(f"selection: expected one of {', '.join(METHODS)}, or a function; got {selection!r}")
    return _REGISTRY[selection]


def select(
    id: str | Callable | Method, errors, n: int, rng: np.random.Generator, *, n_jobs: int = 1, fitness=None, age=None,
    length=None, memory: dict[str, np.ndarray] | None = None, **options,
) -> np.ndarray:  # fmt: skip
    """Indices of `n` parents (n,), chosen by the method `id` from errors (individuals, cases).

    Methods that use fitness, age or length (individuals,) take the given arrays; see `Measures.of`. For a method with a
    memory give the same dictionary each generation, empty at first: it holds what the method remembers.

    A non-finite error passes nothing. An individual without any finite error (for methods that use fitness: without a
    finite mean) is a parent only if everyone is like that. Options are those of the method, see
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
    measures = Measures.of(errors, fitness, age, length, memory)
    for name in ("fitness", "age", "length"):
        given = getattr(measures, name)
        if given.shape != (len(errors),):
            raise ValueError(f"{name}: expected one number per individual, {len(errors)}; got {given!r}")
    chosen = method(id)
    check_options(chosen, options)
    found = chosen.parents(measures, n, Address(int(rng.integers(2**63)), 0), n_jobs, **options)
    if memory is not None:
        memory.clear()
        memory.update(found.memory)
    return found.parents


def check_contract(id: str | Callable | Method, **options) -> None:
    """Raise an AssertionError unless the method keeps the contract of all methods, see `contract.check`."""
    contract.check(method(id), **options)


def check_options(chosen: Method, options: Mapping) -> None:
    """Raise a ValueError for an option the method does not have."""
    unknown = sorted(map(str, set(options) - set(chosen.options)))
    if unknown:
        known = ", ".join(chosen.options) or "none"
        raise ValueError(f"options of {chosen.id}: expected {known}; got {', '.join(unknown)}")
