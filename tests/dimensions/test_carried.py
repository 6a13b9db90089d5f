"""Units that constants carry."""

from __future__ import annotations

import pytest

from epsilex.dimensions.carried import carried
from epsilex.dimensions.units import dimension
from epsilex.programs.operators import CONSTANT, FEATURE
from epsilex.programs.parser import parse

NAMES = ["n", "T", "V", "t", "v", "c"]
UNITS = ["mol", "K", "m^3", "s", "m/s", "km/h"]


@pytest.mark.parametrize(
    ("formula", "target", "units"),
    [
        ("8.31*n*T/V", "Pa", ["Pa*m**3/K/mol"]),
        ("8.31*(n*T/V)", "J/m^3", ["J/K/mol"]),
        ("3.5*exp(-0.2*t)", "V", ["V", "1/s"]),
        ("3.5*exp(-0.2*v/c)", "V", ["V", "1"]),
        ("2*t/(3.5 + t)", "mol/s", ["mol/s", "s"]),
        ("2.5*v + 3*t - 7", "m/s", ["1", "m/s**2", "m/s"]),
        ("square(0.3*t)", "J", ["J**0.5/s"]),
        ("sqrt(0.3*t)", "J", ["J**2/s"]),
        ("sin(2*t)*T*1.5", "K", ["1/s", "1"]),
        ("n*(4*t + 2*v)", "mol*m", ["m/s", "s"]),
        ("t/(2*v)", "m", ["s**2/m**2"]),
    ],
)
def test_by_hand(formula, target, units):
    nodes = parse(formula, NAMES)
    found = carried(nodes, UNITS, target)
    places = [k for k, (code, _, value) in enumerate(nodes) if code == CONSTANT or (code == FEATURE and value != 1.0)]
    shown = [found[k] for k in places]
    assert [dimension(unit, "u") for unit in shown] == [dimension(unit, "u") for unit in units], shown
