"""Bad input: one clear line on standard error, exit code 2, no traceback, nothing half-written."""

from __future__ import annotations

import gzip
import json

import pytest

from command import QUICK, epsilex, refused, some_rows


def csv(**changes) -> str:
    return some_rows().assign(**changes).to_csv(index=False)


GOOD = csv()
LINES = GOOD.splitlines(keepends=True)

BAD_TABLES = {
    "ragged, a cell too few": (GOOD + "1,2\n", "got 2 in line 62"),
    "ragged, a cell too many": (GOOD + "1,2,red,3,4\n", "got 5 in line 62"),
    "all lines longer than the header": (LINES[0] + "1,2,red,3,4\n" * 30, "got 5 in line 2"),
    "empty": ("", "the file is empty"),
    "white": ("\n \n\n", "the file is empty"),
    "header only": (LINES[0], "expected rows below the header"),
    "high bytes": (bytes(range(128, 256)) * 20, "expected text in UTF-8; got the byte 0x80 in line 1"),
    "binary": (b"\x89PNG\r\n\x1a\n\x10\x01" * 20, "got the byte 0x89 in line 1, and the file is binary"),
    "no encoding of the West": (
        GOOD.replace("red", "r\x81d").encode("latin-1"),
        "expected text in UTF-8; got the byte 0x81 in line",
    ),
    "NUL bytes": (GOOD.replace("red", "r\0d", 1), "got a NUL byte in line"),
    "duplicate headers": (GOOD.replace("x,z", "x,x", 1), "got 'x' more than once"),
    "a cell of a megabyte": (GOOD.replace("red", "r" * 10**6, 1), "a cell of more than 131072 characters"),
    "an open quote": (GOOD.replace("red", '"red', 1), "unexpected end of data"),
    "no header": ("1,2,3\n" * 30, "expected names in the first line; got numbers"),
    "no numeric column": ("a,b,y\n" + "one,two,three\n" * 30, "target: expected numbers in column 'y'; got 'three'"),
    "no other column": ("y\n" + "".join(f"{i}\n" for i in range(30)), "features: expected a column of numbers"),
    "other columns of free text": (
        "name,y\n" + "".join(f"n{i},{i}\n" for i in range(30)),
        "features: expected a column of numbers or of a few categories",
    ),
    "no target": (GOOD.replace(",y", ",w", 1), "target: expected one of the columns 'x', 'z', 'color', 'w'; got 'y'"),
    "5 rows": ("".join(LINES[:6]), "rows: expected at least 6 without missing values; got 5"),
    "too few complete rows": ("a,b,y\n" + "1,,3\n,2,4\n" * 20, "rows: expected at least 6"),
    "a constant target": (csv(y=3.5), "target: expected different values in column 'y'; all are 3.5"),
    "an empty target": (csv(y=""), "rows: expected at least 6"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_bad_table(tmp_path, name):
    content, why = BAD_TABLES[name]
    path = tmp_path / "bad.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert why in refused(epsilex("fit", path, "--target", "y", *QUICK, "--out", tmp_path / "o"))
    assert [entry.name for entry in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("absent.csv", None, "No such file"),
        ("folder.csv", "folder", "directory"),
        ("table.xlsx", b"PK", "expected an Excel file"),
        ("table.xls", b"\xd0\xcf", "got the older *.xls"),
        ("table.ods", b"PK", "expected a file called *.csv"),
        ("table", b"a,b\n1,2\n", "expected a file called *.csv"),
        ("not.csv.gz", b"a,b\n1,2\n", "expected a gzip file"),
        ("cut.csv.gz", gzip.compress(GOOD.encode())[:-20], "expected a gzip file"),
        ("not.parquet", b"PAR1 and no more", "expected a Parquet file"),
    ],
)
def test_a_file_that_is_no_table(tmp_path, name, content, why):
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    assert why in refused(epsilex("fit", path, "--target", "y", *QUICK, "--out", tmp_path / "o"))
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--selection", "best"], "selection: expected one of random"),
        (["--preset", "other"], "--preset"),
        (["--time", "0"], "--time"),
        (["--time", "-1"], "--time"),
        (["--time", "soon"], "--time"),
        (["--generations", "-1"], "--generations"),
        (["--population", "1"], "--population"),
        (["--seed", "-1"], "--seed"),
        (["--jobs", "0"], "--jobs"),
        (["--test-share", "0.95"], "--test-share"),
        (["--speed", "11"], "--speed"),
    ],
)
def test_a_bad_option(tmp_path, options, why):
    (tmp_path / "d.csv").write_text(GOOD)
    line = refused(epsilex("fit", tmp_path / "d.csv", "--target", "y", "--out", tmp_path / "o", *options))
    assert why in line
    assert [entry.name for entry in tmp_path.iterdir()] == ["d.csv"]


def test_a_missing_option_and_a_missing_command():
    assert "--target" in refused(epsilex("fit", "d.csv"))
    assert "No such command" in refused(epsilex("fits"))


@pytest.mark.parametrize("place", ["file/inside", "file"])
def test_a_folder_that_cannot_be_written_is_found_before_the_search(tmp_path, monkeypatch, place):
    from epsilex.regressor import SymbolicRegressor

    monkeypatch.setattr(SymbolicRegressor, "fit", lambda *_: pytest.fail("the search has started"))
    (tmp_path / "d.csv").write_text(GOOD)
    (tmp_path / "file").write_text("here")
    line = refused(epsilex("fit", tmp_path / "d.csv", "--target", "y", "--out", tmp_path / place))
    assert "out: expected a folder that can be written" in line
    assert (tmp_path / "file").read_text() == "here"


def test_a_fit_that_fails_leaves_an_earlier_one_as_it_was(tmp_path, monkeypatch):
    from epsilex.cli import fitting

    (tmp_path / "d.csv").write_text(GOOD)
    call = ("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o")
    assert epsilex(*call).code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "o").iterdir()}

    def render(fit):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fitting, "render", render)
    assert epsilex(*call, "--seed", "5", "--overwrite").code == 2
    after = {path.name: path.read_bytes() for path in (tmp_path / "o").iterdir() if path.name != fitting.CHECKPOINT}
    assert after == before


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "d.csv").write_text(GOOD)
    assert epsilex("fit", folder / "d.csv", "--target", "y", *QUICK, "--out", folder / "o").code == 0
    return folder / "o" / "model.json"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("x,y\n1,2\n", "expected a whole JSON file"),
        ("{}", "it was not written by epsilex"),
        ("[]", "it was not written by epsilex"),
        (json.dumps({"schema": "epsilex-model", "version": 99}), "expected version 1"),
        ("[" * 10**5, "expected a whole JSON file"),
    ],
)
@pytest.mark.parametrize("command", ["show", "predict"])
def test_a_model_file_that_is_not_ours(tmp_path, content, why, command):
    (tmp_path / "m.json").write_text(content)
    (tmp_path / "d.csv").write_text(GOOD)
    rest = [tmp_path / "d.csv", "--out", tmp_path / "p.csv"] if command == "predict" else []
    assert why in refused(epsilex(command, tmp_path / "m.json", *rest))
    assert not (tmp_path / "p.csv").exists()


def test_a_model_that_was_altered(tmp_path, model):
    (tmp_path / "m.json").write_text(model.read_text().replace('"x"', '"w"', 1))
    assert "does not match its checksum" in refused(epsilex("show", tmp_path / "m.json"))


@pytest.mark.parametrize("column", ["x", "color"])
def test_a_column_missing_at_predict(tmp_path, model, column):
    some_rows().drop(columns=column).to_csv(tmp_path / "d.csv", index=False)
    line = refused(epsilex("predict", model, tmp_path / "d.csv", "--out", tmp_path / "p.csv"))
    assert "columns: expected one for each feature of the formula" in line
    assert f"'{column}" in line
    assert not (tmp_path / "p.csv").exists()


def test_predictions_to_a_place_that_cannot_be_written(tmp_path, model):
    (tmp_path / "d.csv").write_text(GOOD)
    refused(epsilex("predict", model, tmp_path / "d.csv", "--out", tmp_path / "absent" / "p.csv"))
    refused(epsilex("predict", model, tmp_path / "d.csv", "--target", "price"))


@pytest.mark.parametrize("content", [None, "{}", "no json", '{"schema": "epsilex-fit", "version": 1, "models": [5]}'])
def test_a_folder_without_a_report(tmp_path, content):
    if content is not None:
        (tmp_path / "fit.json").write_text(content)
    line = refused(epsilex("report", tmp_path))
    assert "it has none" in line or "expected a record written by `epsilex fit`" in line
    assert not (tmp_path / "report.html").exists()


def test_strict_refuses_what_would_be_left_out(tmp_path):
    frame = some_rows().astype({"x": object})
    frame.loc[3, "x"] = "much"
    frame.to_csv(tmp_path / "d.csv", index=False)
    call = ("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o")
    assert "such as 'much' in row 4" in refused(epsilex(*call, "--strict"))
    done = epsilex(*call)
    assert done.code == 0
    assert "1 of 60 rows have missing values and are dropped" in done.err


def test_resume_of_other_settings_is_refused(tmp_path):
    from epsilex.cli.fitting import CHECKPOINT

    (tmp_path / "d.csv").write_text(GOOD)
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / CHECKPOINT).write_bytes(b"no checkpoint")
    call = ("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o", "--resume")
    assert "checkpoint: expected a whole checkpoint" in refused(epsilex(*call))
    (tmp_path / "o" / CHECKPOINT).unlink()
    assert "nothing to resume" in epsilex(*call).err


@pytest.mark.parametrize(
    ("noise", "why"),
    [
        ("loud", "noise: expected auto, additive, relative, or one of the columns"),
        ("x", "noise: expected standard errors above 0 in column 'x'"),
        ("color", "noise: expected standard errors above 0 in column 'color'"),
        ("y", "noise: expected auto, additive, relative, or one of the columns"),
    ],
)
def test_noise_that_is_none(tmp_path, noise, why):
    path = tmp_path / "data.csv"
    path.write_text(GOOD.replace("1,", "-1,", 1))
    assert why in refused(epsilex("fit", path, "--target", "y", "--noise", noise, *QUICK, "--out", tmp_path / "o"))
