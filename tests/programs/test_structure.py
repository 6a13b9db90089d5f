"""Structural limits: nesting of functions, whole exponents, required and forbidden features."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.evolution import Settings
from epsilex.evolution.variation.start import within_limits
from epsilex.programs import random_programs
from epsilex.programs.costs import check_costs, size, sizes
from epsilex.programs.parser import parse
from epsilex.programs.programs import Programs
from epsilex.programs.structure import check_nesting, structure_of

NAMES = ["x", "y", "z"]
LIMITS = [
    {"nesting": {"sin": ["sin", "cos"], "exp": ["exp"]}},
    {"whole_exponents": True},
    {"required": ["x", "z"]},
    {"forbidden": ["y"]},
    {"nesting": {"mul": ["div"]}, "whole_exponents": True, "required": ["z"], "forbidden": ["x"]},
]


def limits(nesting=(), whole_exponents=False, required=(), forbidden=(), names=NAMES):
    return structure_of(check_nesting(dict(nesting)), whole_exponents, required, forbidden, names)


@pytest.mark.parametrize(
    ("formula", "limit", "allowed"),
    [
        ("sin(x) + cos(y)", LIMITS[0], True),
        ("sin(x*exp(1 + cos(y)))", LIMITS[0], False),
        ("cos(sin(x))", LIMITS[0], True),
        ("exp(sin(exp(x)))", LIMITS[0], False),
        ("x^3*y^-2", LIMITS[1], True),
        ("x^2.5", LIMITS[1], False),
        ("x^y", LIMITS[1], False),
        ("x + y", LIMITS[2], False),
        ("x*z", LIMITS[2], True),
        ("x*z + y", LIMITS[3], False),
    ],
)
def test_formulas(formula, limit, allowed):
    nodes = parse(formula, NAMES)
    assert limits(**limit).allows(nodes) is allowed
    assert limits(**limit).violated(Programs.from_nodes([nodes], np.float32))[0] == (not allowed)


@pytest.mark.parametrize("limit", LIMITS)
def test_the_kernel_agrees_with_the_rule(limit):
    operators = ("add", "mul", "div", "pow", "sin", "cos", "exp")
    p = random_programs(400, 3, np.random.default_rng(0), operators=operators, min_length=1, max_length=20)
    structure = limits(**limit)
    if limit.get("whole_exponents"):
        p.constant[::2] = np.rint(p.constant[::2])
    bad = structure.violated(p)
    assert bad.any()
    assert not bad.all()
    assert bad.tolist() == [not structure.allows(p.nodes(i)) for i in range(len(p))]


def test_exponents_are_rounded_but_never_to_nothing():
    programs = Programs.from_nodes([parse(f"x^{c} + 0.3", NAMES) for c in (2.4, 0.2, 3.6)], np.float32)
    structure = limits(whole_exponents=True)
    structure.repair(programs)
    assert [programs.formula(i, NAMES) for i in range(3)] == ["x^2 + 0.3", "x^1 + 0.3", "x^4 + 0.3"]
    assert not structure.violated(programs).any()


@pytest.mark.parametrize("limit", LIMITS)
def test_a_start_keeps_the_limits(limit):
    settings, structure = Settings(max_length=9), limits(**limit)
    drawn = random_programs(160, 3, np.random.default_rng(1), min_length=1, max_length=9)
    found = within_limits(structure, drawn, 20, settings)
    assert len(found) == 20
    assert not structure.violated(found).any()
    constants = Programs.from_nodes([[(0, 0, 1.0)]] * 8, np.float32)
    if structure.required:
        alone = within_limits(structure, constants, 4, settings)
        assert not structure.violated(alone).any()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"nesting": {"sinus": ["cos"]}}, "nesting: expected names among .* got 'sinus'"),
        ({"nesting": {"sin": ["kos"]}}, "nesting: expected names among .* got 'kos'"),
        ({"required": ["q"]}, "required: expected columns among 'x', 'y', 'z'; got 'q'"),
        ({"forbidden": ["q"]}, "forbidden: expected columns among"),
        ({"required": ["x"], "forbidden": ["x"]}, "required, forbidden: expected different columns; got 'x' in both"),
        ({"forbidden": NAMES}, "forbidden: expected that some columns are left"),
    ],
)
def test_impossible_limits_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        limits(**given)


@pytest.mark.parametrize("given", [{"nesting": {"sin": "cos"}}, {"nesting": ["sin"]}, {"required": "x"}])
def test_settings_name_what_is_wrong(given):
    with pytest.raises(ValueError, match=f"{next(iter(given))}: expected a"):
        Settings(**given)


def test_symbols_are_names_of_operators():
    assert Settings(nesting={"^": ["+"]}).nesting == {"pow": ("add",)}


class TestCosts:
    COSTS = (("exp", 2), ("sin", 4))

    def test_nodes_count_what_they_cost(self):
        nodes = parse("sin(x)*exp(y) + 3*z", NAMES)
        assert size(nodes, ()) == len(nodes)
        assert size(nodes, self.COSTS) == len(nodes) + 3 + 1

    def test_many_programs_at_once(self):
        p = random_programs(200, 3, np.random.default_rng(0), min_length=1, max_length=20)
        assert sizes(p, ()) is p.length
        assert sizes(p, self.COSTS).tolist() == [size(p.nodes(i), self.COSTS) for i in range(len(p))]
        assert (sizes(p, self.COSTS) > p.length).any()

    def test_the_limit_counts_costs(self):
        limit = structure_of({}, False, (), (), NAMES, check_costs({"sin": 4, "+": 1}), 6)
        assert limit.costs == (("sin", 4),)
        for formula, allowed in (("sin(x)*y", False), ("sin(x)", True), ("x + y + z", True)):
            nodes = parse(formula, NAMES)
            assert limit.allows(nodes) is allowed
            assert limit.violated(Programs.from_nodes([nodes], np.float32))[0] == (not allowed)

    def test_costs_of_one_are_no_limit(self):
        assert structure_of({}, False, (), (), NAMES, check_costs({"sin": 1}), 6) is None

    @pytest.mark.parametrize(
        ("costs", "said"),
        [
            ({"sinus": 2}, "costs: expected names among"),
            ({"sin": 0}, "costs: expected an integer of at least 1; got 0"),
            ({"sin": 1.5}, "costs: expected an integer"),
            ({"+": 2, "add": 3}, "costs: expected each operator once; got 'add' twice"),
        ],
    )
    def test_bad_costs(self, costs, said):
        with pytest.raises(ValueError, match=said):
            check_costs(costs)
