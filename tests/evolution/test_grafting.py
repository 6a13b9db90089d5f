"""Grafts: the scion that explains most of a parent's errors, at one of its nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import naive
from epsilex.evolution import Cases, Run, Settings, State
from epsilex.evolution.variation import Offspring
from epsilex.evolution.variation.grafts import graft
from epsilex.evolution.variation.start import start
from epsilex.programs import Programs
from epsilex.programs.operators import arities, opcode
from epsilex.programs.parser import parse
from epsilex.programs.start import random_programs

ROWS = 60
NAMES = ["x0", "x1", "x2"]


def data(seed: int = 0, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.5, 2.0, (rows, 3))
    return X, 2.0 * X[:, 0] + 3.0 * X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=rows)


def measured(programs: Programs, X, y, **options):
    cases = Cases.from_arrays(X, y)
    return cases, cases.measure(programs, **{"scaling": True, "limited": False, **options})


def grafted(population, cases, settings: Settings, share: float, limit: int | None = None, n_jobs: int = 1):
    """Children of everyone, each a copy of its parent before the graft; and their origins."""
    who = np.arange(len(population))
    limits = np.full(len(population), limit or settings.max_length)
    offspring = Offspring(population.programs.copy(), who, who, who.copy(), limits)
    graft(offspring, share, State(0, population, 0, np.empty(0)), Run(cases, settings, n_jobs))
    return offspring.programs, offspring.origin


@pytest.mark.parametrize(("scaling", "through_zero"), [(True, False), (True, True), (False, False)])
@pytest.mark.parametrize("replaced", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_scion_as_least_squares_finds_it(scaling, through_zero, replaced, seed):
    """At node `0.3*x0` of `exp(0.3*x0) + x1`, whose derivative is known, with as many tries as to see every scion."""
    from epsilex.kernels import grafting

    rng = np.random.default_rng(seed)
    X, y = data(seed)
    w = rng.uniform(0.5, 2.0, ROWS)
    w *= ROWS / w.sum()
    parent = Programs.from_nodes([parse("exp(0.3*x0) + x1", NAMES)], np.float32)
    value = 0.3 * X[:, 0]
    out = np.exp(value) + X[:, 1]
    columns = np.column_stack([out, np.full(ROWS, 0.0 if through_zero else 1.0)]) * np.sqrt(w)[:, None]
    slope, intercept = np.linalg.lstsq(columns, y * np.sqrt(w), rcond=None)[0] if scaling else (1.0, 0.0)
    g = slope * np.exp(value)
    scions = random_programs(40, 3, rng, 1, 5, ("add", "mul", "sin"))
    values = np.array([naive.evaluate(scions.nodes(j), X) for j in range(40)])
    varies = values.std(axis=1) > 1e-6
    scions, values = scions.take(np.flatnonzero(varies)), values[varies]
    base = slope * out + intercept - (g * value if replaced else 0.0)
    left = [naive.scion(y, w, out, g, T, base, scaling, through_zero)[1] for T in values]
    without = naive.scion(y, w, out, g, np.zeros(ROWS), base, scaling, through_zero)[1]

    single = [a.astype(np.float32) for a in (y, w, out[None], value[None], (out + g / slope)[None], values)]
    child = Programs.empty(1, 20)
    origin, factors, good = np.zeros(1, np.int64), np.zeros(len(values), bool), np.ones(len(values), bool)
    stock = (parent.opcode, parent.feature, parent.constant, parent.length)
    grafting.graft(
        np.uint64(seed), 0, 0, np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([20]), 2000, float(replaced),
        single[0], single[1], ROWS, *single[2:5], np.ones(1, bool), np.array([slope]), np.array([intercept]), scaling,
        through_zero, *stock, np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int64),
        scions.opcode, scions.feature, scions.constant, scions.length, single[5], good, factors,
        np.zeros(len(values), np.int64),
        opcode("add"), opcode("mul"), child.opcode, child.feature, child.constant, child.length, origin, 0, 1,
    )  # fmt: skip
    leaf, *rest = parent.nodes(0)
    nodes = child.nodes(0)
    own = [] if replaced else [leaf]
    after = rest if replaced else [(opcode("add"), 0, 0.0), *rest]
    assert nodes[: len(own)] == own
    assert nodes[-len(after) :] == after
    term = naive.evaluate(nodes[len(own) : -len(after)], X)
    c, unexplained = naive.scion(y, w, out, g, term, base, scaling, through_zero)
    assert c == pytest.approx(1.0, rel=1e-3)
    assert without - unexplained > (1.0 - 2.0 * grafting.LEVEL) * (without - min(left))
    assert origin[0] == -1


def test_where_a_program_begins_with_a_factor():
    from epsilex.kernels.grafting import begin_with_factors

    texts = {
        "x0": True, "2*x0*x1": True, "x0/x1*sin(x2)": True, "x0*(x1 + x2)": True, "sin(x0)": False,
        "x0 + x1": False, "(x0 + x1)*x2": False, "sin(x0)/x1": False, "square(x0*x1)": False,
    }  # fmt: skip
    programs = Programs.from_nodes([parse(text, NAMES) for text in texts], np.float32)
    found = np.empty(len(texts), bool)
    codes = (programs.opcode, programs.length, arities(), opcode("mul"), opcode("div"))
    begin_with_factors(*codes, True, found)
    assert dict(zip(texts, found.tolist(), strict=True)) == texts
    begin_with_factors(*codes, False, found)  # a feature without coefficient cannot take a factor
    assert not found[: len(texts)][[t.startswith("x") for t in texts]].any()


@hypothesis_settings(deadline=None)  # the first call compiles
@given(st.integers(0, 1000), st.integers(5, 50), st.sampled_from([0.0, 0.5, 1.0]))
def test_grafts_are_programs_within_their_limit(seed, limit, share):
    X, y = data(seed)
    settings = Settings(population_size=40, seed=seed, max_length=50)
    programs = start(settings, 40, 3)
    cases, population = measured(programs, X, y)
    children, origin = grafted(population, cases, settings, share, limit)
    children.validate(3)
    new = origin < 0
    assert share > 0 or not new.any()
    assert (children.length[new] <= limit).all()
    for i in np.flatnonzero(~new):  # who is no graft is as it was
        assert children.nodes(i) == programs.nodes(i)


def test_most_grafts_are_fitter_than_their_parents():
    X, y = data(rows=300)
    settings = Settings(population_size=300)
    parents = Programs.from_nodes([parse("x0 + 0.1*sin(x1)", NAMES)] * 300, np.float32)
    wide = Programs.empty(300, 50)
    for name in ("opcode", "feature", "constant"):
        getattr(wide, name)[:, : parents.width] = getattr(parents, name)
    wide.length[:] = parents.length
    cases, population = measured(wide, X, y)
    children, origin = grafted(population, cases, settings, 1.0)
    assert (origin < 0).mean() > 0.9
    fitness = cases.measure(children, scaling=True, limited=False).fitness
    assert (fitness[origin < 0] < population.fitness[origin < 0]).mean() > 0.6


def test_threads_change_nothing():
    X, y = data(rows=200)
    settings = Settings(population_size=200)
    cases, population = measured(start(settings, 200, 3), X, y)
    one, two = (grafted(population, cases, settings, 0.5, n_jobs=n)[0] for n in (1, 2))
    assert (one.opcode == two.opcode).all()
    assert (one.constant == two.constant).all()


@pytest.mark.parametrize("operators", [("sub", "mul", "sin"), ("add", "sin")])
def test_no_operator_that_was_not_asked_for(operators):
    X, y = data()
    settings = Settings(population_size=40, operators=operators)
    cases, population = measured(start(settings, 40, 3), X, y)
    assert (grafted(population, cases, settings, 1.0)[1] >= 0).all()
