"""The laboratory: its trials, its ranks and chances, and its report, from rows alone."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import experiments_standin as standin
from epsilex import problems, selection
from epsilex.experiments import laboratory, measures, methods, report, results, studies
from epsilex.experiments.store import FILE, Store
from epsilex.experiments.trials import BUDGETS, run_trial

SCALE = studies.Scale(trials=4, generations=3, population_size=10)
SOME = ["tournament", "lex_e_mad", "dalex", "novelty", "tournament(downsample=0.1, informed=True)", "nsga2"]


@pytest.mark.parametrize("text", laboratory.METHODS)
def test_every_method_can_be_run(text):
    methods.check(text)


def test_all_methods_are_in_it():
    assert len(selection.METHODS) >= 28
    assert set(selection.METHODS) <= set(laboratory.METHODS)
    labels = [method.label for method in methods.arrange(laboratory.METHODS)]
    assert len(set(labels)) == len(labels)


class TestArms:
    def settings(self, study, method="dalex"):
        (cell,) = studies.cells(study, ["uball5d"], [method], SCALE)
        return json.loads(cell.settings)

    def test_the_papers_settings(self):
        found = self.settings("laboratory")
        assert not set(BUDGETS) & set(found)
        assert found["survival"] == "generational"
        assert found["generations"] == 3

    def test_budgets(self):
        assert self.settings("laboratory_evaluations")["evaluations"] == 30
        assert self.settings("laboratory_time")["seconds"] == pytest.approx(0.06)
        for study in studies.LABORATORY[1:]:
            assert self.settings(study)["survival"] == "pareto"
            assert self.settings(study, "alps")["survival"] == "by_method"
            assert self.settings(study, "afp")["survival"] == "age_fitness"

    @pytest.mark.parametrize("method", ["lex_e_mad", "nsga2", "hardness"])
    def test_trials_end_by_their_budgets(self, method):
        scale = studies.Scale(trials=1, generations=20, population_size=20)
        problem = problems.load("uball5d")
        ran = {}
        for study in studies.LABORATORY:
            (cell,) = studies.cells(study, ["uball5d"], [method], scale, {"max_length": 12})
            ran[study] = run_trial(cell.trial(1), problem)
            assert ran[study].error is None, ran[study].error
        assert ran["laboratory"].row["generations"] == 20
        evaluations = [row[7] for row in ran["laboratory_evaluations"].history]
        assert evaluations[-1] >= 400 > evaluations[-2]
        assert ran["laboratory_time"].row["generations"] != 20 or ran["laboratory_time"].row["seconds"] > 0.4


def rows(levels, trials=10, noise=0.02, names=("a", "b", "c", "d")):
    rng = np.random.default_rng(0)
    return pd.DataFrame([
        (problem, method, trial, 0.1 * (place + 1) * level * rng.lognormal(0, noise))
        for place, problem in enumerate(names)
        for trial in range(1, trials + 1)
        for method, level in levels.items()
    ], columns=["problem", "method", "trial", "test_mae"])  # fmt: skip


class TestMeasures:
    def test_ranks(self):
        found = measures.ranks(rows({"x": 1.0, "y": 2.0, "z": 3.0}))
        assert found["rank"].to_dict() == {"x": 1.0, "y": 2.0, "z": 3.0}
        assert (found["low"] == found["rank"]).all()
        assert (found["high"] == found["rank"]).all()

    def test_alike_methods_have_wide_intervals(self):
        found = measures.ranks(rows({"x": 1.0, "y": 1.0, "z": 3.0}, noise=0.2))
        assert found.loc["x", "low"] < found.loc["y", "high"]
        assert found.loc["y", "low"] < found.loc["x", "high"]
        assert (found["high"] - found["low"])[["x", "y"]].min() > 0

    def test_only_what_all_have_counts(self):
        some = rows({"x": 1.0, "y": 2.0})
        some = some[~((some["method"] == "y") & ((some["problem"] == "a") | (some["trial"] > 5)))]
        assert measures.cube(some).shape == (2, 3, 5)

    def test_chances(self):
        found = measures.chances(rows({"x": 1.0, "y": 0.8, "z": 1.3, "w": 1.001}), "x")
        assert found.loc["x"].isna().all()
        assert found.loc["y", "above"] > 0.95
        assert found.loc["z", "below"] > 0.95
        assert found.loc["w", "inside"] > 0.95

    def test_relative_errors(self):
        found = measures.relative_errors(rows({"x": 1.0, "y": 2.0}, noise=0.0))
        assert found.to_dict() == pytest.approx({"x": 1.0, "y": 2.0})


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    out = tmp_path_factory.mktemp("laboratory")
    loaded = {"uball5d": problems.load("uball5d")}
    with Store.open(out / FILE) as store:
        for study in studies.LABORATORY:
            cells = studies.cells(study, list(loaded), SOME, SCALE)
            run = store.begin(study, SCALE, cells, loaded.values(), "1 process")
            for trial in studies.plan(cells, SCALE.trials):
                store.add(trial, standin.work(trial, loaded[trial.problem]), 1)
            store.end(run)
    report(out)
    return out


def test_every_file_is_written(out):
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    figures = [
        f"figures/{arm}_{kind}.pdf" for arm in studies.LABORATORY for kind in ("ranks", "measures", "error_time")
    ]
    tables = ["laboratory.md", "laboratory.tex", "laboratory_trials.parquet", "laboratory_history.parquet"]
    assert {*tables, *figures, "index.html"} <= names


def test_the_tables_have_a_row_per_method_and_arm(out):
    text = (out / "laboratory.md").read_text(encoding="utf-8")
    for title in laboratory.TITLES.values():
        assert f"## {title}" in text
    lines = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    assert len(lines) == 3 * (1 + len(SOME))
    assert len({line.count("|") for line in lines}) == 1
    tex = (out / "laboratory.tex").read_text(encoding="utf-8")
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") == 3


def test_the_rows_can_be_read_by_others(out):
    trials = pd.read_parquet(out / "laboratory_trials.parquet")
    assert len(trials) == 3 * len(SOME) * SCALE.trials
    assert set(trials["arm"]) == set(studies.LABORATORY)
    history = pd.read_parquet(out / "laboratory_history.parquet")
    assert len(history) == len(trials) * SCALE.generations
    again = results.read(out, "laboratory").trials
    np.testing.assert_allclose(trials[trials["arm"] == "laboratory"]["test_mae"], again["test_mae"])


def test_the_page_shows_the_arms(out):
    text = (out / "index.html").read_text(encoding="utf-8")
    for title in ("The paper&#39;s settings", "The modern engine, equal time"):
        assert title in text
