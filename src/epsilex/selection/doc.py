"""Discovery of objectives by clustering (DOC): the mean errors on clusters of cases are objectives, which are compared
by dominance.

Krawiec, Liskowski, "Automatic derivation of search objectives for test-based genetic programming", EuroGP (2015), from
memory. There x-means finds the number of clusters; here it is given, see `clusters`. Parents are winners of NSGA-II's
tournaments of two: the better front, then the less crowded. Objectives are derived anew in each generation.
"""

from __future__ import annotations

import numpy as np

from epsilex.selection.clusters import derived_errors, labels
from epsilex.selection.fronts import by_fronts
from epsilex.selection.methods import Address, Measures, Method, Selected, at_least_one, complete, generator
from epsilex.selection.rules import passes

CLUSTERS = 3  # purpose


def parents(measures: Measures, n: int, address: Address, n_jobs: int = 1, clusters: int = 5) -> Selected:
    k = at_least_one("clusters", clusters)
    living = np.flatnonzero(complete(measures))
    of_case = labels(passes(measures.errors, living, n_jobs=n_jobs), k, generator(address, CLUSTERS))
    objectives = derived_errors(measures.errors[living], of_case).astype(np.float64)
    return Selected(living[by_fronts(objectives, n, address)], np.zeros(n))


METHOD = Method("doc", "DOC", parents, options=("clusters",))
