"""`reproduce` from end to end, with real trials of a few generations."""

from __future__ import annotations

import io
import json
import sqlite3

import pytest
from rich.console import Console

from epsilex import experiments, problems
from epsilex.experiments import results
from epsilex.experiments.store import FILE

OWN = "experiments_standin:my_select"


@pytest.fixture(autouse=True)
def no_data(monkeypatch, tmp_path):
    """No data folder, an empty cache: UBall5D alone."""
    from epsilex.problems import finding

    monkeypatch.delenv("EPSILEX_DATA", raising=False)
    monkeypatch.setattr(finding, "cache_folder", lambda: tmp_path / "no-cache")


def run(out, console=None, **changes):
    asked = {"methods": ["tournament", "lex_e_mad", OWN], "trials": 2, "generations": 3, "jobs": 1, "study": "table"}
    console = console or Console(file=io.StringIO(), width=200)
    return experiments.reproduce(out=out, console=console, **{**asked, **changes})


def rows(out) -> dict:
    """What a trial found, by its key; times left out."""
    with sqlite3.connect(out / FILE) as db:
        columns = "problem, method, trial, seed, test_mae, train_mae, formula, length, evaluations"
        found = db.execute(f"SELECT {columns} FROM trials")
        return {row[:3]: row[3:] for row in found}


@pytest.fixture(scope="module")
def reproduction(tmp_path_factory):
    out = tmp_path_factory.mktemp("reproduction")
    console = Console(file=io.StringIO(), width=300)
    with pytest.MonkeyPatch.context() as patch:
        from epsilex.problems import finding

        patch.delenv("EPSILEX_DATA", raising=False)
        patch.setattr(finding, "cache_folder", lambda: out / "no-cache")
        return run(out, console), console.file.getvalue()


def test_without_data_it_runs_uball5d_alone_and_says_so(reproduction):
    done, said = reproduction
    assert done.skipped == ("housing", "tower", "wind", "enh", "enc")
    assert "Left out for lack of data: housing, tower, wind, enh, enc. Running uball5d alone." in said
    assert "EPSILEX_DATA" in said
    assert (done.done, done.failed) == (6, 0)


def test_a_users_method_is_a_row_of_every_table(reproduction):
    done, _ = reproduction
    assert "my_select" in done.table
    for name in ("table.md", "table.csv", "table.tex", "index.html", "cells.csv"):
        assert "my" in (done.out / name).read_text(encoding="utf-8")
    found = results.read(done.out, "table")
    assert set(found.trials["method"]) == {"tournament", "lex_e_mad", OWN}


def test_settings_environment_and_data_are_stored(reproduction):
    done, _ = reproduction
    found = results.read(done.out, "table")
    settings = json.loads(found.trials["settings"].iloc[0])
    assert settings["population_size"] == 1000
    assert settings["max_length"] == 50
    assert found.environments[0]["epsilex"]
    assert found.problems.loc["uball5d", "sha256"] == problems.load("uball5d").sha256
    assert found.history.groupby(["method", "trial"])["generation"].max().unique().tolist() == [3]
    by_case = found.history[(found.history["method"] == "lex_e_mad") & (found.history["generation"] > 0)]
    assert (by_case["cases_used"] > 0).all()


def test_more_trials_add_only_those(reproduction):
    done, _ = reproduction
    before = rows(done.out)
    again = run(done.out, trials=3)
    after = rows(done.out)
    assert again.done == 9
    assert len(after) == 9
    assert {key: after[key] for key in before} == before


def test_a_cell_run_alone_gives_the_same_numbers(reproduction, tmp_path):
    done, _ = reproduction
    run(tmp_path, problems=["uball5d"], methods=["lex_e_mad"], jobs=1)
    alone = rows(tmp_path)
    assert alone == {key: value for key, value in rows(done.out).items() if key in alone}
    assert len(alone) == 2


@pytest.mark.slow
def test_a_table_of_ones_own_and_a_method_that_fails(tmp_path):
    csv = tmp_path / "mine.csv"
    csv.write_text("a,b,y\n" + "".join(f"{i},{i % 7},{i * (i % 7)}\n" for i in range(60)))
    out = tmp_path / "out"
    methods = ["lex", "experiments_standin:bad_select"]
    found = run(out, problems=[problems.from_csv(csv, "y")], methods=methods, trials=1)
    assert (found.done, found.failed) == (1, 1)
    assert "no parents today" in (out / "index.html").read_text(encoding="utf-8")
    with sqlite3.connect(out / FILE) as db:
        formula = db.execute("SELECT formula FROM trials WHERE method = 'lex'").fetchone()[0]
    assert "a" in formula or "b" in formula  # in the words of the file


@pytest.mark.slow
def test_the_epsilon_study_takes_uball5d_when_there_is_no_tower(tmp_path):
    found = run(tmp_path, study="epsilon", methods=["lex_y"], trials=1, generations=1)
    assert found.done == 7
    assert found.table == ""
    assert (tmp_path / "figures" / "epsilon_y_test_mae.png").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"problems": ["boston"]}, "problem: expected one of housing"),
        ({"problems": ["housing"]}, "housing: not here, and http"),
        ({"problems": []}, "problems: expected a list"),
        ({"problems": "uball5d"}, "problems: expected a list"),
        ({"methods": ["roulette"]}, "method: expected one of random"),
        ({"methods": []}, "methods: expected a list"),
        ({"methods": ["nowhere:f"]}, "importable"),
        ({"study": "all"}, "study: expected one of table, epsilon, discussion, laboratory, .*; got 'all'"),
        ({"study": "epsilon", "methods": ["lex"]}, "expected lex_e, lex_y or both"),
        ({"trials": 0}, "trials: expected an integer of at least 1"),
        ({"generations": -5}, "generations: expected an integer of at least 1"),
        ({"jobs": 0}, "jobs: expected an integer of at least 1"),
        ({"jobs": 2, "dask": "tcp://127.0.0.1:9"}, "jobs: expected no number of processes with a Dask address"),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message) as error:
        run(tmp_path / "out", **changes)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_two_problems_of_one_name(tmp_path):
    csv = tmp_path / "uball5d.csv"
    csv.write_text("a,y\n" + "".join(f"{i},{i}\n" for i in range(20)))
    with pytest.raises(ValueError, match="a name of its own"):
        run(tmp_path, problems=[problems.from_csv(csv, "y")])
