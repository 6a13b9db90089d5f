"""DALex: lexicase selection by random weights. Each event takes the least weighted sum of the errors on all cases.

Ni, Ding, Spector, "DALex: lexicase-like selection via diverse aggregation", EuroGP (2024); abstract, and the
implementation in EvolutionaryForest. Weights are the softmax of normal numbers of deviation `particularity`: a large
one lets one case decide after another, as in lexicase, a small one uses the mean. Errors on a case are divided by their
standard deviation over the population. All events are one matrix product.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection import sampling
from epsilex.selection.duplicates import any_copy
from epsilex.selection.methods import Address, Measures, Method, Selected, complete, generator, number

WEIGHTS, COPIES = 9, 8  # purposes


@sampling.sampled
def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, particularity: float = 3.0) -> Selected:
    number("particularity", particularity, 0.0)
    living = np.flatnonzero(complete(measures))
    if not np.isfinite(measures.errors[living[0]]).all():  # nobody is complete
        return Selected(generator(address, WEIGHTS).choice(living, size=n), np.zeros(n))
    errors = standardised(measures.errors[living])
    drawn = weights(n, errors.shape[1], particularity, generator(address, WEIGHTS), errors.dtype)
    best = living[np.argmin(drawn @ errors.T, axis=1)]
    return Selected(any_copy(best, measures.errors, generator(address, COPIES)), np.ones(n))


def standardised(errors: np.ndarray) -> np.ndarray:
    """Errors in standard deviations above the best of their case; 0 on cases where all are equal."""
    above = errors - errors.min(axis=0)
    greatest = above.max(axis=0)
    above /= np.where(greatest > 0.0, greatest, 1.0)  # no square can overflow then
    deviation = above.std(axis=0)
    return above / np.where(deviation > 0.0, deviation, 1.0)


def weights(n: int, n_cases: int, particularity: float, rng: np.random.Generator, kind) -> np.ndarray:
    """(events, cases): softmax of normal numbers."""
    drawn = rng.standard_normal((n, n_cases), np.float32).astype(kind, copy=False) * kind.type(particularity)
    drawn -= drawn.max(axis=1, keepdims=True)
    np.exp(drawn, out=drawn)
    drawn /= drawn.sum(axis=1, keepdims=True)
    return drawn


METHOD = Method("dalex", "DALex", parents, options=("particularity", *sampling.OPTIONS))
