"""Down-sampling: a selection that sees only some of the cases, drawn at random or so that they differ.

Random: Hernandez, Lalejini, Dolson, Ofria, "Random subsampling improves performance in lexicase selection", GECCO
Companion (2019); Helmuth, Spector, "Problem-solving benefits of down-sampled lexicase selection", Artificial Life 27
(2022).

Informed: Boldi, Briesch, Sobania, Lalejini, Helmuth, Rothlauf, Ofria, Spector, "Informed down-sampled lexicase
selection: identifying productive training cases for efficient problem solving", Evolutionary Computation 32 (2024).
Cases are far apart if different individuals solve them; a sample is a farthest-first traversal. The authors solve
cases exactly and evaluate few individuals on all cases now and then. Here an individual solves a case if its error is
within the population's MAD of the best (Eq. 5), which is our choice for continuous errors. Of the share of individuals
(0.01) and the interval (10 generations) only the former is one of the authors' values that we could check.

The engine measures all children on all cases, so a sample saves time in selection only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from numbers import Real
from typing import Any

import numpy as np

from epsilex.selection.methods import Address, Measures, Memory, Selected, generator
from epsilex.selection.rules import passes, with_finite_error

OPTIONS = ("downsample", "informed")
SHARE = 0.01  # of the individuals, at least LEAST of them: whose passes tell cases apart
LEAST = 10
EVERY = 10  # generations between two profiles of the cases
SAMPLE, FARTHEST, WHO = 2, 4, 5  # purposes


def sampled(parents: Callable[..., Selected]) -> Callable[..., Selected]:
    """A parent rule with the options `downsample` and `informed`: fitness and errors are those on the sample."""

    @wraps(parents)
    def sampling(
        measures: Measures, n: int, address: Address, n_jobs: int = 1, *, downsample: float | int | None = None,
        informed: bool = False, **options: Any,
    ) -> Selected:  # fmt: skip
        cases, memory = drawn_cases(measures, downsample, informed, address, n_jobs)
        if downsample is not None:
            measures = measures.on(cases)
        found = parents(measures, n, address, n_jobs, **options)
        return found._replace(memory={**found.memory, **memory})

    return sampling


def drawn_cases(
    measures: Measures, downsample: float | int | None, informed: bool, address: Address, n_jobs: int = 1
) -> tuple[np.ndarray, Memory]:
    """The cases of this selection, ascending, and what to remember for the next."""
    n_cases = measures.errors.shape[1]
    if not isinstance(informed, (bool, np.bool_)):
        raise ValueError(f"informed: expected True or False; got {informed!r}")
    if downsample is None:
        if informed:
            raise ValueError("informed: expected False without downsample; got True")
        return np.arange(n_cases), {}
    if not (isinstance(downsample, Real) and 0 < downsample < np.inf):
        raise ValueError(f"downsample: expected a share above 0 and below 1, or a number of cases; got {downsample!r}")
    wanted = round(downsample * n_cases) if downsample < 1 else int(downsample)
    wanted = min(max(1, wanted), n_cases)
    if not informed:
        return np.sort(generator(address, SAMPLE).choice(n_cases, size=wanted, replace=False)), {}
    found = _profiles(measures, address, n_jobs)
    return farthest_first(found, wanted, generator(address, FARTHEST)), {"profiles": found}


def farthest_first(profiles: np.ndarray, wanted: int, rng: np.random.Generator) -> np.ndarray:
    """`wanted` cases, ascending: the first at random, then each the farthest from its nearest case so far.

    profiles (cases, individuals) 0 and 1; distances are Hamming's; of equally far cases one at random.
    """
    order = rng.permutation(len(profiles))
    shuffled = profiles[order]
    nearest = np.full(len(order), profiles.shape[1] + 1)
    chosen = []
    for _ in range(wanted):
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, (shuffled != shuffled[chosen[-1]]).sum(axis=1))
        nearest[chosen] = -1
    return np.sort(order[chosen])


def _profiles(measures: Measures, address: Address, n_jobs: int) -> np.ndarray:
    """Who of a few individuals passes each case, (cases, few) uint8; kept for EVERY generations."""
    kept = measures.recalled("profiles", measures.errors.shape[1], None)
    if kept is not None and address.generation % EVERY:
        return kept
    living = np.flatnonzero(with_finite_error(measures.errors, measures.fitness))
    few = min(len(living), max(LEAST, round(SHARE * len(measures))))
    who = np.sort(generator(address, WHO).choice(len(living), size=few, replace=False))
    return np.ascontiguousarray(passes(measures.errors, living, n_jobs=n_jobs)[:, who])
