"""A model's ways to give its values agree; its columns, importance, front and choice."""

from __future__ import annotations

import os
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import settings as hypothesis_settings

import strategies
from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.data.shadow import shadow_rows
from epsilex.models.answer import answer
from epsilex.models.candidates import forms_of
from epsilex.models.choice.accuracy import by_accuracy
from epsilex.models.front import Scorer, front_by_loss, front_frame
from epsilex.models.model import model
from epsilex.models.polish import polish
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import CONSTANT, FEATURE, opcode
from epsilex.programs.parser import parse

NAMES = ["temp (C)", "lambda", "pi"]
X = np.random.default_rng(3).normal(size=(20, 3)) * 2.0
EXAMPLES = int(os.environ.get("EPSILEX_MODEL_EXAMPLES", "300"))


def a_model(formula="2*`temp (C)` + sin(pi)", names=NAMES, **metrics):
    return model(parse(formula, names), names, **metrics)


def by_python(m, X):
    module = {}
    exec(m.python(), module)
    return module["predict"](X)


def by_sympy(m, X):
    symbols = [sp.Symbol(name, real=True) for name in m.feature_names]
    try:
        function = sp.lambdify(symbols, m.sympy(), "numpy")
    except (KeyError, ValueError) as error:  # 0**-x, which SymPy calls complex infinity, has no NumPy form
        assume(not re.search("ComplexInfinity|zoo", str(error)))
        raise
    with np.errstate(all="ignore"):
        return np.broadcast_to(function(*X.T), len(X)).astype(complex)


@hypothesis_settings(max_examples=EXAMPLES)
@given(nodes=strategies.programs())
def test_predict_python_and_sympy_agree(nodes):
    m = model(nodes, NAMES)
    predicted = m.predict(X)
    np.testing.assert_array_equal(by_python(m, X), predicted)
    rows = strategies.well_conditioned(nodes, X)
    if rows.any():  # SymPy refuses much of what is undefined everywhere
        np.testing.assert_allclose(by_sympy(m, X)[rows], predicted[rows], rtol=1e-9, atol=1e-300)


class TestColumns:
    def test_data_frames_by_name(self):
        m = a_model()
        expected = m.predict(X)
        other = np.column_stack([X[:, 2], np.full(20, np.nan), X[:, 0], X[:, 1]])
        for frame in (pd.DataFrame, pl.DataFrame):
            columns = dict(zip(["pi", "extra", "temp (C)", "lambda"], other.T, strict=True))
            np.testing.assert_array_equal(m.predict(frame(columns)), expected)

    def test_a_frame_without_names_by_position(self):
        np.testing.assert_array_equal(a_model().predict(pd.DataFrame(X)), a_model().predict(X))

    def test_lists(self):
        np.testing.assert_array_equal(a_model().predict(X.tolist()), a_model().predict(X))

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_missing_column(self, frame):
        with pytest.raises(ValueError, match="X: expected a column for each feature; 'pi' missing"):
            a_model().predict(frame({"temp (C)": [1.0], "lambda": [1.0]}))

    @pytest.mark.parametrize("bad", [np.ones(3), np.ones((2, 2)), np.ones((2, 4)), np.ones((1, 2, 3))])
    def test_shapes(self, bad):
        with pytest.raises(ValueError, match=r"X: expected shape \(rows, 3\); got"):
            a_model().predict(bad)

    def test_words(self):
        with pytest.raises(ValueError, match="could not convert"):
            a_model().predict([["a", "b", "c"]])

    def test_no_rows(self):
        assert a_model().predict(np.empty((0, 3))).shape == (0,)


class TestWhatAModelShows:
    def test_formula_and_length(self):
        m = a_model("0.123456789*`temp (C)`")
        assert m.formula == "0.123457*`temp (C)`"
        assert str(m) == m.formula
        assert m.length == 1

    def test_undefined_values_are_not_made_up(self):
        out = a_model("log(`temp (C)`) + 1/`lambda`").predict([[-1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
        np.testing.assert_array_equal(out, [np.nan, np.inf, 1.0])

    def test_notebook(self):
        assert a_model()._repr_latex_().startswith("$")

    def test_models_do_not_change(self):
        with pytest.raises(AttributeError):
            a_model().nodes = ()


class TestImportance:
    def test_unused_features_have_none(self):
        importance = a_model("3*`temp (C)`").importance(X)
        assert list(importance) == NAMES
        assert importance["lambda"] == 0.0
        assert importance["pi"] == 0.0
        assert importance["temp (C)"] > 0.5

    def test_larger_effects_are_more_important(self):
        importance = a_model("10*`temp (C)` + `lambda` + 0*pi").importance(X)
        assert importance["temp (C)"] > 3 * importance["lambda"] > importance["pi"]

    def test_same_state_same_numbers(self):
        m = a_model()
        assert m.importance(X, random_state=4) == m.importance(X, random_state=4)
        assert m.importance(X, random_state=4) != m.importance(X, random_state=5)

    @pytest.mark.parametrize("formula", ["3", "`temp (C)`*0", "log(-1*`temp (C)`*`temp (C)`)"])
    def test_constant_or_undefined_models(self, formula):
        assert all(value == 0.0 for value in a_model(formula).importance(X).values())


def rows(n=60, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return Rows(X, 2.0 * X[:, 0] + 1.0 + noise * rng.normal(size=n), np.ones(n))


def squared(y, prediction):
    return (y - prediction) ** 2


class TestFront:
    PROGRAMS = ("1.9*`temp (C)` + 0.9", "1", "`temp (C)` + `lambda` + pi + 0.5", "log(`temp (C)`)", "sin(pi)")

    def front(self, **how):
        train = rows(seed=2, noise=0.1)
        scorer = Scorer(NAMES, squared, train, rows(seed=1, noise=0.1))
        return front_by_loss([parse(formula, NAMES) for formula in self.PROGRAMS], scorer, **how), train

    def test_digits_that_are_rounding_earn_no_place(self):
        X = np.random.default_rng(0).uniform(1, 2, (200, 2))
        exact = Rows(X, np.sin(X[:, 0]) + np.sin(X[:, 0]) * X[:, 1], np.ones(200))
        names = ["a", "b"]
        programs = [parse(text, names) for text in ("sin(a)*(b + 1)", "sin(a) + sin(a)*b")]
        assert (
            squared(exact.y, evaluate64(programs[0], X)).max()
            > 0.0
            == squared(exact.y, evaluate64(programs[1], X)).max()
        )
        assert [m.length for m in front_by_loss(programs, Scorer(names, squared, exact), polished=False)] == [6]

    def test_ascending_length_and_descending_loss(self):
        front, _ = self.front()
        lengths, losses = [m.length for m in front], [m.metrics["loss"] for m in front]
        assert len(front) >= 2
        assert lengths == sorted(set(lengths))
        assert losses == sorted(losses, reverse=True)

    def test_what_is_undefined_on_a_row_is_left_out(self):
        front, _ = self.front()
        assert not any("log" in m.formula for m in front)

    def test_metrics(self):
        front, train = self.front()
        m = front[-1]
        error = train.y - m.predict(train.X)
        assert m.metrics["mae"] == pytest.approx(np.abs(error).mean())
        assert m.metrics["mse"] == pytest.approx((error**2).mean())
        assert m.metrics["r2"] == pytest.approx(1 - (error**2).mean() / train.y.var())
        assert set(m.metrics) >= {"loss", "validation_loss", "validation_mae", "proven"}
        assert m.metrics["proven"]

    @pytest.mark.parametrize(
        ("text", "dependent", "tame", "pole"),
        [
            ("sqrt(a + b)", False, True, False),
            ("sqrt(a + b - 2.1)", False, False, True),  # negative in a corner that has no row
            ("sqrt(a - b)", True, False, False),  # negative on every other row, if only rows were like that
        ],
    )
    def test_holes(self, text, dependent, tame, pole):
        X = np.random.default_rng(0).uniform(1, 2, (300, 2))
        X = np.sort(X, axis=1)[:, ::-1] if dependent else X[X.sum(axis=1) > 2.1]
        scorer = Scorer(["a", "b"], squared, Rows(X, X.sum(axis=1), np.ones(len(X))), None, shadow_rows(X, 0, 4096))
        m = scorer(parse(text, ["a", "b"]))
        assert (m.metrics["tame"], m.metrics["pole"]) == (tame, pole)

    def test_a_model_with_a_pole_is_not_chosen(self):
        front, _ = self.front()
        last = by_accuracy(front)
        assert last == len(front) - 1
        front[last].metrics["pole"] = True
        front[last - 1].metrics["loss"] = 5.0 * front[last].metrics["loss"]
        assert by_accuracy(front) == last - 1
        front[last].metrics["pole"] = False
        assert by_accuracy(front) == last

    def test_an_offset_and_a_factor_of_noise_are_dropped(self):
        rng = np.random.default_rng(0)
        X = rng.uniform(1, 3, (400, 2))
        train = Rows(X, np.sqrt(X[:, 0] ** 2 + X[:, 1] ** 2) + 0.1 * rng.normal(size=400), np.ones(400))
        names = ["a", "b"]
        program = parse("0.01 + 1.02*sqrt(square(a) + square(0.97*b))", names)
        told = answer([program], [], Scorer(names, squared, train), "description", True, 50)
        assert told.models[told.chosen].formula == "sqrt(a^2 + b^2)"

    def test_an_offset_that_matters_stays(self):
        train = rows(seed=2, noise=0.1)
        shifted = Rows(train.X, train.y + 5.0, train.weight)
        told = answer([parse(self.PROGRAMS[0], NAMES)], [], Scorer(NAMES, squared, shifted), "description", True, 50)
        assert told.models[told.chosen].length == max(m.length for m in told.models) == 3

    def test_polishing_lowers_the_loss(self):
        plain, polished = (self.front(polished=p)[0][-1].metrics["loss"] for p in (False, True))
        assert polished < plain

    def chosen(self, rule, **how):
        train = rows(seed=2, noise=0.1)
        scorer = Scorer(NAMES, squared, train, rows(seed=1, noise=0.1))
        return answer([parse(formula, NAMES) for formula in self.PROGRAMS], [], scorer, rule, True, 50)

    def test_choices(self):
        by_accuracy, by_validation, by_description = map(self.chosen, ("accuracy", "validation", "description"))
        assert by_accuracy.chosen == len(by_accuracy.models) - 1
        losses = [m.metrics["validation_loss"] for m in by_validation.models]
        assert losses[by_validation.chosen] == min(losses)
        assert by_description.models[by_description.chosen].length == 3
        last = self.chosen(lambda table: len(table) - 1)
        assert last.chosen == len(last.models) - 1

    @pytest.mark.parametrize("answer", [-1, 99])
    def test_a_choice_that_is_not_there(self, answer):
        with pytest.raises(ValueError, match="choose: expected an index from 0 to"):
            self.chosen(lambda table: answer)

    def test_the_front_by_description_has_smaller_residuals_with_length(self):
        told = self.chosen("description")
        residuals = [m.metrics["residuals"] for m in told.models]
        assert residuals == sorted(residuals, reverse=True)
        forms = forms_of([parse(formula, NAMES) for formula in self.PROGRAMS], Scorer(NAMES, squared, rows(noise=0.1)))
        assert [form.total for form in forms] == sorted(form.total for form in forms)

    def test_frame(self):
        front, _ = self.front()
        frame = front_frame(front, 1)
        assert frame["length"].tolist() == [m.length for m in front]
        assert frame["formula"].tolist() == [m.formula for m in front]
        assert np.flatnonzero(frame["chosen"]).tolist() == [1]

    def test_weights(self):
        train = rows()
        half = Rows(train.X, np.where(np.arange(60) < 30, train.y, 7.0), np.where(np.arange(60) < 30, 1.0, 1e-9))
        *_, m = front_by_loss([parse("3*`temp (C)` + 2", NAMES)], Scorer(NAMES, squared, half))
        np.testing.assert_allclose(m.predict(X), 2.0 * X[:, 0] + 1.0, atol=1e-6)


class TestPolish:
    def test_reaches_the_exact_constants(self):
        train = rows()
        nodes = polish(parse("1.5*`temp (C)` + 0.5", NAMES), train.X, Noise.of("additive", train))
        constants = sorted(c for code, _, c in nodes if code in (CONSTANT, FEATURE))
        assert constants == pytest.approx([1.0, 2.0], abs=1e-12)

    def test_never_worse(self):
        train = rows(noise=1.0)
        for formula in ("sin(3*`temp (C)`)*2", "exp(0.5*pi) - 1", "1/(`lambda` + 9)", "log(`lambda`)", "0*pi", "pi"):
            before = parse(formula, NAMES)
            after = polish(before, train.X, Noise.of("additive", train))
            cost = [((train.y - model(nodes, NAMES).predict(train.X)) ** 2).sum() for nodes in (before, after)]
            assert np.isnan(cost[0]) or cost[1] <= cost[0]
            assert [node[:2] for node in after] == [node[:2] for node in before]

    def test_dependent_constants(self):
        train = rows()
        nodes = polish(parse("(1.5*`temp (C)` + 0.5)*1.2 + 0.1 - 0.3", NAMES), train.X, Noise.of("additive", train))
        np.testing.assert_allclose(model(nodes, NAMES).predict(train.X), train.y, atol=1e-6)

    def test_derivatives_whose_squares_overflow(self):
        train = rows()
        nodes = parse("`temp (C)`/1e-80 + 2*`temp (C)`", NAMES)
        assert polish(nodes, train.X, Noise.of("additive", train)) == nodes

    def test_exponents_stay(self):
        nodes = parse("pi**3", NAMES)
        assert nodes[-1][0] == opcode("pow")
        train = rows()
        assert polish(nodes, train.X, Noise.of("additive", train))[1] == nodes[1]
