"""Structural limits of a search: no formula that breaks one is ever on a front."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex import Settings, SymbolicRegressor
from epsilex.evolution.measuring.cases import Cases
from epsilex.evolution.population import Union
from epsilex.evolution.run import Run
from epsilex.models.choice.language import Language
from epsilex.programs import Programs
from epsilex.programs.operators import opcode
from epsilex.programs.parser import parse
from epsilex.programs.structure import structure_of

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.uniform(0.5, 3.0, (60, 3)), columns=["x", "y", "z"])
Y = np.sin(X["x"]) * np.exp(np.sin(X["y"])) + X["z"] ** 2.5 + RNG.normal(scale=0.05, size=60)
LIMITS = [
    {"nesting": {"sin": ["sin", "cos"], "exp": ["sin", "cos", "exp"], "square": ["square"]}},
    {"required": ["y", "z"], "forbidden": ["x"]},
    {"costs": {"sin": 8, "exp": 6}},
    {"whole_exponents": True, "operators": ("add", "sub", "mul", "div", "pow", "exp")},
]


def fitted(n_jobs=1, random_state=0, generations=4, guesses=(), **limit):
    settings = Settings(population_size=100, max_length=16, **limit)
    est = SymbolicRegressor(
        settings=settings, generations=generations, time_limit=None, guesses=guesses, n_jobs=n_jobs,
        random_state=random_state,
    )  # fmt: skip
    return est.fit(X, Y)


def structure(limit):
    s = Settings(**limit, max_length=16)
    return structure_of(s.nesting, s.whole_exponents, s.required, s.forbidden, list(X.columns), s.costs, s.max_length)


@pytest.fixture(scope="module")
def free():
    return fitted()


@pytest.mark.parametrize("limit", LIMITS)
def test_every_formula_keeps_the_limits(limit, free):
    est = fitted(**limit)
    known = structure(limit)
    assert all(known.allows(m.nodes) for m in est.models_)
    assert not known.violated(est.search_.state.population.programs).any()
    if "whole_exponents" not in limit:  # the default has no powers but squares
        assert known.violated(free.search_.state.population.programs).any()


def test_threads_do_not_matter():
    one, two = fitted(**LIMITS[0]), fitted(**LIMITS[0], n_jobs=2)
    assert one.front_.equals(two.front_)


def test_a_search_that_is_continued_with_other_limits_drops_what_breaks_them(free):
    est = free.set_params(warm_start=True, settings__forbidden=["x"], generations=2)
    assert all("x" not in m.formula.replace("exp", "") for m in est.fit(X, Y).models_)


def test_a_resumed_search_needs_the_same_limits(tmp_path):
    path = tmp_path / "search"
    settings = Settings(population_size=100, forbidden=["x"])
    make = {"time_limit": None, "random_state": 0, "checkpoint": path}
    whole = SymbolicRegressor(settings=settings, generations=4, time_limit=None, random_state=0).fit(X, Y)
    SymbolicRegressor(settings=settings, generations=2, **make).fit(X, Y)
    resumed = SymbolicRegressor(settings=settings, generations=4, resume=True, **make).fit(X, Y)
    assert resumed.front_.equals(whole.front_)
    other = SymbolicRegressor(settings=settings.changed(forbidden=["y"]), generations=4, resume=True, **make)
    with pytest.raises(ValueError, match="checkpoint: expected the settings"):
        other.fit(X, Y)


def test_a_guess_within_the_limits_alone():
    with pytest.raises(ValueError, match=r"guesses: expected a formula within the limits .* got 'a\*x'"):
        fitted(guesses=["a*x"], forbidden=["x"])
    assert fitted(guesses=["a*z^2 + b*y"], **LIMITS[1], generations=1).model_ is not None


def test_columns_that_are_not_there():
    with pytest.raises(ValueError, match="required: expected columns among 'x', 'y', 'z'; got 'w'"):
        fitted(required=["w"])


class TestCosts:
    X = pd.DataFrame({"x": np.linspace(0.1, 1.5, 40)})
    Y = np.sin(X["x"]) + np.random.default_rng(1).normal(scale=0.01, size=40)

    def chosen(self, **settings):
        known = Settings(population_size=200, operators=("add", "mul", "sin"), **settings)
        return SymbolicRegressor(settings=known, generations=8, time_limit=None, random_state=0).fit(self.X, self.Y)

    def test_a_costly_operator_is_chosen_only_if_the_data_says_so(self):
        assert "sin" in self.chosen().model_.formula
        assert "sin" in self.chosen(costs={"sin": 2}).model_.formula
        assert "sin" not in self.chosen(costs={"sin": 30}).model_.formula

    def test_the_description_pays_for_it(self):
        cheap, costly = (Language(("add", "mul", "sin"), 1, costs) for costs in ((), (("sin", 3),)))
        nodes = parse("sin(x)*x", ["x"])
        price = cheap.price(opcode("sin"))
        assert costly.structure(nodes) == pytest.approx(cheap.structure(nodes) + 2 * price)
        assert costly.price(opcode("add")) == cheap.price(opcode("add"))

    def test_a_power_costs_the_same_however_it_is_written(self):
        language = Language(("add", "mul", "pow", "exp", "log"), 1, (("pow", 4),))
        plain = Language(language.operators, 1)
        for text in ("exp(1.5*log(x))", "x^1.5"):
            nodes = parse(text, ["x"])
            assert language.structure(nodes) > plain.structure(nodes) + 2 * plain.price(opcode("pow"))

    def test_survival_weighs_costs(self):
        names = ["x"]
        nodes = [parse("sin(x)", names), parse("x*x*x", names)]
        programs = Programs.from_nodes(nodes, np.float32)
        cases = Cases.from_arrays(self.X.to_numpy(), self.Y.to_numpy(), np.ones(40), "mae")
        run = Run(cases, Settings(population_size=2, scaling=False, costs={"sin": 9}))
        everyone = run.measured(programs)
        assert Union(everyone).length.tolist() == [2, 5]
        assert Union(everyone, costs=run.costs).length.tolist() == [10, 5]
