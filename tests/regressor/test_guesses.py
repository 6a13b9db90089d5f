"""Guesses: formulas that a search begins with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from epsilex import SymbolicRegressor
from epsilex.data.scales import Scales, scaled, unscaled
from epsilex.programs.numeric import evaluate64
from epsilex.programs.written import written

RNG = np.random.default_rng(1)
T = np.linspace(0.0, 10.0, 80)
TABLE = pd.DataFrame({"t": T, "x": RNG.uniform(1, 5, 80), "y": RNG.uniform(1, 3, 80)})
Y = 3 * np.exp(-0.7 * T) * np.cos(2.1 * T + 0.3) * TABLE.x / (1 + TABLE.y**3) + 5 * np.sin(1.3 * TABLE.x)
LAW = "a*exp(-b*t)*cos(c*t + d)*x/(1 + y^3) + e*sin(f*x)"
SMALL = {"generations": 2, "time_limit": None, "population_size": 60, "random_state": 0}


@pytest.mark.parametrize("choose", ["description", "accuracy", "validation"])
def test_a_guess_that_is_better_than_anything_found_is_on_the_front(choose):
    without = SymbolicRegressor(**SMALL, choose=choose).fit(TABLE, Y)
    guessed = SymbolicRegressor(**SMALL, choose=choose, guesses=["k*x", LAW]).fit(TABLE, Y)
    assert without.front_["r2"].max() < 0.999
    assert guessed.front_["r2"].max() > 1.0 - 1e-6
    assert guessed.model_.metrics["r2"] > 1.0 - 1e-6


@pytest.mark.parametrize("preset", [SymbolicRegressor, SymbolicRegressor.paper])
def test_guesses_open_the_first_population(preset):
    first = []
    est = preset(**SMALL, guesses=["k*x", LAW], callbacks=[lambda state: first.append(state.population)])
    est.fit(TABLE, Y)
    assert first[0].fitness[1] == first[0].fitness.min()
    assert first[0].mae[1] < 1e-3 * np.abs(Y - Y.mean()).mean()
    used = {int(code) for code in first[0].programs.opcode[1]}
    assert len(used) > 3


def test_the_same_result_for_any_number_of_threads_and_on_every_run():
    fits = [SymbolicRegressor(**SMALL, guesses=[LAW], n_jobs=n).fit(TABLE, Y) for n in (1, 1, 4)]
    assert len({fit.model_.nodes for fit in fits}) == 1
    assert all(fits[0].front_.equals(fit.front_) for fit in fits[1:])


def test_parameters_and_clones():
    est = SymbolicRegressor(guesses=("k*x",))
    assert clone(est).get_params()["guesses"] == ("k*x",)


def test_resume_is_the_uninterrupted_search(tmp_path):
    changes = SMALL | {"guesses": [LAW], "checkpoint": str(tmp_path / "c")}
    SymbolicRegressor(**changes).fit(TABLE, Y)
    resumed = SymbolicRegressor(**changes | {"generations": 4, "resume": True}).fit(TABLE, Y)
    whole = SymbolicRegressor(**SMALL | {"generations": 4, "guesses": [LAW]}).fit(TABLE, Y)
    assert resumed.front_.equals(whole.front_)
    with pytest.raises(ValueError, match="checkpoint: expected the data"):
        SymbolicRegressor(**changes | {"guesses": ["k*x"], "resume": True}).fit(TABLE, Y)


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_guesses_for_data_of_any_size(size):
    est = SymbolicRegressor(**SMALL, guesses=["a*x + b"]).fit(TABLE[["x"]] * size, 2.0 * TABLE.x + 1.0)
    assert est.front_["r2"].max() > 1.0 - 1e-9


def test_scaled_is_the_inverse_of_unscaled():
    X = TABLE.to_numpy() + np.array([5000.0, 0.0, 0.0])  # far from zero, so it is shifted
    units = Scales.of(X, Y.to_numpy(), always=True)
    nodes = list(written("3*t*x - log(y) + 2", list(TABLE)).nodes)
    back = unscaled(scaled(nodes, units), units, 1.0, 0.0)
    assert units.x_shift[0] != 0.0
    assert np.allclose(evaluate64(back, X), evaluate64(nodes, X), rtol=1e-12)


@pytest.mark.parametrize(
    ("guesses", "said"),
    [
        ("k*x", "guesses: expected a sequence of formulas"),
        ([3], "guesses: expected a sequence of formulas"),
        (["k*foo(x)"], "guesses: expected a function among .*'foo'.*character 3.*'k\\*foo"),
        (["k*(x"], "guesses: expected '\\)'"),
        (["sqrt(-x)*k"], "guesses: expected finite values on all rows for some constants"),
        (["+".join(["sin(t*x)"] * 20 + [f"cos({k}*t)" for k in range(20)])], "guesses: expected at most max_length"),
    ],
)
def test_bad_guesses_are_said_before_the_search(guesses, said):
    seen = []
    with pytest.raises(ValueError, match=said):
        SymbolicRegressor(**SMALL, guesses=guesses, callbacks=[seen.append]).fit(TABLE, Y)
    assert not seen
