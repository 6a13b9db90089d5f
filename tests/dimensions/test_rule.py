"""Which formulas are consistent: by hand, and by the kernel that must agree with the exact rule."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from epsilex.dimensions.knowledge import rule_of
from epsilex.dimensions.law import law_of
from epsilex.dimensions.monomials import enumerated, program
from epsilex.evolution import Settings
from epsilex.evolution.purposes import START
from epsilex.evolution.variation.typed import typed_children, typed_programs, typed_start
from epsilex.programs import random_programs
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import BUILT_IN_NAMES
from epsilex.programs.parser import parse

NAMES = ["m", "v", "c", "L", "t", "a"]
UNITS = {"m": "kg", "v": "m/s", "c": "km/h", "L": "m", "t": "s", "a": "1"}
SETTINGS = Settings(population_size=400, max_length=30, seed=5)


def rule(constants="none", target="J"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns that a target cannot contain
        return rule_of(UNITS, target, constants, NAMES, None)


@pytest.mark.parametrize(
    ("formula", "allowed"),  # under none, overall, any
    [
        ("0.5*m*square(v)", "yes yes yes"),
        ("0.5*m*v", "no yes yes"),
        ("m*v", "no yes no"),
        ("m*c*c/sqrt(1 - square(v/c))", "yes yes yes"),
        ("3.1", "yes yes yes"),
        ("m*v*v + 3", "no yes yes"),
        ("2*(m*v + 1.7) - 4", "no yes yes"),
        ("-(m*v*c)/7", "yes yes yes"),
        ("m*v*v*sin(a)", "yes yes yes"),
        ("m*v*v*sin(t)", "no no no"),
        ("m*v*v*sin(2*t)", "no no yes"),
        ("m*v*v*exp(-3*L/(v*t))", "yes yes yes"),
        ("3/(v + 2)", "no no yes"),
        ("m*v*L/t", "yes yes yes"),
        ("m*v**2", "yes yes yes"),
        ("m*v**2.1", "no yes no"),
        ("m*v**2.1234", "no no no"),
        ("m*v**a", "no no no"),
        ("m*v*v*a**2.1", "yes yes yes"),
        ("m*v*(v + L)", "no no no"),
        ("m*v*(v + 2*L)", "no no yes"),
        ("m*sqrt(square(v)*c*c)", "yes yes yes"),
        ("m*abs(v)*max(v, c)*inv(inv(-a))", "yes yes yes"),
        ("m*v*min(v, t)", "no no no"),
        ("m*pdiv(L, t)*v + 0.5*m*v*v", "yes yes yes"),
    ],
)
def test_by_hand(formula, allowed):
    found = [
        "yes" if rule(constants).allows(parse(formula, NAMES)) else "no" for constants in ("none", "overall", "any")
    ]
    assert " ".join(found) == allowed


@pytest.mark.parametrize("target", ["m/s", "1", "m"])
@pytest.mark.parametrize("constants", ["none", "overall"])
def test_the_kernel_agrees_with_the_rule(constants, target):
    """What the kernel takes is consistent, exactly; what it refuses is not, or has a dimension outside its table."""
    own = rule(constants, target)
    law = law_of(own, BUILT_IN_NAMES, 9)
    programs = random_programs(20_000, len(NAMES), np.random.default_rng(0), 1, 9, BUILT_IN_NAMES)
    taken = law.consistent(programs)
    exact = np.array([own.dimension(programs.nodes(i)) is not None for i in range(len(programs))])
    if constants == "none":
        exact = np.array([own.dimension(programs.nodes(i)) == own.target for i in range(len(programs))])
        assert taken.sum() > 20
    assert exact[taken].all()
    few = programs.length <= 3  # nothing there leaves the table
    no_power = (programs.opcode != BUILT_IN_NAMES.index("pow") + 2).all(axis=1)
    if constants == "none":
        assert (taken == exact)[few & no_power].all()


@pytest.mark.parametrize("constants", ["none", "overall", "any"])
@pytest.mark.parametrize("target", ["J", "1"])
def test_starts_and_children_are_consistent_and_varied(constants, target):
    own = rule(constants, target)
    law = law_of(own, SETTINGS.operators, SETTINGS.max_length)
    programs = typed_start(law, SETTINGS, 400)
    for generation in range(4):
        programs.validate(len(NAMES))
        assert law.consistent(programs).all()
        assert all(own.dimension(programs.nodes(i)) is not None for i in range(400))
        if constants == "none":
            assert all(own.allows(programs.nodes(i)) for i in range(400))
        fitness = np.random.default_rng(generation).random(400)
        parents = np.random.default_rng(generation + 9).integers(400, size=400)
        one, two = (
            typed_children(law, programs, fitness, parents, SETTINGS, len(NAMES), generation, n_jobs)
            for n_jobs in (1, 3)
        )
        assert all(
            getattr(one.programs, name).tobytes() == getattr(two.programs, name).tobytes()
            for name in ("opcode", "feature", "constant", "length")
        )
        new = one.origin < 0
        assert new.mean() > 0.6
        programs = one.programs
    shapes = {tuple((o, f) for o, f, _ in programs.nodes(i)) for i in range(400)}
    assert len(shapes) > 150


def test_programs_of_a_wanted_dimension():
    law = law_of(rule(), SETTINGS.operators, SETTINGS.max_length)
    wanted = np.resize(np.flatnonzero(law.count), 300)
    programs = typed_programs(law, SETTINGS, np.full(300, 8), wanted, 0, START)
    assert (law.ids(programs) == wanted).all()


def test_terminals_are_what_their_id_says():
    own = rule()
    law = law_of(own, SETTINGS.operators, SETTINGS.max_length)
    ids = law.ids(law.terminals)
    assert (ids == np.repeat(np.arange(len(law.count)), law.count)).all()
    assert all(own.dimension(nodes) == own.target for nodes in law.targets)
    assert all(not any(own.dimension(nodes)) for nodes in law.groups)
    assert len(law.groups) > 10


def test_products_are_the_powers_they_say():
    X = np.random.default_rng(0).uniform(0.5, 2.0, (20, 3))
    for row in enumerated(3)[1:200]:
        expected = np.prod(X**row, axis=1)
        for operators in (("mul", "div"), ("mul", "div", "square")):
            assert np.allclose(evaluate64(program(row, operators), X), expected)


def test_a_target_of_other_powers_is_an_error():
    with pytest.raises(ValueError, match="target_unit: expected one that products of whole and half powers"):
        law_of(rule_of({"x": "m"}, "m^(1/3)", "none", ["x"], None), SETTINGS.operators, 30)
