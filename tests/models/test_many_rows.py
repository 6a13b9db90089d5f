"""An answer from very many rows: forms are tried on some of them, and all of them decide."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.data.noise import possible
from epsilex.data.rows import Rows, evenly
from epsilex.models import effort
from epsilex.models.answer import answer
from epsilex.models.choice import description
from epsilex.models.choice.description import describe
from epsilex.models.choice.language import Language
from epsilex.models.effort import seconds_to_answer
from epsilex.models.front import SOME, Scorer
from epsilex.programs import numeric
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse

NAMES = ["a", "b"]
N = 3 * SOME


def many(seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed)
    X = rng.uniform(1.0, 3.0, (N, 2))
    return Rows(X, X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=N), np.ones(N))


def told(rows: Rows, *formulas: str, rule: str = "description"):
    score = Scorer(NAMES, lambda y, out: np.abs(y - out), rows)
    return answer([parse(text, NAMES) for text in formulas], [], score, rule, True, 50)


def test_evenly():
    assert evenly(5, 5) == slice(None)
    np.testing.assert_array_equal(evenly(9, 3), [0, 4, 8])
    rows = many()
    assert rows.some(N) is rows
    np.testing.assert_array_equal(rows.some(SOME).y, rows.y[evenly(N, SOME)])


def test_values_in_blocks(monkeypatch):
    program, X = parse("sin(a)*exp(-b) + a/b^2", NAMES), many().X
    whole = evaluate64(program, X)
    monkeypatch.setattr(numeric, "BLOCK", 1000)
    np.testing.assert_array_equal(evaluate64(program, X), whole)


def test_a_description_takes_derivatives_on_some_rows_and_residuals_on_all(monkeypatch):
    rows = many()
    program, language = parse("1.01*a*b + 0.02", NAMES), Language(("add", "mul"), 2)
    whole = describe(program, rows.X, possible("additive", rows), language)
    monkeypatch.setattr(description, "MAX_ROWS", 2000)
    some = describe(program, rows.X, possible("additive", rows), language)
    assert some.residuals == whole.residuals
    assert some.constants == pytest.approx(whole.constants, abs=0.5)


@pytest.mark.parametrize("rule", ["description", "accuracy"])
def test_errors_are_those_on_all_rows(rule):
    rows = many()
    found = told(rows, "0.9*a*b + 0.1", "a + b", "a*b + 0.01*sin(9*a)", rule=rule)
    for m in found.models:
        assert m.metrics["mae"] == pytest.approx(np.abs(rows.y - m.predict(rows.X)).mean(), rel=1e-12)
    assert found.models[found.chosen].metrics["mae"] == pytest.approx(0.08, rel=0.05)  # 0.1 sqrt(2 / pi)


def test_a_row_that_is_not_tried_can_rule_a_formula_out():
    rows = many()
    place = int(np.setdiff1d(np.arange(N), evenly(N, SOME))[7])
    rows.X[place, 0] = -1.0
    rows.y[place] = -rows.X[place, 1]
    found = told(rows, "2*b*log(a) + b", "1.5*a")
    assert not any("log" in m.formula for m in found.models)
    assert all(np.isfinite(m.predict(rows.X)).all() for m in found.models)


def test_all_rows_decide_between_the_forms():
    """Where the tried rows follow one law and the others, the large majority, another."""
    rows = many()
    tried = evenly(N, SOME)
    y = rows.X[:, 0] + 0.1 * np.random.default_rng(1).normal(size=N)
    y[tried] = rows.y[tried]
    found = told(Rows(rows.X, y, rows.weight), "a*b", "a", rule="description")
    assert found.models[found.chosen].formula.endswith("*a")  # one factor of all rows


def test_the_time_of_an_answer_grows_with_rows(monkeypatch):
    def seconds(work):
        work()
        return calls[-1] * 1e-9

    calls: list[int] = []
    for name in ("jacobian64", "evaluate64"):
        monkeypatch.setattr(effort, name, lambda nodes, X, *rest: calls.append(len(X)))
    monkeypatch.setattr(effort, "_seconds", seconds)
    rows = many()
    few = seconds_to_answer(rows.some(effort.FEW))
    assert few == pytest.approx(1e-9 * effort.FEW * (effort.STEPS + effort.DERIVATIVES + effort.VALUES))
    assert seconds_to_answer(rows) > few
    assert calls == [effort.FEW] * 4 + [N] * 2
