"""Groups together with units: which constants of a group may carry units, and that no front has a wrong formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex import SymbolicRegressor, load_model
from epsilex.dimensions.knowledge import rule_of

RNG = np.random.default_rng(0)
OWN = {"A": 0.2, "B": 0.5, "C": 0.9, "D": 1.4, "E": 2.0}
X = pd.concat(
    [pd.DataFrame({"F": RNG.uniform(0.5, 10, 8), "m": RNG.uniform(1, 2, 8), "s": g}) for g in OWN], ignore_index=True
)
SPRING = X["s"].map(OWN) * X["F"] + RNG.normal(scale=0.03, size=40)
KNOWN = {"units": {"F": "N", "m": "kg"}, "target_unit": "m", "constant_units": "overall"}


def fitted(y=SPRING, rows=X, **parameters):
    short = {"generations": 4, "time_limit": None, "population_size": 100, "random_state": 0, "groups": "s"}
    return SymbolicRegressor(**(short | parameters)).fit(rows, y)


@pytest.fixture(scope="module")
def springs():
    return fitted(**KNOWN)


def test_a_constant_of_a_group_carries_a_unit(springs, tmp_path):
    assert springs.model_.formula == "F*a[s]"
    table = springs.model_.constants
    assert set(table["unit"]) == {"m/N"}
    assert np.allclose(table["value"], list(OWN.values()), atol=0.05)
    springs.model_.save(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").constants.equals(table)


def test_every_formula_is_consistent(springs):
    rule = rule_of(KNOWN["units"], "m", "overall", ["F", "m"], None)
    assert len(springs.models_) > 1
    assert all(rule.allows(m.nodes) for m in springs.models_)


def test_pure_numbers_cannot_make_a_length_of_a_force():
    with pytest.raises(ValueError, match=r"target_unit: expected one that can be made of the columns F .*'overall'"):
        fitted(**KNOWN | {"constant_units": "none"})


def test_pure_numbers_of_groups():
    rows = X.assign(g=RNG.uniform(1, 10, 40), h=RNG.uniform(1, 5, 40), t=RNG.uniform(1, 5, 40))[["g", "h", "t", "s"]]
    speed = rows["s"].map(OWN) * np.sqrt(rows["g"] * rows["h"])
    est = fitted(speed, rows, units={"g": "m/s^2", "h": "m", "t": "s"}, target_unit="m/s", generations=6)
    rule = rule_of(est.units, "m/s", "none", ["g", "h", "t"], None)
    assert all(rule.allows(m.nodes) for m in est.models_)
    assert est.model_.formula == "a[s]*sqrt(g*h)"


@pytest.mark.parametrize(
    ("constants", "consistent"),
    [
        ("none", {"a*y": True, "a + y": False, "a*x": False, "exp(a)*y": True, "exp(a*x)*y": False}),
        (
            "overall",
            {"a*y": True, "a + y": True, "a*x": True, "a*x + b": True, "a*exp(b*x)": False, "a*(x + y)": False},
        ),
        ("any", {"a*x": True, "a*exp(b*x)": True, "a*(x + y)": False, "a*x + b*y": True, "a": True}),
    ],
)
@pytest.mark.filterwarnings("ignore:units")
def test_constants_of_groups_follow_the_rule_of_constants(constants, consistent):
    from epsilex.programs.parser import parse

    rule = rule_of({"x": "s", "y": "m"}, "m", constants, ["x", "y"], None)
    for text, right in consistent.items():
        assert rule.allows(parse(text, ["x", "y", "a", "b"])) is right, text
