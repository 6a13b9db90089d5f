"""The table of lexicase rules: a rule is a threshold on each case, `scale * best_error + width`; and who passes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from epsilex.selection.methods import Measures


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table of rules.

    scale   factor of the best error
    best    its scope: "population", "pool", or None where the rule has no best error
    width   "fixed" (epsilon), "population" or "pool": the spread of the errors over it
    spread  "mad", or "split": the distance from the best error to the split of least variance, see `mvt`
    """

    scale: float = 1.0
    best: str | None = "population"
    width: str = "fixed"
    epsilon: float = 0.0
    spread: str = "mad"

    @property
    def pooled(self) -> bool:
        return "pool" in (self.best, self.width)

    def numbers(self) -> tuple[float, int, int, float]:
        """The rule as the kernels read it."""
        from epsilex.kernels import passing

        best = {None: passing.NO_BEST, "population": passing.POPULATION, "pool": passing.POOL}[self.best]
        if self.width == "fixed":
            width = passing.FIXED
        elif self.spread == "split":
            width = passing.SPLIT_POPULATION if self.width == "population" else passing.SPLIT_POOL
        else:
            width = passing.MAD_POPULATION if self.width == "population" else passing.MAD_POOL
        return self.scale, best, width, self.epsilon

    def over_population(self) -> Rule:
        """The rule with its best error and width over the population instead of the pool."""
        best = None if self.best is None else "population"
        return replace(self, best=best, width="fixed" if self.width == "fixed" else "population")

    def with_epsilon(self, relative: bool, epsilon: float | None) -> Rule:
        """The rule with another fixed width, `relative` to the best error or absolute; None: as it is."""
        if epsilon is None:
            return self
        if not (isinstance(epsilon, Real) and np.isfinite(epsilon) and epsilon >= 0):
            raise ValueError(f"epsilon: expected a finite number of at least 0; got {epsilon}")
        return replace(self, scale=1.0 + epsilon) if relative else replace(self, epsilon=float(epsilon))


EPSILON = Rule(width="population")  # Eq. 5 of the paper: what `solved` means where errors are continuous


def pass_bits(errors, living, cases, rule: Rule, n_jobs: int) -> tuple[np.ndarray, np.ndarray]:
    """Who passes which case, by thresholds over the population: per case, 64 individuals per word (cases, words); and
    per individual, 64 cases per word (individuals, tiles)."""
    from epsilex.kernels import passing, slices

    words, tiles = -(-len(living) // 64), -(-len(cases) // passing.TILE)
    if rule.spread == "split":
        passed = _split_passes(errors, living, cases)
        return _packed(passed, words), _packed(_padded(passed.T, words * 64), tiles)
    bits, verdicts = np.empty((len(cases), words), np.uint64), np.empty((words * 64, tiles), np.uint64)
    slices.run(
        lambda a, b: passing.pass_bits(errors, living, cases, *rule.numbers(), bits, verdicts, a, b), tiles, n_jobs
    )
    return bits, verdicts


def passes(errors, living, rule: Rule = EPSILON, n_jobs: int = 1) -> np.ndarray:
    """Who passes which case, (cases, living individuals) uint8 of 0 and 1, by thresholds over the population."""
    bits = pass_bits(errors, living, np.arange(errors.shape[1]), rule.over_population(), n_jobs)[0]
    return np.unpackbits(bits.view(np.uint8), axis=1, count=len(living), bitorder="little")


def solved(measures: Measures, n_jobs: int = 1) -> np.ndarray:
    """Who solves which case, (individuals, cases) float32 of 0 and 1: an error within the population's MAD of its best
    (Eq. 5). Those without a finite error solve nothing, unless nobody has one."""
    living = np.flatnonzero(with_finite_error(measures.errors, measures.fitness))
    found = np.zeros(measures.errors.shape, np.float32)
    found[living] = passes(measures.errors, living, EPSILON, n_jobs).T
    return found


def with_finite_error(errors: np.ndarray, fitness: np.ndarray) -> np.ndarray:
    """(individuals,) bool: who can pass a case: those with a finite error, or everyone if nobody has one."""
    living = np.isfinite(fitness)
    doubtful = np.flatnonzero(~living)
    living[doubtful] = np.isfinite(errors[doubtful]).any(axis=1)
    return living if living.any() else ~living


def case_major(errors: np.ndarray, living: np.ndarray, cases: np.ndarray) -> np.ndarray:
    """Errors (cases, living individuals)."""
    from epsilex.kernels import passing

    e = np.empty((len(cases), len(living)), errors.dtype)
    passing.case_major(errors, living, cases, e)
    return e


def split_limits(ascending: np.ndarray) -> np.ndarray:
    """The split of each case over everyone, (cases,), NaN where no error is finite; from ascending rows of errors."""
    from epsilex.kernels import splitting

    limits = np.empty(len(ascending), ascending.dtype)
    splitting.split_limits(ascending, limits)
    return limits


def known_of_cases(e: np.ndarray, rule: Rule) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What spares the kernel of pooled rules much of its work under split rules, see `select_pooled`; empty for others.

    NumPy sorts all cases many times faster than a kernel sorts one after another.
    """
    no_bits, no_order = np.empty((0, 0), np.uint64), np.empty((0, 0), np.int64)
    if rule.spread != "split":
        return np.empty(0, e.dtype), no_bits, no_order
    if rule.width == "pool":
        order = np.argsort(e, axis=1)
        return split_limits(np.take_along_axis(e, order, axis=1)), no_bits, order
    limits = split_limits(np.sort(e, axis=1))
    least = np.min(e, axis=1, where=np.isfinite(e), initial=np.inf)
    with np.errstate(invalid="ignore"):
        widths = np.where(np.isfinite(limits), limits - least, 0.0).astype(e.dtype)
        within = e <= (least + widths)[:, None]  # as the kernel adds them up
    return widths, _packed(within, -(-e.shape[1] // 64)), no_order


def _split_passes(errors, living, cases) -> np.ndarray:
    e = case_major(errors, living, cases)
    return e <= split_limits(np.sort(e, axis=1))[:, None]


def _padded(passed: np.ndarray, rows: int) -> np.ndarray:
    return np.concatenate([passed, np.zeros((rows - len(passed), passed.shape[1]), bool)])


def _packed(passed: np.ndarray, words: int) -> np.ndarray:
    """Rows of bool as rows of 64-bit words."""
    packed = np.zeros((len(passed), words * 8), np.uint8)
    some = np.packbits(passed, axis=1, bitorder="little")
    packed[:, : some.shape[1]] = some
    return packed.view(np.uint64)
