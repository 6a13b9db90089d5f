"""Own constants: programs that have them, their tuning, description and uncertainty."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import least_squares

from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.models.choice.description import describe
from epsilex.models.choice.language import Language
from epsilex.models.grouped.bench import Bench, fitted
from epsilex.models.grouped.program import Grouped, collapsed, freed, positive, shared
from epsilex.models.grouped.spread import spread
from epsilex.models.grouped.tuning import Cells, jacobians, tuned, values
from epsilex.models.model import Model
from epsilex.models.own_constants import OwnConstants, names_for
from epsilex.models.persistence import from_document, to_document
from epsilex.programs import random_programs
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import COMMON, FEATURE
from epsilex.programs.parser import parse

NAMES = ["t", "z", "g", "h"]  # two features, two stand-ins
RNG = np.random.default_rng(0)
GROUPS, ROWS = 5, 9
CODE = np.repeat(np.arange(GROUPS), ROWS)
X = RNG.uniform(0.5, 3.0, (GROUPS * ROWS, 2))
TABLE = RNG.uniform(0.5, 2.0, (2, GROUPS))
CELLS = Cells.of(X, CODE)
RATES = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
Y = 3.0 * np.exp(-RATES[CODE] * X[:, 0]) + 0.5 + RNG.normal(scale=0.01, size=len(CODE))
NOISE = Noise.of("additive", Rows(X, Y, np.ones(len(Y))))


def program(text: str, table=TABLE) -> Grouped:
    found = collapsed(parse(text, NAMES), table, 2)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "own", "nodes"),
    [
        ("exp(-t*(0.3 + 0.1*h))", 1, 4),
        ("2 + t/(3 + z - g*h)", 1, 7),
        ("g*t*h*z*g", 1, 5),
        ("exp(g - 2*t + h)", 1, 4),
        ("log(g*t)", 1, 4),
        ("g*t + h*z", 2, 7),
        ("sin(g*t + h) + h", 2, 8),
        ("(g + t)^2 - (h - t)", 2, 0),
        ("3*t", 0, 1),
        ("g*h + 1", 1, 1),
    ],
)
def test_what_is_constant_within_groups_is_one_constant(text, own, nodes):
    found = program(text)
    assert len(found.table) == own
    assert len(found.nodes) == nodes or not nodes
    expected = evaluate64(parse(text, NAMES), np.column_stack([X, TABLE[:, CODE].T]))
    assert np.allclose(values(found, CELLS), expected, rtol=1e-12)


def test_any_program_keeps_its_values():
    p = random_programs(300, 4, np.random.default_rng(3), operators=COMMON, min_length=3, max_length=25)
    seen = 0
    for i in range(len(p)):
        expected = evaluate64(p.nodes(i), np.column_stack([X, TABLE[:, CODE].T]))
        found = collapsed(p.nodes(i), TABLE, 2)
        if found is None or not np.isfinite(expected).all():
            continue
        seen += len(found.table) > 0
        assert all(value == 1.0 for code, j, value in found.nodes if code == FEATURE and j >= 2)
        assert np.allclose(values(found, CELLS), expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    assert seen > 50


def test_an_own_constant_that_is_not_finite():
    assert collapsed(parse("t*log(g - 5)", NAMES), TABLE, 2) is None


def test_a_constant_becomes_one_per_group_and_back():
    one = program("3*exp(-0.5*t) + g")
    place = next(k for k in fitted(one, exact=False) if one.nodes[k][0] == FEATURE)
    more = collapsed(*freed(one, place), 2)
    assert len(more.table) == 2
    assert np.allclose(values(more, CELLS), values(one, CELLS))
    fewer = collapsed(*shared(more, len(more.table) - 1), 2)
    assert len(fewer.table) == 1
    minus = positive(Grouped(one.nodes, -one.table, 2))
    assert (minus.table > 0.0).all()
    assert np.allclose(values(minus, CELLS), values(Grouped(one.nodes, -one.table, 2), CELLS))


@pytest.mark.parametrize("negative", [False, True])
def test_derivatives_are_those_of_differences(negative):
    one = program("1.5*exp(-g*t) + h*z + 0.3")
    one = positive(Grouped(one.nodes, -one.table, 2)) if negative else one
    places = fitted(one, exact=False)
    out, by_shared, by_own = jacobians(one, CELLS, places)
    step = 1e-6
    for which in range(len(one.table)):
        moved = one.table.copy()
        moved[which] += step
        change = (values(Grouped(one.nodes, moved, 2), CELLS) - out) / step
        assert np.allclose(by_own[:, which], change, rtol=1e-4, atol=1e-5)
    assert by_shared.shape == (len(X), len(places))


def test_tuning_is_least_squares_over_all_constants():
    begin = program("2*exp(-g*t) + 0.1", np.ones((2, GROUPS)))
    found = tuned(begin, CELLS, NOISE, fitted(begin, exact=False), 100)

    def left(c):
        return c[0] * np.exp(-c[2:][CODE] * X[:, 0]) + c[1] - Y

    best = least_squares(left, np.r_[2.0, 0.1, np.ones(GROUPS)], xtol=1e-14, ftol=1e-14).x
    assert np.allclose(np.abs(found.table[0]), np.abs(best[2:]), rtol=1e-5)
    assert np.allclose(((values(found, CELLS) - Y) ** 2).sum(), (left(best) ** 2).sum(), rtol=1e-8)
    assert (np.abs(found.table[0] / RATES) < 1.2).all()


def test_the_right_constants_are_one_per_group():
    bench = Bench(CELLS, [NOISE], Language(COMMON, 2))
    start = bench.form(parse("g*exp(-0.5*t) + 0.4", NAMES), np.ones((2, GROUPS)) * 3.0, 20)
    best = min(bench.owned(start), key=lambda form: form.total)
    assert len(best.program.table) == 1
    assert np.allclose(np.sort(np.abs(best.program.table[0])), RATES, rtol=0.1)
    assert best.total < start.total - 20.0


def test_each_value_of_each_group_is_paid_for():
    bench = Bench(CELLS, [NOISE], Language(COMMON, 2))
    form = bench.form(parse("3*exp(-g*t) + 0.5", NAMES), np.ones((2, GROUPS)), 40)
    plain = describe(form.nodes, form.program.columns(X, CODE), [NOISE], Language(COMMON, 2))
    assert form.total - plain.total > 2.0 * GROUPS
    assert form.description.residuals == plain.residuals


def model() -> Model:
    bench = Bench(CELLS, [NOISE], Language(COMMON, 2))
    one = bench.form(parse("3*exp(-g*t) + 0.51", NAMES), np.ones((2, GROUPS)), 40).program
    all_shared, each = spread(one, CELLS, NOISE)
    labels = tuple("ABCDE")
    own = OwnConstants("sample", labels, names_for(1, ["t", "z"]), one.table, each)
    return Model(one.nodes, ("t", "z"), {}, all_shared, own=own)


def frame(code=CODE, of="ABCDE") -> pd.DataFrame:
    return pd.DataFrame(X[: len(code)], columns=["t", "z"]).assign(sample=[of[k] for k in code])


def test_the_uncertainty_is_that_of_the_whole_problem():
    table = model().constants
    assert list(table["group"]) == ["", "", *"ABCDE"]
    wide = np.zeros((len(Y), GROUPS))
    m = model()
    own = np.abs(m.own.values[0])
    value = np.exp(-own[CODE] * X[:, 0])
    factor = table["value"].iloc[int(np.argmax(np.abs(table["value"].iloc[:2])))]
    wide[np.arange(len(Y)), CODE] = -factor * X[:, 0] * value
    J = np.column_stack([value, np.ones(len(Y)), wide])
    variance = ((m.predict(frame()) - Y) ** 2).sum() / (len(Y) - 7)
    errors = np.sqrt(np.diag(variance * np.linalg.inv(J.T @ J)))
    assert np.allclose(np.sort(table["standard_error"]), np.sort(errors), rtol=1e-4)


def test_a_model_of_groups_predicts_and_is_written():
    m = model()
    assert "[sample]" in m.formula
    assert "`" not in m.formula
    data = frame()
    expected = m.predict(data)
    for label in "ABCDE":
        rows = data["sample"] == label
        assert np.array_equal(m.group(label).predict(X[rows]), expected[rows])
    _, low, high = m.predict(data, interval=0.95)
    assert 0.85 < np.mean((low < Y) & (high > Y)) <= 1.0
    scope = {}
    exec(m.python(), scope)
    assert np.array_equal(scope["predict"](X, data["sample"]), expected)
    again = from_document(to_document(m))
    assert np.array_equal(again.predict(data), expected)
    assert again.formula == m.formula
    assert again.constants.equals(m.constants)
    assert to_document(m)["version"] == 2
    assert to_document(m.group("A"))["version"] == 1


@pytest.mark.parametrize("notation", ["c", "excel", "torch", "jax"])
def test_other_notations_are_of_one_group(notation):
    with pytest.raises(ValueError, match=r"expected the formula of one group, such as model.group\(label\)"):
        getattr(model(), notation)()


def test_unknown_groups_and_missing_columns():
    m = model()
    with pytest.raises(ValueError, match=r"expected a group that was fitted, 'A', .* got 'Z'"):
        m.predict(frame(of="ZBCDE"))
    with pytest.raises(ValueError, match="expected a DataFrame with the column of groups, 'sample'"):
        m.predict(X)
    with pytest.raises(ValueError, match="got 'A' for one without"):
        m.group("A").group("A")


def test_a_new_group_after_its_constants_were_tuned():
    m = model()
    few = frame().iloc[:6].assign(sample="new")
    y = 3.0 * np.exp(-0.7 * few["t"]) + 0.5
    more = m.adapted(few, y)
    assert np.allclose(more.predict(few), y, atol=0.02)
    assert np.isclose(abs(more.own.values[0, -1]), 0.7, rtol=0.05)
    assert np.array_equal(more.predict(frame()), m.predict(frame()))
    known = m.adapted(few.assign(sample="A"), y)
    assert sorted(known.own.labels) == list("ABCDE")
    assert np.isclose(abs(known.own.values[0, -1]), 0.7, rtol=0.05)
    with pytest.raises(ValueError, match="model: expected one with constants of groups"):
        m.group("A").adapted(few, y)
    with pytest.raises(ValueError, match="X, y: expected finite numbers"):
        m.adapted(few, y[:3])


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ["A", "A", "C", "D", "E"]}, {"names": ["a b"]}, {"values": [[1.0, 2.0]]}, {"known": []},
        {"column": 3}, {"values": [[1.0, 2.0, 3.0, 4.0, float("nan")]]},
    ],
)  # fmt: skip
def test_a_file_with_other_groups_is_refused(change):
    values_ = model().own.document() | change
    with pytest.raises((ValueError, TypeError)):
        OwnConstants.from_document(values_, len(model().nodes))
