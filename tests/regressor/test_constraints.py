"""Constraints in the estimator: every model of a front satisfies them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from epsilex import SymbolicRegressor, load_model

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"x": RNG.uniform(0, 4, 60), "t": RNG.uniform(0, 3, 60)})
Y = TABLE.x**1.5 / (1 + TABLE.t) + 0.4 * RNG.normal(size=60)
ALL = ("increasing in x", "decreasing in t", "f >= 0", "f(x=0) = 0", "convex in x", "f <= 20")
SMALL = {"generations": 6, "time_limit": None, "population_size": 200, "random_state": 0}


def satisfied(m, n=100_000):
    """On points that no check has seen."""
    low, high = TABLE.min().to_numpy(), TABLE.max().to_numpy()
    at = np.random.default_rng(9).uniform(low, high, (n, 2))
    f, slack = m.predict(at), 1e-6 * float(np.abs(Y).max())
    step = (high - low) * 1e-3
    inside = np.clip(at, low + step, high - step)
    x, t = np.array([step[0], 0.0]), np.array([0.0, step[1]])
    values = m.predict(inside)
    up, down = m.predict(inside + x), m.predict(inside - x)
    return {
        "increasing in x": (up - down >= -slack).all(),
        "decreasing in t": (m.predict(inside + t) <= values + slack).all(),
        "f >= 0": (f >= -slack).all(),
        "f <= 20": (f <= 20 + slack).all(),
        "f(x=0) = 0": (np.abs(m.predict(at * [0.0, 1.0])) <= slack).all(),
        "convex in x": (up - 2 * values + down >= -slack).all(),
    }


@pytest.mark.parametrize("choose", ["description", "accuracy", "validation"])
@pytest.mark.parametrize("constraints", [ALL, ("increasing in x", "f >= 0"), ("f(x=0) = 0",)])
def test_every_model_of_the_front_satisfies_them(choose, constraints):
    est = SymbolicRegressor(**SMALL, choose=choose, constraints=constraints).fit(TABLE, Y)
    assert set(est.front_["shape"]) <= {"proven", "checked"}
    for m in est.models_:
        held = satisfied(m)
        assert all(held[text] for text in constraints), (m.formula, held)
    assert est.model_.metrics["r2"] > 0.5


def test_without_constraints_nothing_is_said():
    est = SymbolicRegressor(**SMALL | {"generations": 1}).fit(TABLE, Y)
    assert "shape" not in est.front_


def test_the_same_bits_for_any_number_of_threads_and_after_a_resume(tmp_path):
    one, two = (SymbolicRegressor(**SMALL, constraints=ALL, n_jobs=n).fit(TABLE, Y) for n in (1, 3))
    assert one.front_.equals(two.front_)
    path = {"checkpoint": str(tmp_path / "c")}
    SymbolicRegressor(**SMALL | {"generations": 3}, constraints=ALL, **path).fit(TABLE, Y)
    resumed = SymbolicRegressor(**SMALL, constraints=ALL, **path, resume=True).fit(TABLE, Y)
    assert resumed.front_.equals(one.front_)
    with pytest.raises(ValueError, match="checkpoint: expected the data"):
        SymbolicRegressor(**SMALL, constraints=ALL[:2], **path, resume=True).fit(TABLE, Y)


def test_a_model_file_keeps_the_verdict(tmp_path):
    m = SymbolicRegressor(**SMALL, constraints=("f >= 0",)).fit(TABLE, Y).model_
    m.save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").metrics["shape"] == m.metrics["shape"]


def test_a_wider_domain_is_asked_for():
    est = SymbolicRegressor(**SMALL, constraints=("f >= 0",), domain={"x": (-10, 10)}).fit(TABLE, Y)
    at = np.random.default_rng(1).uniform([-10, 0], [10, 3], (10_000, 2))
    at[:, 1] = np.clip(at[:, 1], TABLE.t.min(), TABLE.t.max())
    assert all((m.predict(at) >= -1e-6).all() for m in est.models_)


def test_with_units():
    known = {"units": {"x": "m", "t": "1"}, "target_unit": "m", "constraints": ("increasing in x", "f(x=0) = 0")}
    est = SymbolicRegressor(**SMALL, **known).fit(TABLE, Y)
    assert all(satisfied(m)["increasing in x"] for m in est.models_)
    with pytest.raises(ValueError, match="constraints: expected f = 0 for a target with a unit"):
        SymbolicRegressor(**SMALL, **known | {"constraints": ("f(x=0) = 1",)}).fit(TABLE, Y)


def test_parameters():
    est = SymbolicRegressor(constraints=ALL, domain={"x": (0, 9)})
    assert clone(est).get_params()["constraints"] == ALL
    for wrong in ({"constraints": "f >= 0"}, {"constraints": [3]}, {"domain": [(0, 1)]}, {"domain": {"x": (0, 1)}}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: expected"):
            SymbolicRegressor(**SMALL, **wrong).fit(TABLE, Y)


def test_what_cannot_hold_is_said():
    est = SymbolicRegressor(**SMALL | {"generations": 1}, constraints=("f >= 1000",))
    told = pytest.warns(UserWarning, match="allowed by what is known")
    with told, pytest.raises(ValueError, match="constraints, settings: expected limits that a formula satisfies"):
        est.fit(TABLE, Y)
