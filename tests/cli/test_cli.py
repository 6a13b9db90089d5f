"""The `epsilex` command: what it prints, what it writes, how it goes on."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

from command import QUICK, epsilex, some_rows
from epsilex import __version__, load_model
from epsilex.tables.numbers import exact_numbers

FILES = {"model.json", "front.csv", "history.csv", "report.html"}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A folder with data.csv and a fit of it."""
    folder = tmp_path_factory.mktemp("fit")
    some_rows().to_csv(folder / "data.csv", index=False)
    done = epsilex("fit", folder / "data.csv", "--target", "y", *QUICK, "--out", folder / "out")
    assert done.code == 0, done.err
    return folder, done


def test_a_fit_writes_the_files_and_nothing_else(fitted):
    folder, _ = fitted
    assert {path.name for path in (folder / "out").iterdir()} == FILES | {"fit.json"}


def test_a_fit_tells_front_formula_error_files_and_what_to_do_next(fitted):
    folder, done = fitted
    front = pd.read_csv(folder / "out" / "front.csv")
    chosen = front[front["chosen"]].iloc[0]
    marked = [line for line in done.out.splitlines() if line.startswith("→")]
    assert len(marked) == 1
    assert marked[0].split()[1] == str(chosen["length"])
    assert f"y = {chosen['formula']}" in done.out.replace("\n", "")
    assert f"test error  {chosen['test_mae']:#.4g} mean absolute" in done.out
    assert f"epsilex predict {folder / 'out' / 'model.json'}" in done.out
    for name in FILES:
        assert str(folder / "out" / name) in done.out
    assert "60 rows, 15 of them held back; 4 features" in done.err
    assert "'color' has 2 categories" in done.err


def test_predict_gives_the_numbers_the_front_claims(fitted):
    folder, _ = fitted
    front = pd.read_csv(folder / "out" / "front.csv")
    done = epsilex("predict", folder / "out" / "model.json", folder / "data.csv", "--target", "y")
    told = pd.read_csv(io.StringIO(done.out), **exact_numbers())["prediction"]
    prediction = pd.read_csv(folder / "data.csv", **exact_numbers()).assign(p=told)
    mae = float((prediction["y"] - prediction["p"]).abs().mean())
    assert mae == pytest.approx(front.loc[front["chosen"], "mae_all"].item(), rel=1e-12)
    assert f"{mae:.6g} on 60 rows" in done.err
    assert front.loc[0, "mae"] * 45 + front.loc[0, "test_mae"] * 15 == pytest.approx(front.loc[0, "mae_all"] * 60)


def test_columns_are_found_by_name(fitted, tmp_path):
    folder, _ = fitted
    model = folder / "out" / "model.json"
    frame = pd.read_csv(folder / "data.csv", **exact_numbers())
    frame.iloc[:, ::-1].assign(extra="text").to_csv(tmp_path / "other.tsv", sep="\t", index=False)
    assert epsilex("predict", model, tmp_path / "other.tsv").out == epsilex("predict", model, folder / "data.csv").out


def test_predictions_can_be_written_and_read_by_programs(fitted, tmp_path):
    folder, _ = fitted
    model, data = folder / "out" / "model.json", folder / "data.csv"
    done = epsilex("predict", model, data, "--out", tmp_path / "p.csv")
    assert (done.code, done.out) == (0, "")
    written = pd.read_csv(tmp_path / "p.csv", **exact_numbers())["prediction"]
    told = json.loads(epsilex("predict", model, data, "--json").out)["prediction"]
    assert written.tolist() == told
    assert [path.name for path in tmp_path.iterdir()] == ["p.csv"]


def test_a_row_with_a_missing_value_has_no_prediction(fitted, tmp_path):
    folder, _ = fitted
    frame = pd.read_csv(folder / "data.csv").head(3)
    frame.loc[1, ["x", "z", "color"]] = np.nan
    frame.loc[2, "color"] = "green"
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    done = epsilex("predict", folder / "out" / "model.json", tmp_path / "gaps.csv")
    assert [line == "nan" for line in done.out.splitlines()[1:]] == [False, True, False]
    assert "1 of 3 rows have no prediction" in done.err
    assert "1 rows have a value of 'color' that the model has not seen" in done.err


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("text", lambda m: m.formula),
        ("latex", lambda m: m.latex()),
        ("python", lambda m: m.python().strip()),
        ("sympy", lambda m: str(m.sympy())),
        ("c", lambda m: m.c().strip()),
    ],
)
def test_show(fitted, notation, expected):
    path = fitted[0] / "out" / "model.json"
    assert epsilex("show", path, "--format", notation).out.strip() == expected(load_model(path))


def test_show_json_is_a_model_file(fitted, tmp_path):
    path = fitted[0] / "out" / "model.json"
    (tmp_path / "again.json").write_text(epsilex("show", path, "--format", "json").out)
    assert load_model(tmp_path / "again.json") == load_model(path)


@pytest.mark.parametrize("limits", [QUICK, ("--time", "0.5", "--jobs", "1")])
def test_a_fit_is_repeated_by_the_command_it_tells(limits, tmp_path, monkeypatch):
    monkeypatch.setattr("epsilex.parameters.population_for", lambda seconds: 60)  # as if there were more time
    some_rows().to_csv(tmp_path / "data.csv", index=False)
    assert epsilex("fit", tmp_path / "data.csv", "--target", "y", *limits, "--out", tmp_path / "out").code == 0
    words = json.loads((tmp_path / "out" / "fit.json").read_text())["command"].split()
    assert words[:2] == ["epsilex", "fit"]
    words[words.index("--out") + 1] = str(tmp_path / "again")
    assert epsilex(*words[1:]).code == 0
    for name in ("model.json", "front.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_a_report_is_made_anew_from_the_record(fitted):
    page = fitted[0] / "out" / "report.html"
    before = page.read_bytes()
    page.unlink()
    done = epsilex("report", fitted[0] / "out")
    assert done.out.strip() == str(page)
    assert page.read_bytes() == before


def test_json_tells_the_same(tmp_path):
    some_rows().to_csv(tmp_path / "d.csv", index=False)
    done = epsilex("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o", "--json")
    told = json.loads(done.out)
    front = pd.read_csv(tmp_path / "o" / "front.csv")
    assert told["formula"] == front.loc[front["chosen"], "formula"].item() == load_model(told["files"][0]).formula
    assert [row["length"] for row in told["front"]] == front["length"].tolist()


def test_no_rows_held_back(tmp_path):
    some_rows().to_csv(tmp_path / "d.csv", index=False)
    done = epsilex("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o", "--test-share", "0")
    front = pd.read_csv(tmp_path / "o" / "front.csv")
    assert "no rows were held back" in done.out
    assert "test_mae" not in front
    assert front["mae"].tolist() == pytest.approx(front["mae_all"].tolist())


def test_the_paper_preset_is_the_papers(tmp_path):
    some_rows().to_csv(tmp_path / "d.csv", index=False)
    options = ("--preset", "paper", "--selection", "tournament", *QUICK, "--out", tmp_path / "o")
    assert epsilex("fit", tmp_path / "d.csv", "--target", "y", *options).code == 0
    settings = json.loads((tmp_path / "o" / "fit.json").read_text())["settings"]
    assert settings["selection"] == "tournament"
    assert "pdiv" in settings["operators"]


def test_the_demo_needs_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = epsilex("demo", *QUICK)
    assert done.code == 0, done.err
    assert "y = " in done.out
    assert "epsilex predict demo/model.json demo/uball5d.csv" in done.out
    assert {path.name for path in (tmp_path / "demo").iterdir()} == FILES | {"fit.json", "uball5d.csv"}
    front = pd.read_csv("demo/front.csv")
    prediction = pd.read_csv(pd.io.common.StringIO(epsilex("predict", "demo/model.json", "demo/uball5d.csv").out))
    y = pd.read_csv("demo/uball5d.csv")["y"]
    mae = float((prediction["prediction"].fillna(np.inf) - y).iloc[1024:].abs().mean())
    assert mae == pytest.approx(front.loc[front["chosen"], "test_mae"].item())


def test_names_that_are_no_words(tmp_path):
    frame = some_rows()[["z", "x", "y"]].set_axis(["temp (C)", "[bold]\x1b[31m:smile:", "lambda"], axis=1)
    frame.to_csv(tmp_path / "d.csv", index=False)
    done = epsilex("fit", tmp_path / "d.csv", "--target", "lambda", *QUICK, "--out", tmp_path / "o")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert "[bold]�[31m:smile:" in done.out
    assert set(load_model(tmp_path / "o" / "model.json").feature_names) == set(frame.columns) - {"lambda"}


def test_help_and_version():
    assert epsilex("--version").out == f"epsilex {__version__}\n"
    assert epsilex().out == epsilex("--help").out
    for command in ("demo", "fit", "predict", "show", "reproduce", "report"):
        assert command in epsilex("--help").out
        assert f"epsilex {command}" in epsilex(command, "--help").out


def test_the_experiments_are_reached(monkeypatch, tmp_path):
    from epsilex import experiments

    def reproduce(**asked):
        return asked and experiments.Reproduction(tmp_path, f"| {asked['problems']} {asked['methods']} |", 4, 0, ())

    monkeypatch.setattr(experiments, "reproduce", reproduce)
    done = epsilex("reproduce", "--problems", "enh, enc", "--methods", "lex", "--trials", "2", "--out", tmp_path)
    assert done.out == "| ['enh', 'enc'] ['lex'] |\n"
    assert str(tmp_path / "index.html") in done.err
    told = json.loads(epsilex("reproduce", "--json", "--out", tmp_path).out)
    assert told == {"out": str(tmp_path), "done": 4, "failed": 0, "skipped": []}


def test_a_fit_on_islands(fitted, tmp_path):
    data = fitted[0] / "data.csv"
    done = epsilex("fit", data, "--target", "y", *QUICK, "--islands", "2", "--out", tmp_path)
    assert done.code == 0, done.err
    assert "island" in pd.read_csv(tmp_path / "history.csv")
    assert "--islands 2" in json.loads((tmp_path / "fit.json").read_text())["command"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--islands", "2", "--dask", "tcp://127.0.0.1:9"), "nobody answers at 'tcp://127.0.0.1:9'"),
        (("--dask", "tcp://127.0.0.1:9"), "expected islands of at least 2"),
        (("--islands", "0"), "greater than or equal to 1"),
    ],
)
def test_a_cluster_that_is_not_there(fitted, tmp_path, options, told):
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    done = epsilex("fit", fitted[0] / "data.csv", "--target", "y", *QUICK, *options, "--out", tmp_path)
    assert done.code == 2
    assert told in done.err
    assert not done.out
