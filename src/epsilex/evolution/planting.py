"""Planting: a part of the first population is not random, but products, sums, polynomials, power laws and quadrics that
are close to the target."""

from __future__ import annotations

import numpy as np

from epsilex.evolution.cases import Cases
from epsilex.evolution.polynomials import polynomials, rationals
from epsilex.evolution.powers import powers
from epsilex.evolution.products import products
from epsilex.evolution.quadrics import quadrics
from epsilex.evolution.settings import Settings
from epsilex.evolution.sums import long_sums, sums
from epsilex.programs import Programs

ROWS, FEW_ROWS = 512, 256  # that are looked at, and where all pairs of terms are
SHARE = 0.1  # of the population, at most


def plant(programs: Programs, cases: Cases, settings: Settings) -> None:
    """Put what was found in the place of the last programs.

    It relies on linear scaling and on coefficients of features; and a model of a series has features that only a run of
    it knows.
    """
    if not (settings.scaling and settings.coefficients) or cases.n_features != cases.rows.shape[1]:
        return
    from threadpoolctl import threadpool_limits

    X, y = cases.rows[:ROWS].astype(np.float64), cases.y[:ROWS].astype(np.float64) - cases.zero
    # For matrices so small a second thread of BLAS costs more than it gives. What overflows is left out.
    with threadpool_limits(1, "blas"), np.errstate(all="ignore"):
        found = [
            *products(X, y, settings),
            *quadrics(X, y, settings),
            *polynomials(X, y, settings),
            *rationals(X, y, settings),
            *powers(X, y, settings),
            *long_sums(X, y, settings),
            *sums(X[:FEW_ROWS], y[:FEW_ROWS], settings),
        ][: int(SHARE * len(programs))]
    for i, nodes in zip(range(len(programs) - len(found), len(programs)), found, strict=True):
        programs.length[i] = len(nodes)
        for array in (programs.opcode, programs.feature, programs.constant):
            array[i] = 0
        for k, (code, column, value) in enumerate(nodes):
            programs.opcode[i, k], programs.feature[i, k], programs.constant[i, k] = code, column, value
