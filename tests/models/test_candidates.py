"""Candidates: every program is looked at once, and the best that are different are made lean once more."""

from __future__ import annotations

import re

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.data.losses import loss_function
from epsilex.data.rows import Rows
from epsilex.models.candidates import _different, _promising, forms_of
from epsilex.models.front import Scorer
from epsilex.programs.gradient import constant_places
from epsilex.programs.parser import parse


def scorer(x, y, **how) -> Scorer:
    return Scorer(["x"], loss_function("mae"), Rows(x[:, None], y, np.ones(len(y)), None), printed=True, **how)


@pytest.fixture
def saturation() -> Scorer:
    x = np.linspace(0.2, 40.0, 30)
    y = 4.5 * x / (6.0 + x) * (1.0 + 0.05 * np.random.default_rng(3).normal(size=30))
    return scorer(x, y)


def test_a_program_on_several_shelves_takes_one_place(saturation):
    texts = ["3.8 - 3.4*exp(-0.13*x)", "4.5*x/(6 + x)", "log(2*x)"]
    programs = [parse(text, ["x"]) for text in texts]
    found = _promising([*programs[:1] * 10, *programs], saturation, 3)
    assert sorted(map(tuple, found)) == sorted(map(tuple, programs))


def test_forms_of_one_function_are_made_lean_once(saturation):
    bench = saturation.bench
    texts = ["4.5*x/(6 + x)", "1/(1/4.5 + 6/(4.5*x))", "4.5/(1 + 6/x)", "1.2*log(2*x)"]
    forms = [bench.described(parse(text, ["x"])) for text in texts]
    assert [forms.index(form) for form in _different(forms, 3)] == [0, 3]


def test_a_law_of_two_terms_is_printed_without_a_factor_inside_its_square():
    rng = np.random.default_rng(0)
    v = np.linspace(2.0, 16.0, 20)
    F = 2.1 * v + 0.34 * v**2 + 0.2 * rng.normal(size=20)
    est = SymbolicRegressor(generations=10, time_limit=None, random_state=0, n_jobs=1).fit(v[:, None], F)
    assert re.fullmatch(r"0\.3\d*\*x0\^2 \+ [\d./]+\*x0", est.model_.formula)


def test_a_program_that_passes_close_to_every_row_does_not_come_first():
    rng = np.random.default_rng(0)
    x = np.linspace(0.2, 5.0, 12)
    law = 4.4 * np.sqrt(x)
    close = np.polynomial.polynomial.polyfit(x, law + 0.1 * rng.normal(size=12), 10)
    y = np.polynomial.polynomial.polyval(x, close) + 1e-5 * rng.normal(size=12)
    texts = [" + ".join(f"({c:.17g})*x^{k}" for k, c in enumerate(close)), "4.4*sqrt(x)"]
    long, short = (tuple(parse(text, ["x"])) for text in texts)
    assert list(map(tuple, _promising([long, short], scorer(x, y), 2))) == [short, long]


def test_lean_forms_are_made_under_both_kinds_of_noise():
    """What relative noise calls a 1, additive noise calls 0.96, which no lean form of its own would drop."""
    rng = np.random.default_rng(17)
    k, m, n = rng.uniform(100.0, 2000.0, 26), rng.uniform(1.0, 40.0, 26), rng.uniform(1.0, 40.0, 26)
    y = 13.03 * np.sqrt(k / m + k / n) * (1.0 + 0.01 * rng.normal(size=26))
    rows = Rows(np.column_stack([k, m, n]), y, np.ones(26), None)
    score = Scorer(["k", "m", "n"], loss_function("mae"), rows, printed=True)
    # The law as additive noise has it, with 0.96 at one of its terms.
    unequal = next(noise for noise in score.noises if noise.kind == "additive")
    begin = score.bench.tuned(parse("12*sqrt(k*(0.95/m + 1/n)) + 0.5", score.names), unequal)
    best = forms_of([begin], score)[0]
    assert best.description.noise.kind == "relative"
    fitted = [best.nodes[k][2] for k in constant_places(best.nodes) if best.nodes[k][2] != 1.0]
    assert fitted == pytest.approx([13.03], rel=0.01)
