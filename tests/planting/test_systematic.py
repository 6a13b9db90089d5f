"""Systematic: laws with one constant inside are planted from few noisy rows, in whatever transform they are simple."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.evolution import Settings
from epsilex.planting import Limits, plant
from epsilex.planting.systematic import KEPT, LEAST_ROWS, systematic
from epsilex.planting.terms import outputs
from epsilex.programs import Programs
from planted import by, unexplained

planted = by(systematic)

_rng = np.random.default_rng(8)
A, B, C = _rng.uniform(0.3, 4.0, (3, 26))
D = np.geomspace(0.1, 30.0, 26)
LAWS = {
    "range of a throw": ((A, B), A**2 * np.sin(0.7 * B)),
    "vibration of two masses": ((A, B, C), np.sqrt(A / B + A / C)),
    "compound interest": ((A, B, C), A * (1.0 + 0.1 * B) ** C),
    "Hill": ((D,), D**2.6 / (19.0 + D**2.6)),
    "low-pass filter": ((D,), 1.0 / np.sqrt(1.0 + (D / 3.0) ** 2)),
    "Gompertz": ((A,), np.exp(-3.0 * np.exp(-1.5 * A))),
    "rocket": ((A, B, C), A * np.log(B / C + 2.0)),
    "a straight and a cubic term": ((A,), A + 0.2 * A**3),
    "falling": ((A,), -3.0 * A**2 / (1.0 + 0.4 * A)),
    "through zero": ((A,), np.sin(1.9 * A)),
    "Planck": ((A, B), A**-5.0 / (np.exp(3.0 / (A * B)) - 1.0)),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_law_is_planted(name):
    columns, law = LAWS[name]
    X = np.column_stack(columns)
    noisy = law * (1.0 + 0.005 * np.random.default_rng(1).normal(size=len(law)))
    found = planted(X, noisy)
    assert 1 <= len(found) <= KEPT
    assert min(unexplained(nodes, X, law) for nodes in found) < 1e-3


@pytest.mark.parametrize("name", ["range of a throw", "compound interest", "Hill", "through zero"])
def test_exact_data_comes_first_and_exact(name):
    columns, law = LAWS[name]
    X = np.column_stack(columns)
    first, *_ = planted(X, law)
    assert unexplained(first, X, law) < 1e-8


@pytest.mark.parametrize("unit", [1e-20, 1.0, 1e20])
def test_units_of_the_target_do_not_matter(unit):
    columns, law = LAWS["Hill"]
    X = np.column_stack(columns)
    found, usual = planted(X, unit * law)[0], planted(X, law)[0]
    assert [node[:2] for node in found] == [node[:2] for node in usual]
    assert [node[2] for node in found] == pytest.approx([node[2] for node in usual], rel=1e-9)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (D[: LEAST_ROWS - 1, None], D[: LEAST_ROWS - 1]),
        (np.ones((26, 2)), A),
        (A[:, None], np.zeros(26)),
        (A[:, None], np.full(26, 2.0)),
    ],
    ids=["few rows", "constant features", "zero", "constant"],
)
def test_nothing_is_planted(X, y):
    assert planted(X, y) == []


@pytest.mark.parametrize(
    "X",
    [
        np.column_stack([A, -B]),
        np.column_stack([A - 2.0, B - 2.0, C - 2.0]),
        np.column_stack([np.zeros(26), A]),
        np.column_stack([1e-30 * A, 1e30 * B]),
        np.column_stack([A > 2.0, B]).astype(float),
    ],
    ids=["negative", "both signs", "zeros", "extreme", "zero and one"],
)
def test_features_of_any_sign_and_size(X):
    y = np.sin(A) * B
    found = planted(X, y)
    assert len(found) <= KEPT
    assert np.isfinite(outputs(found, X)).all()


@pytest.mark.parametrize("operators", [("add", "sub", "mul", "div"), ("add", "sub", "mul", "div", "exp", "sqrt")])
def test_only_the_operators_allowed(operators):
    columns, law = LAWS["compound interest"]
    X = np.column_stack(columns)
    found = planted(X, law, Limits(operators, 12, 1000))
    assert found
    programs = Programs.from_nodes(found, np.float32)
    text = " ".join(programs.formula(i) for i in range(len(found)))
    assert not any(name in text for name in ("sin", "cos", "log", "tanh", *{"exp", "sqrt"} - set(operators)))
    assert max(len(nodes) for nodes in found) <= 12


def test_every_planter_has_its_turn():
    """One planter with many programs takes no places from the others."""
    X, y = A[:, None], A
    many = [[(1, 0, 1.0 + k)] for k in range(50)]
    few = [[(1, 0, 100.0)], [(1, 0, 200.0)]]
    programs = Programs.from_nodes([[(1, 0, 1.0)]] * 60, np.float32)
    plant(programs, X, y, [lambda *_: many, lambda *_: few], Limits(Settings.operators, 50, 60))
    assert sorted(programs.constant[-6:, 0].tolist()) == [1.0, 2.0, 3.0, 4.0, 100.0, 200.0]


@pytest.mark.parametrize(("name", "formula"), [("range of a throw", "A^2*sin("), ("vibration of two masses", "sqrt(")])
def test_the_search_finds_the_law(name, formula):
    """Both were missed before from 26 rows, in seconds of search."""
    import pandas as pd

    columns, law = LAWS[name]
    X = pd.DataFrame(dict(zip("ABC", columns, strict=False)))
    noisy = law * (1.0 + 0.02 * np.random.default_rng(2).normal(size=len(law)))
    est = SymbolicRegressor(generations=5, time_limit=None, population_size=300, random_state=1).fit(X, noisy)
    assert formula in est.model_.formula
    assert est.model_.length <= 10


def test_growth_over_calendar_years():
    """An exponential of a year is beyond float32, unless its exponent is centred."""
    import pandas as pd

    year = 1971.0 + np.linspace(0.0, 40.0, 20)
    y = 2300.0 * 2.0 ** ((year - 1971.0) / 2.0) * np.exp(0.2 * np.random.default_rng(0).normal(size=20))
    est = SymbolicRegressor(generations=3, time_limit=None, population_size=200, random_state=0)
    est.fit(pd.DataFrame({"year": year}), y)
    assert "exp(0.3" in est.model_.formula
    assert est.model_.length <= 4
