"""Novelty search: tournaments on how few others solve the same cases.

Lehman, Stanley, "Abandoning objectives: evolution through the search for novelty alone", Evolutionary Computation 19
(2011); for regression Martinez, Naredo, Trujillo, Galvan-Lopez, "Searching for novel regression functions", CEC (2013),
abstract. The descriptor of an individual has one bit per case: whether its error is within the population's MAD of the
best (Eq. 5). Novelty is the mean Hamming distance to the nearest individuals of population and archive. The authors'
rule for the archive is not known to us; here the most novel individual of each generation joins it, and of more than
ARCHIVE the oldest leaves.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.methods import Address, Measures, Method, Selected, alive, at_least_one
from epsilex.selection.rules import solved
from epsilex.selection.scores import by_tournament

ARCHIVE = 500


def parents(
    measures: Measures, n: int, address: Address, n_jobs: int = 1, *, tournament_size: int = 2, neighbours: int = 15
) -> Selected:
    bits, living = solved(measures, n_jobs), alive(measures.fitness)
    kept = measures.recalled("archive", None, bits.shape[1])
    archive = np.empty((0, bits.shape[1]), np.uint8) if kept is None else kept
    novelty = mean_distance(bits, archive.astype(np.float32), at_least_one("neighbours", neighbours))
    newest = bits[np.argmax(np.where(living, novelty, -1.0))].astype(np.uint8)
    memory = {"archive": np.vstack([archive, newest])[-ARCHIVE:]}
    return Selected(by_tournament(-novelty, n, address, tournament_size, living), np.zeros(n), memory)


def mean_distance(bits: np.ndarray, archive: np.ndarray, neighbours: int) -> np.ndarray:
    """(individuals,): mean share of different bits to the nearest others; bits (individuals, cases) float32."""
    everyone = np.vstack([bits, archive])
    distance = bits.sum(axis=1)[:, None] + everyone.sum(axis=1)[None, :] - 2.0 * (bits @ everyone.T)
    distance[np.arange(len(bits)), np.arange(len(bits))] = np.inf  # oneself is no neighbour
    k = min(neighbours, len(everyone) - 1)
    if k == 0:
        return np.zeros(len(bits))
    return np.partition(distance, k - 1, axis=1)[:, :k].mean(axis=1, dtype=np.float64) / bits.shape[1]


METHOD = Method("novelty", "Novelty", parents, options=("tournament_size", "neighbours"))
