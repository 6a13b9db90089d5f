"""The helpers of the long benchmarks: stored runs, formulas and their recovery, peers' models, rules and tables."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks import (
    ablation,
    compare,
    comparison,
    coverage,
    datasets,
    feynman,
    feynman_units,
    forms,
    laws,
    runs,
    small,
)
from benchmarks import shapes as shaping
from benchmarks.contenders import CONTENDERS, Ours, gplearn_nodes, timed
from benchmarks.expressions import examine, expression, is_formula, rounded, size
from benchmarks.feynman_list import EQUATIONS, FORMULAS, WIDER
from benchmarks.feynman_unit_list import TARGET, units_of
from benchmarks.form_list import PROBLEMS
from benchmarks.law_list import LAWS
from benchmarks.law_list_held_out import HELD_OUT
from benchmarks.law_list_unseen import UNSEEN
from benchmarks.shape_list import LAWS as SHAPED
from epsilex.dimensions.knowledge import rule_of
from epsilex.forms.knowledge import outline_of
from epsilex.models.formed import Inside
from epsilex.models.model import model
from epsilex.programs.numeric import evaluate64
from epsilex.programs.parser import parse
from places import ROOT

TASK = {"problem": "p", "method": "m", "seed": 0, "seconds": 1}
KEY = tuple(TASK)


@pytest.fixture
def results(tmp_path):
    return runs.Results(tmp_path / "runs.jsonl", KEY)


def again(results):
    return runs.Results(results.path, results.key)


class TestResults:
    def test_a_stored_run_is_done_and_comes_back(self, results):
        assert not results.done(TASK)
        results.add(TASK | {"r2": -np.inf})
        assert again(results).done(TASK)
        assert again(results).rows() == [TASK | {"r2": -np.inf}]
        assert not again(results).done(TASK | {"seed": 1})

    def test_a_failure_is_tried_again_and_then_forgotten(self, results):
        results.add(TASK | {"error": "no"})
        assert not again(results).done(TASK)
        assert [row["error"] for row in again(results).failures()] == ["no"]
        results.add(TASK | {"r2": 0.5})
        assert again(results).failures() == []
        assert again(results).rows() == [TASK | {"r2": 0.5}]

    def test_a_torn_line_is_no_run_and_swallows_none(self, results):
        results.add(TASK)
        with results.path.open("a") as file:
            file.write('{"problem": "p", "met')
        after = again(results)
        after.add(TASK | {"seed": 1})
        assert [row["seed"] for row in again(results).rows()] == [0, 1]

    def test_a_method_can_be_forgotten(self, results):
        results.add(TASK)
        results.add(TASK | {"method": "other"})
        results.forget("m")
        assert [row["method"] for row in again(results).rows()] == ["other"]


class TestRunner:
    def test_runs_are_made_once_in_processes_of_their_own(self, results, capsys):
        tasks = [TASK | {"problem": problem} for problem in ("fine", "broken")]
        runs.Runner("tests.support.small_benchmark", results, jobs=2).run(tasks)
        (row,), (failure,) = again(results).rows(), again(results).failures()
        assert row["twice"] == 0
        assert "expected another one" in failure["error"]
        runs.Runner("tests.support.small_benchmark", results, jobs=1).run(tasks[:1])
        assert "0 to do" in capsys.readouterr().err

    def test_a_run_that_hangs_is_ended(self, results, monkeypatch):
        monkeypatch.setattr(runs, "patience", lambda task: 3.0)
        start = time.perf_counter()
        runs.Runner("tests.support.small_benchmark", results, jobs=1).run([TASK | {"problem": "slow"}])
        assert time.perf_counter() - start < 30
        assert "not finished" in results.failures()[0]["error"]

    def test_what_made_them_is_said(self):
        rows = [{"date": "2026-01-02", "commit": "b+"}, {"date": "2026-01-01", "commit": "a"}, {}]
        assert runs.made(rows) == "Runs of 2026-01-01 to 2026-01-02, source at a, b+.\n\n"

    def test_runs_have_one_thread(self):
        assert {runs.environment()[name] for name in runs.ONE_THREAD} == {"1"}


class TestFormulas:
    @pytest.mark.parametrize("name", EQUATIONS)
    def test_values_are_those_of_the_text(self, name):
        formula = EQUATIONS[name]
        X = formula.draw(20, np.random.default_rng(0))
        nodes = parse(formula.text.replace("arcsin", "asin"), [*formula.ranges, "pi"])
        with_pi = np.column_stack([X, np.full(len(X), np.pi)])
        np.testing.assert_allclose(formula.values(X), evaluate64(nodes, with_pi), rtol=1e-10)
        low, high = np.array(list(formula.ranges.values())).T
        assert ((low <= X) & (high >= X)).all()

    def test_the_database_has_100(self):
        assert len(EQUATIONS) == 100
        assert len({formula.text for formula in EQUATIONS.values()}) > 90  # a few laws have the same form

    @pytest.mark.parametrize("name", ["I.26.2", "I.30.5", "II.24.17", "I.12.1"])
    def test_the_wider_range_is_wider_and_the_law_is_defined_there(self, name):
        formula = EQUATIONS[name]
        X = formula.draw_wider(500, np.random.default_rng(0))
        assert np.isfinite(formula.values(X)).all()
        low, high = np.array(list(formula.ranges.values())).T
        assert ((low / WIDER <= X) & (high * WIDER >= X)).all()
        assert ((low > X) | (high < X)).any()

    def test_they_are_varied(self):
        sizes = {len(formula.ranges) for formula in FORMULAS.values()}
        assert len(FORMULAS) == 10
        assert min(sizes) == 2
        assert max(sizes) == 9

    def test_noise_is_on_the_training_target_alone(self):
        clean, noisy = (datasets.load("I.18.4", noise, seed=3) for noise in (0.0, 0.1))
        np.testing.assert_array_equal(clean.X, noisy.X)
        np.testing.assert_array_equal(clean.y_test, noisy.y_test)
        assert np.std(noisy.y - clean.y) == pytest.approx(0.1 * np.std(clean.y), rel=0.1)
        assert not np.array_equal(clean.X, clean.X_test)


class TestFeynman:
    def test_operators_are_the_default_ones_and_those_of_the_equation(self):
        assert feynman.operators(EQUATIONS["I.12.1"]) == feynman.COMMON
        assert feynman.operators(EQUATIONS["I.26.2"]) == (*feynman.COMMON, "asin")
        assert feynman.operators(EQUATIONS["II.35.21"]) == (*feynman.COMMON, "tanh")

    def test_the_law_itself_is_exact_and_another_is_not(self):
        formula = EQUATIONS["I.12.1"]
        X = formula.draw_wider(200, np.random.default_rng(0))
        law, other, undefined = (
            feynman.distance(formula, model(program(text, 2), ["x0", "x1"]), X)
            for text in ("x0*x1", "x0*x1 + 0.1*x0", "log(-x0)")
        )
        assert law < feynman.EXACT**2 < feynman.FOUND < other
        assert undefined == np.inf

    def test_verdicts(self, results):
        key = {"problem": "I.12.1", "seed": 0, "method": "ours", "seconds": 1, "length": 3, "formula": "x0*x1"}
        rows = [
            key | {"noise": 0.0, "left": 0.9e-12, "best": 0.0},
            key | {"noise": 0.1, "left": 2e-3, "best": 0.9e-3},
            key | {"noise": 0.0, "left": 2e-12, "best": 2e-12, "problem": "I.12.5"},
        ]
        frame = feynman.tidy(rows)
        assert frame["hit"].tolist() == [True, False, False]
        assert frame["on_front"].tolist() == [True, True, False]
        stored = runs.Results(results.path, feynman.KEY)
        for row in rows:
            stored.add(row)
        told = feynman.section(stored)
        assert [figure[2] for figure in told.figures] == ["1 of 2", "0 of 1", "1 of 1"]
        assert feynman.usual_length("I.26.2") == 5
        assert "| front |" in told.text


def program(text, n_features):
    return parse(text, [f"x{j}" for j in range(n_features)])


class TestRecovery:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("I.6.2", "0.3989423 * exp(-0.5000001 * x1 * x1 / (x0 * x0)) / x0"),
            ("I.6.2", "exp(-0.9189385 - 0.5 * square(x1 / x0)) / (1.0000001 * x0)"),
            ("I.8.14", "2 * sqrt(0.25 * square(x0 - x1) + square(0.5 * x2 - 0.5 * x3))"),
            ("I.12.11", "1.00001 * x0 * x1 + 2 * x0 * (0.5 * x2) * x3 * sin(0.99999 * x4)"),
            ("I.13.4", "0.5 * x0 * (square(x1) + square(x2) + x3 * x3) + 0.0000001"),
            ("I.18.4", "x3 + 0.9999999 * (x2 - x3) / (1 + x1 / x0)"),
            ("I.27.6", "x0 / (1 + x2 * x0 / x1)"),
            ("I.27.6", "0.3333333 * x1 / (0.3333333 * x2 + 0.3333334 * x1 / x0)"),
            ("I.44.4", "2 * x0 * x1 * x2 * (log(sqrt(3 * x4)) - 0.5 * log(3 * x3))"),
            ("I.50.26", "x0 * cos(x1 * x2) * (1 + x3 * cos(x1 * x2))"),
        ],
    )
    def test_another_form_of_the_formula_is_the_formula(self, name, text):
        n = len(FORMULAS[name].ranges)
        assert is_formula(expression(program(text, n), n), name)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("I.13.4", "0.501 * x0 * (square(x1) + square(x2) + square(x3))"),
            ("I.13.4", "0.5 * x0 * (square(x1) + square(x2) + square(x3)) + 0.01 * x1"),
            ("I.27.6", "x0 / (1.002 + x2 * x0 / x1)"),
            ("I.12.11", "x0 * (x1 + x2 * x3 * sin(1.001 * x4))"),
            ("I.40.1", "x0 * exp(-x1 * x2 * x4 / (x3 * x5)) + 0.002 * x0"),
        ],
    )
    def test_a_near_miss_is_not(self, name, text):
        n = len(FORMULAS[name].ranges)
        assert not is_formula(expression(program(text, n), n), name)

    def test_size_is_of_one_form(self):
        assert size(expression(program("x0 + x1 + x0", 2), 2)) == size(expression(program("x1 + 2 * x0", 2), 2)) == 5

    def test_rounding_keeps_whole_numbers_whole(self):
        expr = rounded(expression(program("1.0000001 * x0 * x0 + 0.123456 * x1", 2), 2))
        assert str(expr) in ("x0**2 + 0.1235*x1", "0.1235*x1 + x0**2")

    def test_examined_in_a_process_of_its_own(self):
        nodes = program("1 / (1 / x0 + x2 / x1)", 3)
        assert examine(nodes, 3, "I.27.6") == {"sympy_length": 11, "recovered": True}
        assert examine(None, 3) == {"sympy_length": None, "recovered": None}

    def test_sympy_may_be_given_up(self):
        assert examine(program("x0", 1), 1, patience=0.01) == {"sympy_length": None, "recovered": None}


class TestContenders:
    X = np.random.default_rng(1).uniform(0.5, 2.0, (60, 3))
    y = X[:, 0] * X[:, 1] - np.log(X[:, 2])

    @pytest.mark.parametrize("name", ["operon", "operon-nsga-lm", "gplearn"])
    def test_a_peers_model_is_the_same_as_ours(self, name):
        pytest.importorskip("gplearn" if name == "gplearn" else "pyoperon")
        fitted, spent = timed(CONTENDERS[name], self.X, self.y, seconds=0.5, seed=0)
        theirs = np.asarray(fitted.predict(self.X)).reshape(-1)
        np.testing.assert_allclose(evaluate64(fitted.nodes, self.X), theirs, rtol=1e-3, atol=1e-3)
        assert fitted.length > 0
        assert 0.4 < spent["cpu"] < 5.0

    def test_gplearn_in_postfix_order(self):
        functions = pytest.importorskip("gplearn.functions")
        nodes = gplearn_nodes([functions.sub2, 1, functions.log1, 0.5])
        assert evaluate64(nodes, np.array([[7.0, 3.0]])) == pytest.approx(3.0 - np.log(0.5))

    def test_ours_stops_by_cpu_time(self):
        y = self.y + 0.1 * np.random.default_rng(0).normal(size=len(self.y))
        fitted, spent = timed(Ours(population_size=50), self.X, y, seconds=0.5, seed=0)
        assert fitted.estimator.stopped_by_ == "callback"
        assert spent["cpu"] >= 0.5
        np.testing.assert_array_equal(fitted.predict(self.X), evaluate64(fitted.nodes, self.X))

    def test_scores(self):
        y = np.array([0.0, 1.0, 2.0])
        assert compare.scores(y, y + 0.1, mae_unit=10.0) == pytest.approx(
            {"r2": 0.985, "unexplained": 0.015, "mae": 1.0}
        )
        assert compare.scores(y, np.array([0.0, np.nan, 2.0]))["r2"] == -np.inf


class TestComparison:
    def rows(self):
        """Two problems: on one we are better, on the other both have solved it."""
        found = {
            ("housing", "ours", 60): (0.10, 20), ("housing", "operon", 60): (0.20, 30),
            ("housing", "operon-lm", 60): (0.15, 40), ("housing", "operon-nsga", 60): (0.30, 10),
            ("housing", "operon-nsga-lm", 60): (0.05, 12), ("I.27.6", "operon-nsga", 60): (1e-2, 10),
            ("I.27.6", "ours", 60): (1e-13, 9), ("I.27.6", "operon", 60): (1e-3, 30),
            ("I.27.6", "operon-lm", 60): (1e-14, 7), ("I.27.6", "operon-nsga-lm", 60): (1e-2, 10),
        }  # fmt: skip
        return [
            {"problem": problem, "noise": 0.0, "seed": seed, "method": method, "seconds": seconds,
             "r2": 1 - unexplained, "unexplained": unexplained, "mae": 0.1, "length": length, "sympy_length": length,
             "recovered": length < 10, "cpu": 60.5, "wall": 61.0, "formula": ""}
            for (problem, method, seconds), (unexplained, length) in found.items() for seed in range(2)
        ]  # fmt: skip

    def test_against_the_best_of_the_modes(self):
        frame = pd.DataFrame(self.rows())
        assert dict(comparison.against_operon(frame, 60, comparison.OPERON)["outcome"])["housing"] == "worse"
        pairs = comparison.against_operon(frame, 60, comparison.PLAIN)
        assert dict(pairs["outcome"]) == {"housing": "better", "I.27.6": "level"}
        assert dict(pairs["theirs"]) == {"housing": 0.15, "I.27.6": 1e-14}
        assert dict(pairs["their_length"]) == {"housing": 40, "I.27.6": 7}

    def test_the_page_has_every_table(self, results):
        results.key = compare.KEY
        for row in self.rows():
            results.add(row)
        section = comparison.section(results)
        measured = {what: said for what, _, said in section.figures}
        plain = measured["test R2, our 60 s against pyoperon's 60 s, better of two modes"]
        assert plain == "better on 1, level on 1, worse on 0 of 2"
        assert measured["formulas recovered exactly, ours 60 s"] == "1 with every seed, 1 with some, of 1"
        assert "| housing | 0.900 | 0.800 | 0.850 | 0.700 | 0.950 |" in section.text
        assert "| I.27.6 | 2 / 2 of 2 | 0 / 0 of 2 | 2 / 2 of 2 | 0 / 0 of 2 | 0 / 0 of 2 |" in section.text

    def test_nothing_run_is_said(self, results):
        for module in (comparison, small, ablation, laws, coverage):
            assert "No runs yet" in module.section(results).text

    def test_every_problem_has_its_runs(self):
        tasks = compare.tasks()
        assert len({tuple(task.values()) for task in tasks}) == len(tasks)
        assert {task["noise"] for task in tasks if task["problem"] in datasets.REAL} == {0.0}
        ours = [task for task in tasks if task["method"] == "ours" and task["seconds"] == 10]
        assert len(ours) == 3 * 7 + 2 * 20


class TestRules:
    front = pd.DataFrame(
        {
            "length": [1, 5, 9], "mse": [1.0, 0.105, 0.1], "constants": [1, 2, 5], "variance": 1.0,
            "proven": [True, False, True],
        }
    )  # fmt: skip

    @pytest.mark.parametrize(
        ("rule", "chosen"),
        [
            ("accuracy", 2),
            ("BIC, half the length (description)", 1),
            ("BIC, half the length, proven", 2),
            ("BIC, length", 1),
            ("BIC, constants", 1),
            ("shortest within 10%", 1),
            ("AIC, length", 1),
        ],
    )
    def test_choices(self, rule, chosen):
        assert small.RULES[rule](self.front, 50) == chosen

    def test_splits_are_kept_beside_ridge(self):
        rows = [
            {"problem": "p", "seed": 0, "method": "ours", "rules": {"default": [-3.0, 7], "accuracy": [0.5, 30]}},
            {"problem": "p", "seed": 0, "method": "validation", "rules": {"default": [0.4, 9]}},
            {"problem": "p", "seed": 0, "method": "ridge", "r2": 0.6},
        ]
        frame = small.tidy(rows).set_index("rule")
        assert frame.loc["default", "r2"] == -1.0
        assert dict(frame["collapsed"]) == {"default": True, "accuracy": False, "validation": False, "ridge": False}

    def test_data_that_ships(self):
        pytest.importorskip("statsmodels")
        from benchmarks import small_data

        for name in ("diabetes", *small_data.SHIPPED):
            X, y, X_test, y_test = small_data.load(name, seed=0)
            assert np.isfinite(X).all()
            assert len(y_test) == pytest.approx((len(y) + len(y_test)) / 4, abs=0.6)
            assert not any((column == y).all() for column in X.T)
            assert X.shape[1] == X_test.shape[1] > 0


class TestAblation:
    def test_each_variant_differs_from_the_default(self):
        assert ablation.VARIANTS["default"] == {}
        assert all(ablation.differs(changes) for name, changes in ablation.VARIANTS.items() if name != "default")

    def test_every_variant_is_one_the_estimator_knows(self):
        from epsilex import Settings, SymbolicRegressor

        known = set(SymbolicRegressor().get_params()) | set(Settings().get_params())
        assert all(set(changes) <= known for changes in ablation.VARIANTS.values())

    def test_harm_is_a_ratio_above_one(self):
        unexplained = pd.DataFrame({"a": [0.1, 0.2], "b": [1e-13, 2e-10]}, index=["default", "worse"])
        assert ablation.ratio(unexplained)["worse"] == pytest.approx(2.0)


class TestLaws:
    @pytest.mark.parametrize("name", [*LAWS, *HELD_OUT, *UNSEEN])
    def test_a_law_is_found_by_itself_and_not_by_its_mean(self, name):
        law = laws.law_of(name)
        X, y = law.measured(0)
        assert X.shape == (law.rows, len(law.columns))
        assert np.isfinite(y).all()
        itself = model(law.nodes, law.columns)
        number = model(parse(repr(float(y.mean()))), law.columns)
        np.testing.assert_allclose(itself.predict(X), law.values(X), rtol=1e-9)
        told = laws.judged(law, 0, [number, itself], 1)
        assert told["found"]
        assert laws.judged(law, 0, [number, itself], 0)["found"] == name.startswith("noise")

    def test_the_list_is_what_was_promised(self):
        assert len(LAWS) >= 40
        assert len(LAWS | HELD_OUT | UNSEEN) == len(LAWS) + len(HELD_OUT) + len(UNSEEN)  # a name means one law
        assert set(laws.EIGHT) <= set(LAWS)
        assert {law.noise[0] for law in LAWS.values()} == {"additive", "relative"}
        assert min(law.rows for law in LAWS.values()) == 8
        assert max(law.rows for law in LAWS.values()) == 300

    def test_the_page_has_its_figures(self, results):
        results.key = laws.KEY
        for name in ("hooke", "noise 15", "gravitation"):
            law = laws.law_of(name)
            told = laws.judged(law, 0, [model(law.nodes, law.columns)], 0)
            results.add({"problem": name, "seed": 0, "method": "ours", "seconds": 5} | told)
        section = laws.section(results)
        assert ("laws: pure noise given a formula", "0", "0 of 1") in section.figures
        assert "| ours, held-out laws | 1 of 1 |" in section.text

    def test_intervals_cover(self):
        told = coverage.measure("michaelis menten", "intervals")
        assert told["intervals"] == 2 * told["fits"]
        assert 0.85 < told["covered"] / told["intervals"] <= 1.0


def test_results_stay_out_of_the_repository():
    ignored = (ROOT / ".gitignore").read_text().split()
    assert "/results/" in ignored
    assert json.loads(json.dumps(compare.quick_tasks())) == compare.quick_tasks()


def test_the_parts_of_a_selection_add_up_to_the_whole(monkeypatch):
    from benchmarks import selecting

    def by_a_known_clock(contenders):
        for contender in contenders.values():
            contender()
        return {"bits": 1.0, "thresholds": 3.0, "all": 7.0}

    monkeypatch.setattr(selecting, "best_cpu_seconds", by_a_known_clock)
    errors = np.random.default_rng(0).random((60, 30), np.float32)
    assert selecting.split("lex_e_mad", errors) == {"bits": 1.0, "widths": 2.0, "events": 4.0}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_functions_of_a_form_are_those_that_are_compared(name):
    known = PROBLEMS[name]
    found = outline_of(known.form, list(known.columns), ("add", "mul"), 50)
    assert {function.name: len(function.arguments) for function in found.functions} == {
        function: len(inner.ranges) for function, inner in known.inner.items()
    }
    X, y = known.measured(0)
    assert np.isfinite(X).all()
    assert np.isfinite(y).all()


def test_a_function_is_compared_up_to_the_freedom_of_its_form():
    inner = PROBLEMS["product"].inner["g"]
    m = model(parse("x0", ["x0"]), ["x0"])
    for text, close in (("5*exp(-0.7*t)", True), ("5*exp(-0.7*t) + 1", False), ("5*exp(-0.71*t)", False)):
        own = replace(m, form=Inside("f(x)*g(t)", {"g": (("t",), tuple(parse(text, ["t"])))}))
        assert (forms.distance(own, "g", inner) <= forms.CLOSE) is close


class TestManyRows:
    def test_sections(self, tmp_path):
        from benchmarks import many_rows, rows

        found = runs.Results(tmp_path / "many_rows.jsonl", many_rows.KEY)
        assert "No runs yet" in many_rows.section(found).text
        for task in many_rows.tasks(("friedman",), seeds=3):
            r2 = 0.9 + 0.01 * task["seed"]
            found.add(task | {"rows": 5, "r2": r2, "generations": 7, "date": "2026-01-01", "commit": "c"})
        assert "| friedman | 5 | 0.9100 (7) | 0.9100 (7) | 0.9100 (7) |" in many_rows.section(found).text
        found = runs.Results(tmp_path / "rows.jsonl", rows.KEY)
        found.add({"rows": 9, "seconds": 60.0, "method": "ours", "wall": 71.0})  # of an older version
        assert "No runs yet" in rows.section(found).text
        measured = {"wall": 20.4, "reading": 2.6, "gigabytes": 1.5, "r2": 0.96, "length": 15, "generations": 9}
        found.add(rows.TASKS[1] | measured | {"used": {"scored": 750_000}})
        told = rows.section(found)
        assert told.figures == [("10,000,000 x 10 rows (file), 20 s", "<= 21 s, < 4 GB", "20.4 s, 1.50 GB")]

    def test_a_problem_of_fewer_rows_is_not_drawn_anew_from_more(self):
        from benchmarks import many_rows

        assert {task["method"] for task in many_rows.tasks(("tower",))} == {"4096, the same", "1024, anew"}

    @pytest.mark.parametrize("problem", ["friedman", "arm", "rare"])
    def test_simulated_problems(self, problem, monkeypatch):
        from benchmarks import many_rows

        monkeypatch.setattr(many_rows, "ROWS", 500)
        monkeypatch.setattr(many_rows, "TEST_ROWS", 100)
        X, y, X_test, y_test = many_rows.load(problem, 0)
        assert (len(X), len(y), len(X_test), len(y_test)) == (500, 500, 100, 100)
        assert np.isfinite(y).all()


@pytest.mark.parametrize("name", SHAPED)
def test_a_law_has_the_shape_that_is_known_of_it(name):
    law = SHAPED[name]
    names = list(law.ranges)
    points = law.rows(2000, 0, beyond=True)
    true = model(parse(law.text, names), names)
    np.testing.assert_allclose(true.predict(points), points["y"], rtol=1e-9)
    assert shaping.violations(true, law, points) == []
    assert shaping.error(true, points) < 1e-9


def test_violations_are_seen_from_predictions():
    law = SHAPED["cooling"]
    points = law.rows(2000, 0, beyond=True)
    for text, violated in (
        ("20 + 0*t", []),
        ("100 - t", []),
        ("18 + 65*exp(-0.05*t)", ["f >= 20"]),
        ("90 - 0.01*t^2", ["convex in t"]),
        ("20 + t", ["decreasing in t"]),
        ("20 + 0.01*sin(t)^2", ["decreasing in t", "convex in t"]),
    ):
        assert shaping.violations(model(parse(text, ["t"]), ["t"]), law, points) == violated


def test_the_page_of_shapes_has_its_figures(tmp_path):
    results = runs.Results(tmp_path / "runs.jsonl", shaping.KEY)
    for task in shaping.tasks(("cooling",), 1):
        bad = ["f >= 20"] if task["method"] == "plain" else []
        results.add(task | {
            "within": 0.5, "beyond": 3.0, "violated": bad, "front": 4, "front_violates": len(bad), "shape": "proven",
            "length": 3, "formula": "t", "generations": 1,
        })  # fmt: skip
    text = shaping.page(results)
    assert "| chosen formulas that violate a constraint | 0 of 1 | 1 of 1 |" in text
    assert "| formulas of the front that do | 0 of 4 | 1 of 4 |" in text
    assert "| mean error in the whole box | 1.000 | 1.000 | 0 of 1 |" in text


def law_of(name):
    """A Feynman equation as one of our programs."""
    text = EQUATIONS[name].text.replace("**", "^").replace("arcsin", "asin").replace("pi", "3.14159265358979")
    return parse(text, list(EQUATIONS[name].ranges))


@pytest.mark.parametrize("name", EQUATIONS)
@pytest.mark.filterwarnings("ignore:units")
def test_a_law_is_consistent_with_its_units(name):
    names = list(EQUATIONS[name].ranges)
    assert rule_of(units_of(name), TARGET[name], "none", names, None).allows(law_of(name))
    X = EQUATIONS[name].draw(50, np.random.default_rng(0))
    assert feynman_units.consistent(model(law_of(name), names), name, X)


def test_a_wrong_formula_changes_with_the_units():
    X = EQUATIONS["I.13.4"].draw(50, np.random.default_rng(0))
    for text, right in (("m*v^2", True), ("m*v", False), ("m*(v^2 + u)", False), ("3", True), ("exp(v/u)*m*w^2", True)):
        found = model(parse(text, ["m", "v", "u", "w"]), ["m", "v", "u", "w"])
        assert feynman_units.consistent(found, "I.13.4", X) is right


def test_the_page_of_units_has_its_figures(tmp_path):
    results = runs.Results(tmp_path / "runs.jsonl", feynman_units.KEY)
    row = {"best": 1e-9, "length": 3, "formula": "x", "front": 5, "wrong": 0, "generations": 10, "wall": 1.0}
    for name, left in (("I.16.6", 1e-2), ("I.30.3", 1e-9)):
        plain, units = feynman_units.tasks((name,))
        results.add(plain | row | {"left": left, "cpu": 10.0})
        results.add(units | row | {"left": 1e-9, "cpu": 12.0})
    text = str(feynman_units.section(results))
    assert "| found without units | 1 of 2 |" in text
    assert "| found with units | 2 of 2 |" in text
    assert "| missed without, found with | 1 of 1 | half |" in text
    assert "| wrong formulas on fronts with units | 0 of 10 | 0 |" in text
    assert "with units over without | 1.20 |" in text
