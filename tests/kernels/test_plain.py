"""Small searches through most kernels. `make coverage` runs them with compiling switched off, line by line."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import DynamicRegressor, SymbolicRegressor
from epsilex.selection import METHODS, select

SMALL = {"population_size": 12, "generations": 2, "max_length": 9, "time_limit": None, "n_jobs": 1, "random_state": 0}
LENGTHS = {"units": {"u": "m", "v": "m"}, "target_unit": "m"}


def rows(n=20):
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 2.0, size=(n, 2))
    return X, X[:, 0] + 0.5 * X[:, 1] + 0.01 * rng.normal(size=n)


@pytest.mark.parametrize("changes", [{}, LENGTHS, {"form": "f(x0) + c*g(x1)"}], ids=["plain", "units", "form"])
def test_a_search_is_better_than_the_mean(changes):
    X, y = rows()
    if "units" in changes:
        pd = pytest.importorskip("pandas")
        X = pd.DataFrame(X, columns=["u", "v"])
    assert SymbolicRegressor(**SMALL, **changes).fit(X, y).score(X, y) > 0.5


def test_the_papers_search():
    X, y = rows()
    changes = {name: value for name, value in SMALL.items() if name != "max_length"}
    assert np.isfinite(SymbolicRegressor.paper(**changes).fit(X, y).predict(X)).all()


def test_a_search_in_free_run():
    X, y = rows(24)
    assert np.isfinite(DynamicRegressor(**SMALL).fit(X, y).predict(X)).any()


@pytest.mark.parametrize("id", METHODS)
def test_a_method_selects_among_those_that_are_there(id):
    errors = np.abs(np.random.default_rng(1).normal(size=(10, 6))).astype(np.float32)
    parents = select(id, errors, 8, np.random.default_rng(2))
    assert parents.shape == (8,)
    assert ((parents >= 0) & (parents < 10)).all()
