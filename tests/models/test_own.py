"""Models of a person's own formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex import Model, load_model
from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.models.polish import polish
from epsilex.programs.written import written

RNG = np.random.default_rng(1)
T = np.linspace(0.0, 10.0, 60)
TABLE = pd.DataFrame({"t": T, "x": RNG.uniform(1, 5, 60), "y": RNG.uniform(1, 3, 60)})
LAWS = {
    "a*x^2/(1 + b*y)": ({"a": 3.0, "b": 0.7}, lambda d: 3.0 * d.x**2 / (1 + 0.7 * d.y)),
    "a*exp(-b*t) + c": ({"a": 3.0, "b": 0.7, "c": 20.0}, lambda d: 3.0 * np.exp(-0.7 * d.t) + 20.0),
    "V*x/(K + x)": ({"V": 4e6, "K": 2.0}, lambda d: 4e6 * d.x / (2.0 + d.x)),
    "a*x^p": ({"a": 5.0, "p": 1.7}, lambda d: 5.0 * d.x**1.7),
    "a*x + a*y + 2*b": ({"a": 5.0, "b": -1.5}, lambda d: 5.0 * d.x + 5.0 * d.y - 3.0),
    "L/(1 + exp(-k*(t - m)))": ({"L": 5.0, "k": 2.0, "m": 4.0}, lambda d: 5.0 / (1.0 + np.exp(-2.0 * (d.t - 4.0)))),
}


def values(m):
    return dict(zip(m.constants["name"], m.constants["value"], strict=True))


@pytest.mark.parametrize("formula", LAWS)
@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_constants_of_exact_data_are_found(formula, unit):
    """Also in other units of the target: constants are not close to 1."""
    constants, law = LAWS[formula]
    m = Model.from_formula(formula, TABLE, unit * law(TABLE))
    assert m.metrics["r2"] > 1.0 - 1e-9
    if unit == 1.0:
        found = values(m)
        assert {name: found[name] for name in constants} == pytest.approx(constants, rel=1e-5)


def test_the_same_bits_every_time():
    y = 3.0 * np.sin(2.3 * T + 1.0) + RNG.normal(size=60)
    one, two = (Model.from_formula("a*sin(w*t + p)", TABLE, y) for _ in range(2))
    assert one.nodes == two.nodes


def test_numbers_stay_as_they_are_written():
    m = Model.from_formula("2*x + a", TABLE, 3.0 * TABLE.x)
    assert values(m)["a"] == pytest.approx(float(TABLE.x.mean()))


def test_no_named_constants():
    m = Model.from_formula("2*x", TABLE, 2.0 * TABLE.x)
    assert m.metrics["mae"] == 0.0


def test_shared_constants_have_one_value():
    m = Model.from_formula("a*x + a*y", TABLE, 2.0 * TABLE.x + 3.0 * TABLE.y)
    one, two = m.constants["value"]
    assert one == two


def test_tied_tuning_is_least_squares():
    """The tied slope of a*x + a*y is that of a regression on x + y."""
    formula, y = written("a*x + a*y", ["t", "x", "y"]), (2.0 * TABLE.x + 3.0 * TABLE.y).to_numpy()
    X = TABLE.to_numpy()
    noise = Noise.of("additive", Rows(X, y, np.ones(60)))
    nodes = polish(formula.nodes, X, noise, list(formula.labels), ties=formula.ties)
    total = X[:, 1] + X[:, 2]
    assert [nodes[k][2] for k in formula.labels] == pytest.approx([total @ y / (total @ total)] * 2)


def test_names_survive_a_file(tmp_path):
    m = Model.from_formula("a*exp(-b*t) + c", TABLE, LAWS["a*exp(-b*t) + c"][1](TABLE))
    m.save(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded == m
    assert loaded.constants.equals(m.constants)
    text = (tmp_path / "m.json").read_text().replace('"b"', '"q"')
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(ValueError, match="altered"):
        load_model(tmp_path / "m.json")


def test_arrays_have_columns_x0_and_so_on():
    m = Model.from_formula("k*x1", TABLE.to_numpy(), 4.0 * TABLE.x)
    assert values(m)["k"] == pytest.approx(4.0)
    assert m.feature_names == ("x0", "x1", "x2")


def test_weights_and_standard_errors_count():
    y = np.where(T < 5.0, 2.0, 4.0)
    assert values(Model.from_formula("a + 0*t", TABLE, y, sample_weight=(T < 5.0) * 1.0))["a"] == pytest.approx(2.0)
    precise = Model.from_formula("a + 0*t", TABLE, y, noise=np.where(T < 5.0, 1e-3, 1e3))
    assert values(precise)["a"] == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize(
    ("formula", "X", "y", "more", "said"),
    [
        ("a*foo(x)", TABLE, T, {}, "formula: expected a function among"),
        ("log(-x)*a", TABLE, T, {}, "formula: expected finite values on all rows for some constants"),
        ("a*x", TABLE, T[:5], {}, r"y: expected one value per row of X, shape \(60,\); got \(5,\)"),
        ("a*x", TABLE.x, T, {}, r"X: expected shape \(rows, features\)"),
        ("a*x", TABLE, np.where(T > 5, np.nan, T), {}, "y: expected finite"),
        ("a*x", TABLE, T, {"noise": "much"}, "noise: expected auto"),
        ("a*x", TABLE, T, {"noise": np.zeros(60)}, "noise: expected finite numbers above 0"),
        ("a*x", TABLE, T, {"sample_weight": np.zeros(60)}, "sample_weight: expected at least one"),
        ("a*x", TABLE, T - 5, {"noise": "relative"}, "noise: expected a target of one sign"),
    ],
)
def test_bad_input(formula, X, y, more, said):
    with pytest.raises(ValueError, match=said):
        Model.from_formula(formula, X, y, **more)
