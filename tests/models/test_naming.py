"""Constants by name: where the data allows it, and not where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor, load_model
from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.models.choice.language import Language
from epsilex.models.model import model
from epsilex.models.naming import named
from epsilex.models.polish import polish
from epsilex.programs.constants import is_symbolic, named_number, written
from epsilex.programs.formula import text
from epsilex.programs.intervals import Interval
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import COMMON
from epsilex.programs.parser import parse

RNG = np.random.default_rng(0)
X = RNG.uniform(1.0, 5.0, (100, 2))
BOX = [Interval(1.0, 5.0)] * 2
LANGUAGE = Language(COMMON, 2)
NAMES = ["q", "r"]


@pytest.mark.parametrize(
    ("value", "over", "under"),
    [
        (7.0, ("7",), ()),
        (0.5, (), ("2",)),
        (1 / 3, (), ("3",)),
        (2 / 3, ("2",), ("3",)),
        (2.5, ("2.5",), ()),
        (1 / (4 * np.pi), (), ("4", "pi")),
        (3 / (4 * np.pi), ("3",), ("4", "pi")),
        (1 / (6 * np.pi), (), ("6", "pi")),
        (3 / (20 * np.pi), ("3",), ("20", "pi")),
        (1 / (2 * np.pi**3), (), ("2", "pi^3")),
        (2 * np.pi, ("2", "pi"), ()),
        (np.pi**2, ("pi^2",), ()),
        (1 / np.sqrt(2 * np.pi), (), ("sqrt(2*pi)",)),
        (np.sqrt(2.0), ("sqrt(2)",), ()),
        (np.sqrt(2 / np.pi), ("sqrt(2/pi)",), ()),
        (np.e / 2, ("e",), ("2",)),
    ],
)
def test_numbers_that_have_a_name(value, over, under):
    known = written(value)
    assert (known.over, known.under) == (over, under)


def test_numbers_that_have_none():
    for value in RNG.uniform(0.01, 100.0, 2000):
        assert written(float(value)) is None
    assert not is_symbolic(3.14159265)
    assert is_symbolic(-np.pi)
    assert written(np.pi, frozenset({"pi"})) is None


def test_a_constant_of_the_user():
    assert named_number(8.314, {"R": 8.314}, frozenset()).over == ("R",)
    assert named_number(2 * 8.314 / 3, {"R": 8.314}, frozenset()).under == ("3",)
    assert named_number(299792458.0**2, {"c": 299792458.0}, frozenset()).over == ("c^2",)
    assert named_number(8.31400001, {"R": 8.314}, frozenset()) is None
    assert named_number(8.3141, {"R": 8.3141}, frozenset({"R"})) is None  # a column of that name


def fitted(formula, law, noise, constants=None):
    """The text of a formula whose constants were fitted to data of the law, with constants named."""
    y = evaluate64(parse(law, NAMES), X) * (1.0 + noise * np.random.default_rng(1).normal(size=len(X)))
    additive = Noise.of("additive", Rows(X, y, np.ones(len(y))))
    found = named(polish(parse(formula, NAMES), X, additive, [0]), X, additive, constants or {}, BOX, LANGUAGE)
    return text(found, NAMES, 6, constants or {})


def test_exact_data_names_pi():
    assert fitted("0.0795*q/r^2", "q/(4*pi*r^2)", 1e-7) == "q/(4*pi*r^2)"


@pytest.mark.parametrize(
    "name", ["q/(6*pi*r)", "sqrt(2*pi)*q/r", "3*q/(4*pi*r)", "8*pi*q/(3*r)", "3*q/(20*pi*r)", "pi^2*q/r"]
)
def test_exact_data_names_what_stands_in_textbooks(name):
    value = evaluate64(parse(name, NAMES), np.array([[1.0, 1.0]])).item()
    assert fitted(f"{value * 1.00001!r}*q/r", name, 1e-7) == name


def test_e_names_no_fitted_number():
    assert "e" not in fitted("1.13262*q/r", "5*2.718281828459045/12*q/r", 1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_a_constant_that_others_make_up_for_has_no_name(seed):
    """Interest, A*(1 + r)^t, exact to eight digits and fitted by another formula: whatever a constant is called, the
    others are tuned to it."""
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.uniform(0.01, 0.12, 25), rng.integers(1, 30, 25)])
    y = np.array([float(f"{v:.8g}") for v in rng.uniform(0.5, 2.0) * (1.0 + rows[:, 0]) ** rows[:, 1]])
    noise = Noise.of("additive", Rows(rows, y, np.ones(25)))
    box = [Interval(0.01, 0.12), Interval(1.0, 30.0)]
    start = parse("exp(r*(2.06*t - 3.7)/(2.06 + r))*(1.5*(r + 1.15)^2 - 0.1)", ["r", "t"])
    nodes = LANGUAGE.shortest(LANGUAGE.tidy(polish(start, rows, noise, steps=100), rows), box, rows)
    assert named(nodes, rows, noise, {}, box, LANGUAGE) == nodes


def test_noise_leaves_the_number():
    assert "pi" not in fitted("0.0796*q/r^2", "q/(4*pi*r^2)", 0.05)


def test_a_number_that_is_none_stays():
    assert fitted("0.0813274651*q/r^2", "0.0813274651*q/r^2", 1e-7) == "0.0813275*q/r^2"


def test_a_constant_of_the_user_in_slightly_noisy_data():
    assert fitted("8.3141*q/r", "8.314*q/r", 1e-3, {"R": 8.314}) == "R*q/r"


def test_the_estimator_and_files(tmp_path):
    how = {"generations": 3, "population_size": 100, "time_limit": None, "random_state": 0}
    y = 8.314 * X[:, 0] * X[:, 1]
    est = SymbolicRegressor(constants={"R": 8.314}, **how).fit(X, y)
    assert est.model_.formula == "R*x0*x1"
    assert est.model_.text() == "8.314*x0*x1"
    est.model_.save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").formula == "R*x0*x1"
    plain = SymbolicRegressor(constants=False, **how).fit(X, X[:, 0] / 3)
    assert "/3" not in plain.model_.formula


@pytest.mark.parametrize("bad", [{"R": 0.0}, {"R": np.inf}, {"a b": 1.0}, {1: 2.0}, True, ["R"], "R"])
def test_bad_constants(bad):
    with pytest.raises(ValueError, match="constants: expected a mapping from names to numbers"):
        SymbolicRegressor(constants=bad, generations=1, time_limit=None).fit(X, X[:, 0])


def test_a_constant_named_like_a_column():
    with pytest.raises(ValueError, match="constants: expected names that are not columns; got 'x0'"):
        SymbolicRegressor(constants={"x0": 2.0}, generations=1, time_limit=None).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="constants: expected names that are not functions; got 'sin'"):
        SymbolicRegressor(constants={"sin": 2.0}, generations=1, time_limit=None).fit(X, X[:, 0])


def test_numbers_can_stay_decimals():
    m = model(parse("x0/3 + 0.25*x1"), ["x0", "x1"])
    assert m.formula == "x0/3 + x1/4"
    assert m.text(6) == "x0/3 + 0.25*x1"
