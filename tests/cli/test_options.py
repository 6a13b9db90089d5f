"""Every row of the tables of options in docs/cli.md does what it says."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from command import QUICK, epsilex, refused, some_rows
from epsilex import Model, load_model
from epsilex.cli import fitting
from epsilex.cli.app import app
from epsilex.cli.fit_options import FIT as FIT_OPTIONS
from epsilex.cli.options import parameters
from epsilex.regressor import SymbolicRegressor
from epsilex.tables.numbers import exact_numbers


@dataclass
class Got:
    """What a fit was asked for."""

    data: Any
    est: Any
    out: Any
    command: list
    news: list
    how: dict


def rows() -> pd.DataFrame:
    n = len(some_rows())
    return some_rows().assign(w=np.arange(n) % 3, err=np.linspace(0.1, 0.2, n), odd=["?"] + ["1"] * (n - 1))


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """A function that calls the command line up to the search, in a folder with data.csv."""
    got: list[Got] = []

    def fit(data, est, out, command, news, **how):
        got.append(Got(data, est, out, command, news, how))
        raise ValueError("enough")

    monkeypatch.setattr(fitting, "fit", fit)
    monkeypatch.chdir(tmp_path)
    rows().to_csv("data.csv", index=False)

    def ask(*words: str) -> Got:
        assert "enough" in refused(epsilex(*words))
        return got[-1]

    return ask


def parameter(name: str, value: object):
    return lambda got: getattr(got.est, name) == value


def setting(name: str, value: object):
    return lambda got: getattr(got.est.settings, name) == value


FIT = {
    "--target": ([], lambda got: got.data.target == "y"),
    "--features": (["--features", "x,color"], lambda got: set(got.data.table.X) == {"x", "color=red", "color=blue"}),
    "--ignore": (["--ignore", "color, z"], lambda got: set(got.data.table.X) == {"x", "w", "err", "odd"}),
    "--weights": (
        ["--weights", "w"],
        lambda got: "w" not in got.data.table.X and got.data.weight.tolist() == (got.data.table.rows % 3).tolist(),
    ),
    "--noise": (["--noise", "err"], lambda got: "err" not in got.data.table.X and got.data.sigma[-1] == 0.2),
    "--test-share": (["--test-share", "0.5"], lambda got: got.data.held_back.sum() == 30),
    "--rows": (["--rows", "40"], lambda got: any("40 of the 60 rows" in text for text in got.news)),
    "--strict": (["--strict", "--ignore", "odd"], lambda got: "--strict" in got.command),
    "--encoding": (["--encoding", "cp037"], lambda got: len(got.data.table.y) == 59),
    "--sheet": (["--sheet", "two"], lambda got: list(got.data.table.X) == ["b"]),
    "--time": (["--time", "3"], parameter("time_limit", 3.0)),
    "--generations": (["--generations", "7"], lambda got: (got.est.generations, got.est.time_limit) == (7, None)),
    "--population": (["--population", "50"], parameter("population_size", 50)),
    "--seed": (["--seed", "9"], parameter("random_state", 9)),
    "--jobs": (["--jobs", "2"], parameter("n_jobs", 2)),
    "--preset": (["--preset", "paper"], lambda got: "plog" in got.est.settings.operators),
    "--selection": (["--selection", "lex"], parameter("selection", "lex")),
    "--operators": (["--operators", "+,-, *,sin"], parameter("operators", ["+", "-", "*", "sin"])),
    "--loss": (["--loss", "mse"], parameter("loss", "mse")),
    "--max-length": (["--max-length", "9"], parameter("max_length", 9)),
    "--target-error": (["--target-error", "0.5"], parameter("target_error", 0.5)),
    "--choose": (["--choose", "accuracy"], parameter("choose", "accuracy")),
    "--constants": (["--constants", "g=9.81, R=8.314"], parameter("constants", {"g": 9.81, "R": 8.314})),
    "--set": (["--set", "crossover=0.5", "--set", "elitism=True"], lambda got: got.est.settings.crossover == 0.5),
    "--guess": (["--guess", "a*x", "--guess", "b*z"], parameter("guesses", ("a*x", "b*z"))),
    "--form": (["--form", "f(x)*z"], parameter("form", "f(x)*z")),
    "--islands": (["--islands", "3"], parameter("islands", 3)),
    "--dask": (["--dask", "tcp://127.0.0.1:1"], parameter("dask", "tcp://127.0.0.1:1")),
    "--units": (
        ["--features", "x,color", "--units", "x=m"],
        parameter("units", {"x": "m", "color=red": "1", "color=blue": "1"}),
    ),
    "--target-unit": (["--target-unit", "J"], parameter("target_unit", "J")),
    "--constant-units": (["--constant-units", "any"], parameter("constant_units", "any")),
    "--constraint": (["--constraint", "increasing in x"], parameter("constraints", ("increasing in x",))),
    "--domain": (["--domain", "x=0:10,z=-1:1"], parameter("domain", {"x": (0.0, 10.0), "z": (-1.0, 1.0)})),
    "--groups": (["--groups", "color"], lambda got: got.est.groups == "color" and got.data.features.shape[1] == 5),
    "--per-group": (["--groups", "color", "--guess", "a*x", "--per-group", "a"], parameter("per_group", ["a"])),
    "--nesting": (["--nesting", "sin=sin cos,exp=exp"], setting("nesting", {"sin": ("sin", "cos"), "exp": ("exp",)})),
    "--costs": (["--costs", "sin=3,exp=2"], setting("costs", {"sin": 3, "exp": 2})),
    "--whole-exponents": (["--whole-exponents"], setting("whole_exponents", True)),
    "--required": (["--required", "x,z"], setting("required", ("x", "z"))),
    "--forbidden": (["--forbidden", "w"], setting("forbidden", ("w",))),
    "--out": (["--out", "here"], lambda got: str(got.out) == "here"),
    "--overwrite": (["--overwrite"], lambda got: got.how == {"resume": False, "overwrite": True}),
    "--resume": (["--resume"], lambda got: got.how == {"resume": True, "overwrite": False}),
    "--config": (["--config", "fit.toml"], lambda got: (got.est.max_length, got.est.loss) == (7, "huber")),
    "--json": (["--json"], lambda got: "--json" not in got.command),
}


@pytest.mark.parametrize("option", FIT)
def test_fit(asked, option):
    words, check = FIT[option]
    name = "data.csv"
    if option == "--sheet":
        name = "data.xlsx"
        with pd.ExcelWriter(name) as book:
            rows()[["x", "y"]].to_excel(book, sheet_name="one", index=False)
            rows()[["z", "y"]].set_axis(["b", "y"], axis=1).to_excel(book, sheet_name="two", index=False)
    if option == "--encoding":  # of a mainframe, which nobody would guess
        name = "ebcdic.csv"
        with open(name, "wb") as file:
            file.write(rows().to_csv(index=False).encode("cp037"))
    if option == "--config":
        with open("fit.toml", "w") as file:
            file.write('max-length = 7\nloss = "huber"')
    got = asked("fit", name, "--target", "y", *words)
    assert check(got)
    if option not in ("--target", "--encoding", "--json"):
        assert not holds(check, asked("fit", "data.csv", "--target", "y")), "the check holds without the option, too"


def holds(check, got: Got) -> bool:
    try:
        return bool(check(got))
    except AttributeError:  # of None, where nothing was given
        return False


def test_the_command_of_a_fit_repeats_what_was_asked_for(asked):
    words = [
        "--ignore",
        "odd",
        "--strict",
        "--guess",
        "a*x + b",
        "--operators",
        "+,*",
        "--preset",
        "paper",
        "--seed",
        "3",
    ]
    got = asked("fit", "data.csv", "--target", "y", *words, "--time", "9", "--jobs", "2", "--overwrite")
    again = asked(*got.command[1:])
    assert again.command == got.command
    assert {*words} <= {*got.command}
    assert not {"--time", "--jobs", "--overwrite"} & {*got.command}


class TestConfiguration:
    TEXT = """
target = "y"
features = ["x", "z"]
generations = 5
strict = true
guess = "a*x"
set = ["crossover=0.4"]
constants = {g = 9.81}
[units]
x = "m"
z = "m"
[domain]
x = [0, 10]
"""

    def test_lists_and_tables(self, asked, tmp_path):
        (tmp_path / "c.toml").write_text(self.TEXT)
        got = asked("fit", "data.csv", "--config", "c.toml", "--generations", "6")
        assert got.est.generations == 6  # the command line comes first
        assert list(got.data.table.X) == ["x", "z"]
        assert got.est.units == {"x": "m", "z": "m"}
        assert got.est.domain == {"x": (0.0, 10.0)}
        assert got.est.constants == {"g": 9.81}
        assert got.est.guesses == ("a*x",)
        assert got.est.settings.crossover == 0.4
        assert asked(*got.command[1:], "--generations", "6").command == got.command  # without the file

    def test_names_with_commas(self, asked, tmp_path):
        rows().rename(columns={"x": "a, b"}).to_csv("commas.csv", index=False)
        (tmp_path / "c.toml").write_text('features = ["a, b"]')
        assert list(asked("fit", "commas.csv", "--target", "y", "--config", "c.toml").data.table.X) == ["a, b"]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("tme = 5", "expected options of the command, target, features"),
            ("config = 'b.toml'", "expected options of the command"),
            ("time = ", "expected a TOML file"),
            ("strict = 'yes'", "strict: expected true or false"),
            ("time = -1", "--time"),
            ("time = 'long'", "--time"),
            ("operators = ['cosinus']", "operators"),
        ],
    )
    def test_bad_files_are_one_line(self, tmp_path, text, said):
        rows().to_csv(tmp_path / "d.csv", index=False)
        (tmp_path / "c.toml").write_text(text)
        words = ("fit", tmp_path / "d.csv", "--target", "y", "--out", tmp_path / "o", "--config", tmp_path / "c.toml")
        assert said in refused(epsilex(*words))

    def test_no_file(self, tmp_path):
        assert "No such file" in refused(epsilex("fit", "d.csv", "--config", tmp_path / "absent.toml"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--features", "q"], "features: expected columns beside the target"),
        (["--ignore", "y"], "ignore: expected columns beside the target"),
        (["--ignore", "x,z,color,w,err,odd"], "features: expected a column of numbers"),
        (["--weights", "q"], "weights: expected one of the columns"),
        (["--weights", "color"], "weights: expected weights of at least 0 in column 'color'; got nan in row 1"),
        (["--loss", "least"], "loss: expected"),
        (["--choose", "best"], "choose: expected"),
        (["--constants", "g"], "constants: expected numbers by name"),
        (["--constants", "g=much"], "constants: expected numbers by name"),
        (["--constants", "x=3"], "constants: expected names that are not columns"),
        (["--set", "crossover"], "--set: expected name=value"),
        (["--set", "speed=9"], "settings: expected one of"),
        (["--encoding", "klingon"], "encoding: expected one that Python knows"),
        (["--encoding", "utf-32"], "expected text in utf-32"),
        (["--sheet", "one"], "sheet: expected only with *.xlsx"),
        (["--max-length", "0"], "--max-length"),
    ],
)
def test_bad_values_are_one_line(tmp_path, words, said):
    rows().to_csv(tmp_path / "d.csv", index=False)
    call = ("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o")
    assert said in refused(epsilex(*call, *words))
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


DEMO = {
    "--time": (["--time", "3"], parameter("time_limit", 3.0)),
    "--generations": (["--generations", "7"], parameter("generations", 7)),
    "--population": (["--population", "50"], parameter("population_size", 50)),
    "--seed": (["--seed", "9"], parameter("random_state", 9)),
    "--jobs": (["--jobs", "2"], parameter("n_jobs", 2)),
    "--out": (["--out", "here"], lambda got: str(got.out) == "here"),
    "--overwrite": (["--overwrite"], lambda got: got.how == {"overwrite": True}),
    "--json": (["--json"], lambda got: got.data.target == "y"),
}


@pytest.mark.parametrize("option", DEMO)
def test_demo(asked, option):
    words, check = DEMO[option]
    assert check(asked("demo", *words))


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A folder with data.csv and a fit of it, whose formulas use x, z and color, but not all of them."""
    folder = tmp_path_factory.mktemp("fit")
    rows().assign(id=[f"r{i}" for i in range(60)]).to_csv(folder / "data.csv", index=False)
    done = epsilex(
        "fit", folder / "data.csv", "--target", "y", "--features", "x,z,color", *QUICK, "--out", folder / "o"
    )
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module")
def lengths(fitted):
    return pd.read_csv(fitted / "o" / "front.csv")["length"].tolist()


def predicted(fitted, *words) -> str:
    done = epsilex("predict", fitted / "o", fitted / "data.csv", *words)
    assert done.code == 0, done.err
    return done.out


def test_predict_out(fitted, tmp_path):
    assert predicted(fitted, "--out", tmp_path / "p.csv") == ""
    assert (tmp_path / "p.csv").read_text() == predicted(fitted)


def test_predict_length(fitted, lengths):
    m = load_model(fitted / "o" / "model.json")
    for length in lengths:
        assert (predicted(fitted, "--length", length) == predicted(fitted)) == (length == m.length)


def test_predict_keep(fitted):
    lines = predicted(fitted, "--keep", "id,color").splitlines()
    assert lines[0] == "id,color,prediction"
    assert [line.split(",")[0] for line in lines[1:]] == [f"r{i}" for i in range(60)]
    told = json.loads(predicted(fitted, "--keep", "id,odd", "--json"))
    assert told["id"][:2] == ["r0", "r1"]
    assert told["odd"][:2] == ["?", "1"]  # as they are written


def test_predict_keeps_ids_as_they_are_written(fitted, tmp_path):
    ids = ["007", "1.50", "-", "1,234", " x"]
    frame = pd.read_csv(fitted / "data.csv").head(5).assign(id=ids)
    frame.to_csv(tmp_path / "d.csv", index=False)
    done = epsilex("predict", fitted / "o", tmp_path / "d.csv", "--keep", "id")
    told = pd.read_csv(io.StringIO(done.out), dtype=str, keep_default_na=False)
    assert told["id"].tolist() == [text.strip() for text in ids]
    assert told["prediction"].tolist() == predicted(fitted).split()[1:6]


def test_predictions_do_not_replace_data_or_model(fitted, tmp_path):
    for name in ("data.csv", "o/model.json"):
        before = (fitted / name).read_bytes()
        words = ("predict", fitted / "o" / "model.json", fitted / "data.csv", "--out", fitted / name)
        assert "out: expected another file than" in refused(epsilex(*words))
        assert (fitted / name).read_bytes() == before


def test_predict_interval(fitted, lengths):
    frame = pd.read_csv(io.StringIO(predicted(fitted, "--interval", "0.9", "--length", lengths[0])))
    assert list(frame.columns) == ["prediction", "low", "high"]
    assert (frame["low"] < frame["prediction"]).all()
    assert (frame["prediction"] < frame["high"]).all()


def test_predict_target(fitted):
    assert "mean absolute error" in epsilex("predict", fitted / "o", fitted / "data.csv", "--target", "y").err
    words = ("predict", fitted / "o", fitted / "data.csv", "--target", "id")
    assert "column 'id' has no number to compare with" in epsilex(*words).err


def test_predict_encoding_and_sheet(fitted, tmp_path):
    frame = pd.read_csv(fitted / "data.csv", **exact_numbers())
    (tmp_path / "wide.csv").write_bytes(frame.to_csv(index=False).encode("utf-16-be"))
    frame.to_excel(tmp_path / "d.xlsx", sheet_name="two", index=False)
    expected = predicted(fitted)
    assert epsilex("predict", fitted / "o", tmp_path / "wide.csv", "--encoding", "utf-16-be").out == expected
    of_sheet = epsilex("predict", fitted / "o", tmp_path / "d.xlsx", "--sheet", "two").out.split()[1:]
    np.testing.assert_allclose(np.array(of_sheet, float), np.array(expected.split()[1:], float))  # it has 16 digits
    assert "sheet: expected one of 'two'" in refused(
        epsilex("predict", fitted / "o", tmp_path / "d.xlsx", "--sheet", "q")
    )


def test_predict_json(fitted):
    assert len(json.loads(predicted(fitted, "--json"))["prediction"]) == 60


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--length", "999"], "length: expected one of"),
        (["--keep", "q"], "keep: expected one of the columns"),
        (["--interval", "2"], "interval: expected a number between 0 and 1"),
        (["--target", "q"], "target: expected one of the columns"),
    ],
)
def test_predict_refuses_in_one_line(fitted, words, said):
    assert said in refused(epsilex("predict", fitted / "o", fitted / "data.csv", *words))


def test_a_length_needs_the_folder_of_a_fit(fitted, tmp_path):
    (tmp_path / "m.json").write_text((fitted / "o" / "model.json").read_text())
    assert "length: expected a model in the folder of a fit" in refused(
        epsilex("show", tmp_path / "m.json", "--length", 3)
    )
    assert "results: expected the folder of a fit" in refused(epsilex("take", tmp_path, "--length", 3))


def test_predict_needs_only_what_the_formula_contains(fitted, tmp_path):
    from epsilex.cli.predicting import used_names

    m = load_model(fitted / "o" / "model.json")
    used = {name.partition("=")[0] for name in used_names(m)}
    frame = pd.read_csv(fitted / "data.csv")
    frame[sorted(used)].to_csv(tmp_path / "few.csv", index=False)
    assert epsilex("predict", fitted / "o", tmp_path / "few.csv").out == predicted(fitted)
    short = Model.from_formula("2*z", some_rows()[["x", "z"]], some_rows()["y"])
    short.save(tmp_path / "short.json")
    frame[["z"]].to_csv(tmp_path / "z.csv", index=False)
    assert epsilex("predict", tmp_path / "short.json", tmp_path / "z.csv").code == 0


def test_a_category_of_the_fit_that_the_formula_lacks_is_not_unseen(tmp_path):
    from epsilex.models.model import model
    from epsilex.programs.parser import parse

    names = ["color=blue", "color=red"]
    model(parse("3*x1", ["x0", "x1"]), names).save(tmp_path / "m.json")
    pd.DataFrame({"color": ["blue", "red", "green"]}).to_csv(tmp_path / "d.csv", index=False)
    done = epsilex("predict", tmp_path / "m.json", tmp_path / "d.csv")
    assert done.out.split() == ["prediction", "0.0", "3.0", "0.0"]
    assert "1 rows have a value of 'color' that the model has not seen, such as 'green' in row 3" in done.err


def test_show(fitted, lengths):
    for length in lengths:
        shown = epsilex("show", fitted / "o", "--length", length)
        front = pd.read_csv(fitted / "o" / "front.csv").set_index("length")
        assert shown.out.strip() == front.loc[length, "formula"]
    m = load_model(fitted / "o" / "model.json")
    assert epsilex("show", fitted / "o", "--format", "latex").out.strip() == m.latex()


def test_take(fitted, lengths, tmp_path):
    import shutil

    folder = tmp_path / "o"
    shutil.copytree(fitted / "o", folder)
    before = load_model(folder / "model.json")
    other = next(length for length in lengths if length != before.length)
    assert epsilex("take", folder, "--length", other, "--out", tmp_path / "m.json").code == 0
    assert load_model(tmp_path / "m.json").length == other
    assert load_model(folder / "model.json") == before
    done = epsilex("take", folder, "--length", other)
    assert done.out == f"y = {load_model(folder / 'model.json').formula}\n"
    front = pd.read_csv(folder / "front.csv")
    assert front.loc[front["chosen"], "length"].tolist() == [other]
    assert "It was taken by its length." in (folder / "report.html").read_text()
    assert front.drop(columns="chosen").equals(pd.read_csv(fitted / "o" / "front.csv").drop(columns="chosen"))
    epsilex("take", folder, "--length", before.length)
    assert (folder / "front.csv").read_text() == (fitted / "o" / "front.csv").read_text()
    assert load_model(folder / "model.json") == before
    assert f"expected one of {', '.join(map(str, lengths))}; got 999" in refused(
        epsilex("take", folder, "--length", 999)
    )


STUDIO = {
    "--port": (["--port", "9000"], lambda said: said[2] == 9000),
    "--no-browser": (["--no-browser"], lambda said: said[3] is False),
    "--project": (["--project", "p"], lambda said: str(said[1]) == "p"),
    "--replay": (["--replay", "run"], lambda said: said[1] == "run"),
}


@pytest.mark.parametrize("option", STUDIO)
def test_studio(monkeypatch, option):
    from epsilex.studio import serving

    said = []
    for name in ("serve", "replay"):
        monkeypatch.setattr(serving, name, lambda *arguments: said.append(arguments) or True)
    words, check = STUDIO[option]
    assert epsilex("studio", *words).code == 0
    assert check(said[0])


REPRODUCE = {
    "--problems": (["--problems", "enh,enc"], "problems", ["enh", "enc"]),
    "--methods": (["--methods", "lex,lex_e(epsilon=1)"], "methods", ["lex", "lex_e(epsilon=1)"]),
    "--trials": (["--trials", "3"], "trials", 3),
    "--generations": (["--generations", "4"], "generations", 4),
    "--set": (["--set", "crossover=0.9"], "settings", {"crossover": 0.9}),
    "--study": (["--study", "epsilon"], "study", "epsilon"),
    "--jobs": (["--jobs", "2"], "jobs", 2),
    "--dask": (["--dask", "tcp://a:1"], "dask", "tcp://a:1"),
    "--quick": (["--quick"], "quick", True),
    "--out": (["--out", "there"], "out", "there"),
    "--json": (["--json"], "trials", None),
}


@pytest.mark.parametrize("option", REPRODUCE)
def test_reproduce(monkeypatch, tmp_path, option):
    from epsilex import experiments

    said = {}

    def reproduce(**asked):
        said.update(asked)
        return experiments.Reproduction(tmp_path, "a table", 4, 0, ())

    monkeypatch.setattr(experiments, "reproduce", reproduce)
    words, name, value = REPRODUCE[option]
    done = epsilex("reproduce", *words)
    assert done.code == 0
    assert (str(said[name]) if name == "out" else said[name]) == value
    assert done.out.startswith("{" if option == "--json" else "a table")


def test_data_all(monkeypatch):
    from epsilex.cli import problem_data

    monkeypatch.setattr(problem_data, "fetch_all", lambda: print("fetched") or 0)
    assert epsilex("data", "--all").out == "fetched\n"


def test_report_keep(monkeypatch, tmp_path):
    from epsilex import experiments

    (tmp_path / "results.sqlite").write_text("")
    said = []
    monkeypatch.setattr(experiments, "keep", lambda *folders: said.append(folders))
    assert epsilex("report", tmp_path, "--keep", tmp_path / "k").out.strip() == str(tmp_path / "k" / "index.html")
    assert said == [(tmp_path, tmp_path / "k")]


TESTED = {
    "fit": set(FIT),
    "demo": set(DEMO),
    "predict": {"--out", "--length", "--keep", "--interval", "--target", "--encoding", "--sheet", "--json"},
    "show": {"--format", "--length", "--group"},  # groups: test_knowledge.py
    "take": {"--length", "--out"},
    "studio": set(STUDIO),
    "reproduce": set(REPRODUCE),
    "data": {"--all"},
    "report": {"--keep"},
}


def test_every_option_has_a_test():
    commands = typer.main.get_command(app).commands
    found = {
        name: {p.opts[0] for p in command.params if p.param_type_name == "option" and "--help" not in p.opts}
        for name, command in commands.items()
    }
    assert found == TESTED


ELSEWHERE = {
    "polish": "of the paper's preset",
    "warm_start": "one command is one search",
    "progress": "always shown",
    "callbacks": "functions",
    "checkpoint": "in the folder of the fit",
    "checkpoint_every": "always 30 s",
    "resume": "--resume",
    "on_interrupt": "always the best so far",
    "noise": "--noise, which may be a column",
    "units": "--units, which may be in the header",
    "target_unit": "--target-unit, or in the header",
}


def test_every_parameter_of_the_estimator_is_on_the_command_line():
    asked = {row.name: None for row in FIT_OPTIONS}
    assert parameters(FIT_OPTIONS, asked) == {}
    mapped = {row.parameter.partition("__")[0] for row in FIT_OPTIONS if row.parameter}
    assert mapped | set(ELSEWHERE) == set(SymbolicRegressor().get_params(deep=False))
    assert not mapped & set(ELSEWHERE)
