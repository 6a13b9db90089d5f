"""Units as text, in headers, and what can be made of them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from epsilex.dimensions import exact
from epsilex.dimensions.knowledge import rule_of
from epsilex.dimensions.law import fractions_of
from epsilex.dimensions.units import dimension, from_header

LENGTH, MASS, TIME = "[length]", "[mass]", "[time]"


@pytest.mark.parametrize("text", ["J", "kg m^2/s^2", "N*m", "eV", "kg·m**2/s**2", "kWh"])
def test_units_of_one_dimension(text):
    assert dimension(text, "unit") == {LENGTH: 2, MASS: 1, TIME: -2}


@pytest.mark.parametrize("text", ["", " ", "1", "-", "rad", "%", "m/m"])
def test_pure_numbers(text):
    assert dimension(text, "unit") == {}


def test_exponents_are_exact():
    assert dimension("m^(1/3)", "unit") == {LENGTH: Fraction(1, 3)}


@pytest.mark.parametrize("text", ["furlongz", "m/", "1/0", "__import__('os')", "m" * 200, "m^m", 3])
def test_no_unit(text):
    with pytest.raises(ValueError, match=r"^units: column 'x': expected a unit"):
        dimension(text, "units: column 'x'")


@pytest.mark.parametrize("text", ["degC", "degF", "dB"])
def test_units_with_a_zero_of_their_own_are_refused(text):
    with pytest.raises(ValueError, match="whose zero is no quantity, such as K"):
        dimension(text, "unit")


@pytest.mark.parametrize(
    ("header", "unit"),
    [("Temp (K)", "K"), ("v [m/s]", "m/s"), ("R (J/(mol K))", "J/(mol K)"), ("n", ""), ("f(x)", "x"), ("a b (1)", "1")],
)
def test_headers(header, unit):
    assert from_header(header) == unit


def test_what_products_can_have():
    _, (m, v, t, energy, charge) = exact.vectors([dimension(u, "u") for u in ("kg", "m/s", "s", "J", "C")])
    assert exact.reachable(energy, [m, v])
    assert not exact.reachable(energy, [m, t])
    assert not exact.reachable(charge, [m, v, t])
    assert exact.useless([m, v, charge], energy) == [2]
    assert exact.useless([m, v, t], energy) == [2]
    assert exact.useless([m, v, v], energy) == []


def test_words():
    bases, (energy, number) = exact.vectors([dimension("J", "u"), {}])
    assert fractions_of(energy, bases) == "length^2 mass / time^2"
    assert fractions_of(number, bases) == "a pure number"


@pytest.mark.parametrize(
    ("units", "target", "said"),
    [
        (None, "J", "target_unit: expected together with units"),
        ({"m": "kg"}, "J", "units: expected a unit of each column, .*none for 'v'"),
        ({"m": "kg", "v": "m/s", "w": "m"}, "J", "units: expected names of columns, 'm', 'v'; got 'w'"),
        ({"m": "kg", "v": "m/s"}, None, "target_unit: expected the unit of the target"),
        ({"m": "kg", "v": "m/furlongz"}, "J", "units: column 'v': expected a unit that pint knows"),
        ({"m": "kg", "v": "m/s"}, "joulez", "target_unit: expected a unit that pint knows"),
        (
            {"m": "kg", "v": "s"},
            "J",
            r"can be made of the columns m \(mass\), v \(time\); got 'J'.*no column has length",
        ),
        ({"m": "kg m", "v": "kg m"}, "kg", "no product of powers of the columns has it"),
        ("header", None, "target_unit: expected a unit, or a target whose name has one"),
    ],
)
def test_bad_units_are_named(units, target, said):
    with pytest.raises(ValueError, match=said):
        rule_of(units, target, "none", ["m", "v"], "y")


def test_the_unit_of_the_target_may_be_in_its_name():
    rule = rule_of("header", None, "none", ["m (kg)", "v [m/s]"], "E (J)")
    assert fractions_of(rule.target, rule.bases) == "length^2 mass / time^2"


def test_a_column_that_cannot_occur_is_told():
    with pytest.warns(UserWarning, match="no formula of consistent units contains 'q'"):
        rule_of({"m": "kg", "v": "m/s", "q": "C"}, "J", "none", ["m", "v", "q"], None)
