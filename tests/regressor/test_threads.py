"""A fit uses as many cores as it was given."""

import numpy as np
from threadpoolctl import threadpool_info

from epsilex import SymbolicRegressor


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_has_one_thread_during_a_fit_and_as_many_as_before_after_it():
    X = np.random.default_rng(0).normal(size=(40, 2))
    before, seen = blas_threads(), []
    SymbolicRegressor.paper(
        population_size=20, generations=1, random_state=0, callbacks=[lambda state: seen.append(blas_threads())]
    ).fit(X, X[:, 0] * X[:, 1])
    assert seen
    assert all(threads == {1} for threads in seen)
    assert blas_threads() == before
