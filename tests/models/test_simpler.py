"""Simpler: what simple constants promise, beside what comes of them."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.data.noise import possible
from epsilex.data.rows import Rows
from epsilex.evolution import Settings
from epsilex.models.choice.language import Language
from epsilex.models.lean import Bench, written_anew
from epsilex.programs.formula import text
from epsilex.programs.parser import parse

NAMES = ["o", "f"]


def bench_of(X: np.ndarray, y: np.ndarray, noise: str = "auto") -> Bench:
    rows = Rows(X, y, np.ones(len(y)))
    return Bench(X, possible(noise, rows), Language((*Settings.operators, "pow"), X.shape[1]))


@pytest.fixture(scope="module")
def lens() -> tuple[np.ndarray, np.ndarray]:
    """Distances of an image behind a thin lens, of 2% noise."""
    rng = np.random.default_rng(5)
    o, f = rng.uniform(12.0, 60.0, 20), rng.uniform(4.0, 10.0, 20)
    return np.column_stack([o, f]), o * f / (o - f) * (1.0 + 0.02 * rng.normal(size=20))


def lean_total(bench: Bench, form) -> float:
    return min(found.total for found in bench.descend(form))


@pytest.mark.parametrize("formula", ["1.02*o/(o/f - 0.95) + 0.2", "0.1 + 16.3*f/(16.6 - 16.4*f/o)", "f*exp(1.2*f/o)"])
def test_a_promise_is_nearly_kept(lens, formula):
    bench = bench_of(*lens)
    form = bench.best(parse(formula, NAMES))
    assert bench.promised(form) == pytest.approx(lean_total(bench, form), abs=6.0)
    assert bench.promised(form) <= form.total


def test_a_law_with_constants_too_many_promises_more_than_a_closer_fit(lens):
    bench = bench_of(*lens)
    law, close = (bench.best(parse(s, NAMES)) for s in ("1.02*o/(o/f - 0.95) + 0.2", "1.17*f*exp(0.01*f*f) - 0.03*o"))
    assert bench.promised(law) < bench.promised(close)


def test_a_power_law_fitted_for_the_wrong_noise_promises_what_the_right_one_gives():
    """A search minimises errors, and the largest rows decide; under relative noise they count as much as the others."""
    rng = np.random.default_rng(1)
    mass = np.geomspace(0.02, 4000.0, 40)
    y = 3.4 * mass**0.75 * np.exp(0.15 * rng.normal(size=40))
    bench = bench_of(mass[:, None], y)
    form = bench.described(parse("1.6*x0^0.84 + 2.4", ["x0"]))
    assert bench.promised(form) < form.total - 20.0


def test_fixing_constants_of_a_sum_is_exact():
    """In a linear model of known noise, fixing constants one by one is least squares with them fixed."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    y = 1.002 * X[:, 0] + 0.003 * X[:, 1] + 0.01 * rng.normal(size=60)
    rows = Rows(X, y, np.ones(60), np.full(60, 0.01))
    bench = Bench(X, possible(rows.sigma, rows), Language((*Settings.operators, "pow"), 2))
    form = bench.best(parse("1.1*o + 0.1*f", NAMES))
    simple = bench.described(parse("o", NAMES))
    # Structure is only counted roughly, by so many nats per node.
    assert bench.promised(form) == pytest.approx(simple.total, abs=4.0)


def test_constants_beyond_the_range_of_floats_promise_nothing():
    year = np.linspace(1971.0, 2009.0, 20)
    bench = bench_of(year[:, None], np.exp(0.34 * (year - 1971.0)))
    form = bench.described(parse("1e7*(4e-292*exp(0.344*x0) + 2.5e-298)", ["x0"]))
    assert bench.promised(form) <= form.total


def test_fractions_put_together_keep_their_simple_numbers(lens):
    assert "o*f/(o - f)" in [text(nodes, NAMES) for nodes in written_anew(parse("o/(o/f - 1)", NAMES))]
    bench = bench_of(*lens)
    *_, last = bench.descend(bench.described(parse("o/(o/f - 1)", NAMES)))
    assert text(last.nodes, NAMES) == "o*f/(o - f)"


def test_the_law_of_the_lens_is_found(lens):
    est = SymbolicRegressor(generations=20, time_limit=None, random_state=0).fit(*lens)
    assert est.model_.formula == "x0*x1/(x0 - x1)"
