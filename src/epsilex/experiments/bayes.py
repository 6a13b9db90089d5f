"""Bayesian signed-rank test with a region of practical equivalence.

Benavoli, Mangili, Corani, Zaffalon, Ruggeri, "A Bayesian Wilcoxon signed-rank test based on the Dirichlet process",
ICML 2014; Benavoli, Corani, Demsar, Zaffalon, "Time for a change: a tutorial for comparing multiple classifiers through
Bayesian analysis", JMLR 18 (2017).

Legend: z differences, first the prior's pseudo-observation 0; w their weights, Dirichlet distributed with the
parameters (strength, 1, .., 1); the mean of two differences drawn by these weights is below, inside or above the
region.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STRENGTH = 0.5  # weight of the prior's pseudo-observation, as in the tutorial
SAMPLES = 20_000
FAR = 1e9  # replaces an infinite difference, whose mean with its opposite is undefined


@dataclass(frozen=True)
class Posterior:
    """Probabilities that a difference is most likely below, inside or above the region."""

    below: float
    inside: float
    above: float


def signed_rank(differences: np.ndarray, rope: float, seed: int = 0) -> Posterior:
    """The test on paired differences; `rope` is half the width of the region around 0."""
    theta = thetas(differences, rope, np.random.default_rng(seed))
    winner = np.argmax(theta, axis=1)
    below, inside, above = (float(np.mean(winner == place)) for place in range(3))
    return Posterior(below, inside, above)


def thetas(differences: np.ndarray, rope: float, rng: np.random.Generator) -> np.ndarray:
    """Posterior samples of the chances of (below, inside, above): SAMPLES x 3, rows add to 1."""
    z = np.concatenate([[0.0], np.clip(np.nan_to_num(np.asarray(differences, np.float64)), -FAR, FAR)])
    w = rng.dirichlet([STRENGTH, *np.ones(len(z) - 1)], SAMPLES)
    means = (z[:, None] + z) / 2
    below, above = _chance(w, means < -rope), _chance(w, means > rope)
    return np.column_stack([below, np.maximum(0.0, 1 - below - above), above])


def _chance(w: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Sum over pairs (i, j) of w_i w_j where `pairs` is true, for each sample."""
    return np.sum((w @ pairs) * w, axis=1)
