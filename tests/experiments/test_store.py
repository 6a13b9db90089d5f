"""The results file: one transaction a trial, one run at a time, clear words when it cannot be used."""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import replace

import pytest

import experiments_standin as standin
from epsilex import problems
from epsilex.experiments import results, studies
from epsilex.experiments.store import FILE, ResultsError, Store
from epsilex.experiments.trials import Outcome, Trial, encode

SCALE = studies.Scale(trials=3, generations=5, population_size=10)


@pytest.fixture
def uball5d():
    return problems.load("uball5d")


@pytest.fixture
def cells():
    return studies.cells("table", ["uball5d"], ["tournament", "lex"], SCALE)


@pytest.fixture
def plan(cells):
    return studies.plan(cells, SCALE.trials)


def fill(path, cells, problem, study="table", scale=SCALE):
    with Store.open(path / FILE) as store:
        run = store.begin(study, scale, cells, [problem], "here")
        for trial in studies.plan(cells, scale.trials):
            store.add(trial, standin.work(trial, problem), 1)
        store.end(run)


def test_what_goes_in_comes_out(tmp_path, cells, plan, uball5d):
    fill(tmp_path, cells, uball5d)
    found = results.read(tmp_path, "table")
    assert len(found.trials) == 6
    first = found.trials.iloc[0]
    trial = next(t for t in plan if (t.method, t.trial) == (first["method"], first["trial"]))
    outcome = standin.work(trial, uball5d)
    for name in ("test_mae", "train_mae", "training_cases", "formula", "length", "cpu_seconds"):
        assert first[name] == outcome.row[name]
    assert (first["seed"], first["split_seed"]) == (trial.seed, trial.split_seed)
    history = found.history[(found.history["method"] == trial.method) & (found.history["trial"] == trial.trial)]
    assert history["best_mae"].tolist() == [row[1] for row in outcome.history]
    assert found.history["cases_used"].isna().sum() == 15  # tournament uses no cases
    assert found.problems.loc["uball5d", "sha256"] == uball5d.sha256
    assert found.environments == [{"stand-in": True}]
    assert found.run["finished"] is not None


def test_done_trials_are_known_and_failed_ones_are_not(tmp_path, plan, uball5d):
    with Store.open(tmp_path / FILE) as store:
        store.add(plan[0], standin.work(plan[0], uball5d), 1)
        store.add(plan[1], Outcome(error="no luck"), 3)
        assert store.done() == {plan[0]}
        store.add(plan[1], standin.work(plan[1], uball5d), 1)  # tried again later
        assert store.done() == {plan[0], plan[1]}
    with sqlite3.connect(tmp_path / FILE) as db:
        assert db.execute("SELECT count(*) FROM trials").fetchone() == (2,)


def test_a_run_continues_from_a_compact_copy(tmp_path, cells, plan, uball5d):
    fill(tmp_path / "first", cells, uball5d)
    results.keep(tmp_path / "first", tmp_path / "kept")
    with Store.open(tmp_path / "kept" / FILE) as store:
        assert store.done() == set(plan)
        further = replace(plan[0], trial=4)
        store.add(further, standin.work(further, uball5d), 1)
        assert store.done() == {*plan, further}


def test_a_damaged_compact_copy_is_named(tmp_path, cells, uball5d):
    fill(tmp_path / "first", cells, uball5d)
    results.keep(tmp_path / "first", tmp_path / "kept")
    (tmp_path / "kept" / "rows" / "settings.csv").unlink()
    with (
        pytest.raises(ResultsError, match=r"rows: expected the rows of a results file"),
        Store.open(tmp_path / "kept" / FILE),
    ):
        pass


def test_a_setting_that_is_new_does_not_hide_stored_trials(tmp_path, cells, plan, uball5d):
    older = json.loads(plan[0].settings)
    del older["redraw"]
    older["selection_options"] = {}
    with Store.open(tmp_path / FILE) as store:
        trial = replace(plan[0], settings=encode(older))
        store.add(trial, standin.work(trial, uball5d), 1)
    with Store.open(tmp_path / FILE) as store:
        assert store.done() == {plan[0]}


def test_a_trial_is_written_whole_or_not_at_all(tmp_path, plan, uball5d):
    broken = standin.work(plan[0], uball5d)
    broken.history.append(broken.history[-1])  # a generation twice: the key forbids it
    with Store.open(tmp_path / FILE) as store:
        with pytest.raises(ResultsError):
            store.add(plan[0], broken, 1)
        assert store.done() == set()
        store.add(plan[1], standin.work(plan[1], uball5d), 1)
        assert store.done() == {plan[1]}


def test_two_runs_on_one_file_are_refused(tmp_path, plan, uball5d):
    with Store.open(tmp_path / FILE) as store:
        store.add(plan[0], standin.work(plan[0], uball5d), 1)
        with pytest.raises(ResultsError, match="another run is writing to this file"), Store.open(tmp_path / FILE):
            pass
        store.add(plan[1], standin.work(plan[1], uball5d), 1)
    with Store.open(tmp_path / FILE) as store:  # free again
        assert len(store.done()) == 2


def test_results_can_be_read_during_a_run(tmp_path, cells, plan, uball5d):
    with Store.open(tmp_path / FILE) as store:
        store.begin("table", SCALE, cells, [uball5d], "here")
        store.add(plan[0], standin.work(plan[0], uball5d), 1)
        assert len(results.read(tmp_path, "table").trials) == 1
        store.add(plan[1], standin.work(plan[1], uball5d), 1)
    assert not (tmp_path / f"{FILE}-wal").exists()


def test_another_schema_version_is_refused_and_left_alone(tmp_path, cells, plan, uball5d):
    fill(tmp_path, cells, uball5d)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("PRAGMA user_version = 99")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(ResultsError, match="schema version 2; got version 99"), Store.open(tmp_path / FILE):
        pass
    with pytest.raises(ResultsError, match="got version 99"):
        results.read(tmp_path, "table")
    assert (tmp_path / FILE).read_bytes() == before


def test_another_sqlite_file_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("CREATE TABLE recipes (cake TEXT)")
    with pytest.raises(ResultsError, match="expected a results file of epsilex"), Store.open(tmp_path / FILE):
        pass


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / FILE).write_text("once upon a time " * 100)
    with pytest.raises(ResultsError, match="not a results file"), Store.open(tmp_path / FILE):
        pass


def test_other_data_than_the_stored_trials_used_is_refused(tmp_path, cells, plan, uball5d):
    fill(tmp_path, cells, uball5d)
    with (
        Store.open(tmp_path / FILE) as store,
        pytest.raises(ResultsError, match="expected the data that the stored trials used"),
    ):
        store.begin("table", SCALE, cells, [replace(uball5d, sha256="0" * 64)], "here")


def test_a_full_disk_keeps_what_is_stored(tmp_path, plan, uball5d):
    with Store.open(tmp_path / FILE) as store:
        store.add(plan[0], standin.work(plan[0], uball5d), 1)
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        long = studies.cells("table", ["uball5d"], ["lex"], studies.Scale(1, 5000, 10))[0].trial(1)
        with pytest.raises(ResultsError, match="the disk is full"):
            store.add(long, standin.work(long, uball5d), 1)
        assert store.done() == {plan[0]}


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder that nobody can write to")
def test_a_folder_that_cannot_be_written():
    from pathlib import Path

    with (
        pytest.raises(ResultsError, match="out: expected a folder that can be written"),
        Store.open(Path("/proc/x") / FILE),
    ):
        pass


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ResultsError, match="out: expected a folder that can be written"), Store.open(tmp_path / FILE):
        pass


def test_out_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match="out: expected a folder"), Store.open(tmp_path / "file" / FILE):
        pass


def test_the_last_scale_of_a_study_is_reported(tmp_path, uball5d):
    """A quick look and the full run share a file; the report shows one of them, never a mixture."""
    quick, full = studies.Scale(2, 3, 10), studies.Scale(4, 6, 10)
    fill(tmp_path, studies.cells("table", ["uball5d"], ["lex", "afp"], quick), uball5d, scale=quick)
    fill(tmp_path, studies.cells("table", ["uball5d"], ["lex"], full), uball5d, scale=full)
    found = results.read(tmp_path, "table")
    assert set(found.trials["generations"]) == {6}
    assert len(found.trials) == 4
    assert found.history["generation"].max() == 6


def test_a_cell_added_at_the_same_scale_joins_the_others(tmp_path, uball5d):
    fill(tmp_path, studies.cells("table", ["uball5d"], ["lex"], SCALE), uball5d)
    fill(tmp_path, studies.cells("table", ["uball5d"], ["afp"], SCALE), uball5d)
    assert set(results.read(tmp_path, "table").trials["method"]) == {"lex", "afp"}


def test_the_epsilon_study_keeps_its_values_apart(tmp_path, uball5d):
    cells = studies.cells("epsilon", ["uball5d"], ["lex_e", "lex_y"], SCALE)
    fill(tmp_path, cells, uball5d, study="epsilon")
    found = results.read(tmp_path, "epsilon")
    assert sorted(found.trials["epsilon"].unique()) == list(studies.EPSILONS)
    assert len(found.trials) == 2 * 7 * 3
    assert results.read(tmp_path, "table") is None


# --- keys and seeds ---


def test_plans_are_balanced_and_the_papers():
    from epsilex.experiments.methods import PAPER

    full = studies.FULL["table"]
    plan = studies.plan(studies.cells("table", problems.NAMES, [m.id for m in PAPER], full), full.trials)
    assert len(plan) == len(set(plan)) == 8 * 6 * 30
    assert [t.trial for t in plan] == sorted(t.trial for t in plan)
    assert len(studies.cells("epsilon", ["tower"], ["lex_e", "lex_y"], studies.FULL["epsilon"])) == 2 * 7


def test_seeds_come_from_the_key_alone():
    trial = Trial("tower", "lex", "{}", 2, 1)
    assert trial.seed == 1458552936  # stable across machines and versions
    others = [Trial("enh", "lex", "{}", 2, 1), Trial("tower", "lex_e", "{}", 2, 1), Trial("tower", "lex", "{}", 2, 2)]
    assert len({trial.seed, *(other.seed for other in others)}) == 4
    assert trial.split_seed == others[1].split_seed  # one partition for all methods of a trial
    assert trial.split_seed != others[0].split_seed
    assert trial.split_seed != others[2].split_seed
    assert Trial("tower", "lex", '{"crossover":0.9}', 3, 1).seed == trial.seed  # settings compare on the same seeds


def test_a_trial_is_shared_by_the_studies_that_ask_for_it(tmp_path, uball5d):
    table = studies.cells("table", ["uball5d"], ["lex_e"], SCALE)
    epsilon = studies.cells("epsilon", ["uball5d"], ["lex_e"], SCALE)
    same = [cell for cell in epsilon if cell.trial(1) == table[0].trial(1)]
    assert [cell.column for cell in same] == ["lex_e(epsilon=5.0)"]
    fill(tmp_path, table, uball5d)
    with Store.open(tmp_path / FILE) as store:
        store.begin("epsilon", SCALE, epsilon, [uball5d], "here")
    assert results.read(tmp_path, "epsilon").trials["epsilon"].tolist() == [5.0] * 3


def test_engines_and_settings_never_mix(tmp_path, uball5d):
    old = [replace(cell, engine=1) for cell in studies.cells("table", ["uball5d"], ["lex"], SCALE)]
    fill(tmp_path, old, uball5d)
    fill(tmp_path, studies.cells("table", ["uball5d"], ["afp"], SCALE), uball5d)
    assert set(results.read(tmp_path, "table").trials["method"]) == {"afp"}
    fill(tmp_path, studies.cells("table", ["uball5d"], ["afp"], SCALE, {"crossover": 0.9}), uball5d)
    found = results.read(tmp_path, "table").trials
    assert found.groupby("method").size().to_dict() == {"afp": 3, "afp + crossover=0.9": 3}
    with sqlite3.connect(tmp_path / FILE) as db:
        assert db.execute("SELECT count(*) FROM trials").fetchone() == (9,)  # nothing stored is lost


def test_encoded_options_do_not_depend_on_their_order():
    assert encode({"a": 1, "b": {"d": 2, "c": 3}}) == encode({"b": {"c": 3, "d": 2}, "a": 1})


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "3"])
@pytest.mark.parametrize("name", ["trials", "generations", "population_size"])
def test_a_scale_that_makes_no_sense(name, bad):
    with pytest.raises(ValueError, match=f"{name}: expected an integer of at least 1; got {bad!r}"):
        studies.Scale(**{"trials": 1, "generations": 1, "population_size": 1, name: bad})


# --- the compact copy ---


def test_a_compact_copy_gives_the_same_rows(tmp_path, uball5d):
    long = studies.Scale(trials=2, generations=60, population_size=10)
    fill(tmp_path, studies.cells("table", ["uball5d"], ["lex", "tournament"], long), uball5d, scale=long)
    fill(tmp_path, studies.cells("epsilon", ["uball5d"], ["lex_e"], long), uball5d, study="epsilon", scale=long)
    results.keep(tmp_path, tmp_path / "kept")
    for study in ("table", "epsilon"):
        whole, kept = results.read(tmp_path, study), results.read(tmp_path / "kept", study)
        assert kept.run == whole.run
        assert kept.environments == whole.environments
        assert kept.problems.to_dict() == whole.problems.to_dict()
        order = ["problem", "method", "epsilon", "trial"]
        ours, theirs = kept.trials.sort_values(order), whole.trials.sort_values(order)
        for name in ("settings", "formula", "seed"):
            assert ours[name].tolist() == theirs[name].tolist()
        for name in ("test_mae", "train_mae", "cpu_seconds"):
            assert ours[name].tolist() == pytest.approx(theirs[name].tolist(), rel=1e-8)
        thinned = whole.history[(whole.history["generation"] % 25 == 0) | (whole.history["generation"] == 60)]
        a, b = (rows.sort_values([*order, "generation"]).reset_index() for rows in (kept.history, thinned))
        assert a["best_mae"].tolist() == pytest.approx(b["best_mae"].tolist(), rel=1e-4)
        assert a["generation"].tolist() == b["generation"].tolist()


def test_a_compact_copy_is_the_same_for_the_same_results(tmp_path, cells, uball5d):
    fill(tmp_path, cells, uball5d)
    for name in ("one", "two"):
        results.keep(tmp_path, tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "one" / "rows").iterdir())
    assert "generations.csv.gz" in files
    for name in files:
        assert (tmp_path / "one" / "rows" / name).read_bytes() == (tmp_path / "two" / "rows" / name).read_bytes()


def test_a_damaged_compact_copy_is_refused(tmp_path, cells, uball5d):
    fill(tmp_path, cells, uball5d)
    results.keep(tmp_path, tmp_path / "kept")
    (tmp_path / "kept" / "rows" / "generations.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(ResultsError, match="expected the rows of a results file"):
        results.read(tmp_path / "kept", "table")
