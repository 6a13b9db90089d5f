"""The same seed gives the same bits: for any number of threads, in any process, however the rows are laid out."""

from __future__ import annotations

import numpy as np
import pytest

import golden
from epsilex import DynamicRegressor, SymbolicRegressor, programs, selection
from epsilex.evolution import Cases, Settings, Stop, search
from epsilex.kernels import slices

X = np.random.default_rng(0).normal(size=(700, 4))
Y = X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.1 * X[:, 3]
KINDS = {
    "modern": Settings(population_size=60, max_length=20, seed=3),
    "semi": Settings(population_size=60, max_length=20, seed=3, selection="lex_semi"),
    "paper": Settings.paper(population_size=60, max_length=20, seed=3),
    "afp": Settings.paper(population_size=60, max_length=20, seed=3, selection="afp"),
    "tournament": Settings.paper(population_size=60, max_length=20, seed=3, selection="tournament"),
    "predictors": Settings.paper(population_size=60, max_length=20, seed=3, selection="predictors"),
    "informed": Settings(population_size=60, max_length=20, seed=3, selection="lex_semi(downsample=9, informed=True)"),
    "alps": Settings.paper(population_size=60, max_length=20, seed=3, selection="alps(age_gap=2)"),
}


def bits(found):
    arrays = {**found.state.population.arrays(), **{f"archive {k}": v for k, v in found.archive.arrays().items()}}
    rows = [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in found.rows]
    return {name: array.tobytes() for name, array in arrays.items()} | {"rows": rows}


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_search(kind):
    """History, population and archive for 1, 2 and 8 threads."""
    one, two, eight = (
        bits(search(Cases.from_arrays(X, Y), KINDS[kind], Stop(generations=6), n_jobs=n_jobs)) for n_jobs in (1, 2, 8)
    )
    assert one == two
    assert one == eight


@pytest.mark.parametrize("n_jobs", [1, 2, 8])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000])
def test_slices_cover_everything_once(n, n_jobs):
    seen = np.zeros(n, int)

    def kernel(first, last):
        seen[first:last] += 1

    slices.run(kernel, n, n_jobs)
    assert (seen == 1).all()


@pytest.mark.parametrize("n_jobs", [1, 2, 8])
def test_an_error_in_a_slice_is_raised(n_jobs):
    def kernel(first, last):
        if last == 100:
            raise ValueError("the last")

    with pytest.raises(ValueError, match="the last"):
        slices.run(kernel, 100, n_jobs)


@pytest.mark.parametrize("n_jobs", [2, 8])
def test_evaluation_and_selection(n_jobs):
    p = programs.random_programs(300, 4, np.random.default_rng(1))
    out = programs.evaluate(p, X)
    assert programs.evaluate(p, X, n_jobs=n_jobs).tobytes() == out.tobytes()
    errors = np.abs(out - Y.astype(np.float32))
    for id in selection.METHODS:
        parents = [selection.select(id, errors, 300, np.random.default_rng(2), n_jobs=n) for n in (1, n_jobs)]
        assert (parents[0] == parents[1]).all(), id


@pytest.mark.parametrize("seed", range(12, 18))
def test_populations_of_the_start_down_to_their_nans(seed):
    """Which NaN an operator returns depends on the order of its arguments, and that on the slice of a thread."""
    x = np.random.default_rng(0).normal(size=(60, 3))
    y = x[:, 0] * x[:, 1]
    how = {"generations": 0, "time_limit": None, "population_size": 100, "random_state": seed}
    one, *many = (golden.bits(SymbolicRegressor(n_jobs=n, **how).fit(x, y)) for n in (1, 2, 3, 8))
    assert set(many) == {one}


HOW = {"generations": 5, "time_limit": None, "population_size": 50, "max_length": 15, "random_state": 7}


class TestEstimators:
    @pytest.mark.parametrize("n_jobs", [2, 8, -1])
    def test_formula_and_history(self, n_jobs):
        one, many = (SymbolicRegressor(n_jobs=n, **HOW).fit(X, Y) for n in (None, n_jobs))
        assert one.model_ == many.model_
        assert one.models_ == many.models_
        columns = [c for c in one.history_.columns if not c.startswith("seconds")]
        assert one.history_[columns].equals(many.history_[columns])

    def test_dynamic(self):
        one, many = (DynamicRegressor(n_jobs=n, **HOW).fit(X[:200], Y[:200]) for n in (1, 8))
        assert one.models_ == many.models_

    def test_order_and_layout_of_the_rows(self):
        order = np.random.default_rng(0).permutation(len(Y))
        first = SymbolicRegressor(**HOW).fit(X, Y)
        for data in ((X[order], Y[order]), (np.asfortranarray(X), Y), (X.tolist(), list(Y))):
            assert SymbolicRegressor(**HOW).fit(*data).models_ == first.models_

    def test_a_run_ended_by_the_clock_is_repeated_by_its_generations(self):
        timed = SymbolicRegressor(**HOW | {"generations": None, "time_limit": 0.3}).fit(X, Y)
        assert timed.stopped_by_ == "time"
        again = SymbolicRegressor(**HOW | {"generations": timed.n_generations_}).fit(X, Y)
        assert again.models_ == timed.models_

    def test_states(self):
        results = [
            SymbolicRegressor(**HOW | {"random_state": state}).fit(X, Y).search_.state.population.fitness.tobytes()
            for state in (0, 0, 1, np.random.RandomState(0), np.random.RandomState(0))
        ]
        assert results[0] == results[1] != results[2]
        assert results[3] == results[4]

    def test_another_process(self, run_python):
        code = """
import sys
sys.path.insert(0, sys.argv[1])
from test_determinism import HOW, SymbolicRegressor, X, Y
print([(m.nodes, m.metrics) for m in SymbolicRegressor(n_jobs=2, **HOW).fit(X, Y).models_])
"""
        from pathlib import Path

        here = repr([(m.nodes, m.metrics) for m in SymbolicRegressor(**HOW).fit(X, Y).models_])
        assert run_python(code, Path(__file__).parent) == here


def test_threads_after_a_fork(run_python):
    """A forked child makes threads of its own instead of waiting for its parent's."""
    code = """
import os
import numpy as np
from epsilex import programs
p = programs.random_programs(200, 2, np.random.default_rng(0))
X = np.random.default_rng(0).random((3000, 2))
out = programs.evaluate(p, X, n_jobs=2)
child = os.fork()
if child == 0:
    os._exit(0 if programs.evaluate(p, X, n_jobs=2).tobytes() == out.tobytes() else 1)
print(os.waitpid(child, 0)[1])
"""
    assert run_python(code) == "0"


def test_threads_end_with_their_search():
    import threading

    before = threading.active_count()
    search(Cases.from_arrays(X, Y), KINDS["paper"], Stop(generations=1), n_jobs=4)
    programs.evaluate(programs.random_programs(50, n_features=4, rng=np.random.default_rng(0)), X, n_jobs=3)
    assert threading.active_count() == before


def test_diversity_is_that_of_one_thread():
    """Outputs that are not finite once had other hashes in other slices."""
    how = {"generations": 0, "time_limit": None, "population_size": 100, "random_state": 14}
    found = [SymbolicRegressor(n_jobs=n_jobs, **how).fit(X[:60], Y[:60]) for n_jobs in (1, 8)]
    assert found[0].history_["diversity"].tolist() == found[1].history_["diversity"].tolist()
    assert found[0].search_.state.population.outputs.tolist() == found[1].search_.state.population.outputs.tolist()
