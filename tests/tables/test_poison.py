"""Cells that broke 0.1: booleans with gaps, huge integers, durations, bytes; files that never end; very wide tables."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from command import QUICK, epsilex, refused, some_rows
from epsilex.models.model import model
from epsilex.programs.parser import parse
from epsilex.tables import features_by_name, read_table, training_table

N = 12


def frame(column, name: str = "a") -> pd.DataFrame:
    x = np.linspace(0.0, 1.0, N)
    return pd.DataFrame({"x": x, "a": x, "y": 2.0 * x}).assign(**{name: column})


def read(tmp_path, cells) -> pd.DataFrame:
    """A CSV table with these cells in column `a`."""
    lines = "".join(f"{i},{cells[i % len(cells)]},{2 * i}\n" for i in range(N))
    (tmp_path / "d.csv").write_text("x,a,y\n" + lines)
    return read_table(tmp_path / "d.csv")


def test_booleans_with_empty_cells_are_0_and_1(tmp_path):
    table = training_table(read(tmp_path, ["True", "", "False"]), "y")
    assert set(table.X["a"]) == {0.0, 1.0}
    assert len(table.y) == N - N // 3


@pytest.mark.parametrize("digits", ["18446744073709551616", "9" * 40])
def test_integers_beyond_64_bits_are_numbers(tmp_path, digits):
    table = training_table(read(tmp_path, [digits, "1"]), "y")
    assert set(table.X["a"]) == {float(digits), 1.0}


def test_an_integer_beyond_the_largest_float_is_no_number(tmp_path):
    table = training_table(read(tmp_path, ["9" * 400] + ["1"] * (N - 1)), "y")
    assert len(table.y) == N - 1


def test_durations_count_in_seconds_and_nat_is_missing():
    column = pd.Series(pd.to_timedelta([1.5] * (N - 2) + [3600.0, None], unit="s"))
    for changed in (frame(column), frame(column, "y")):
        table = training_table(changed, "y")
        seconds = table.X["a"] if "a" in table.X and changed["a"].dtype.kind == "m" else table.y
        assert sorted(set(seconds)) == [1.5, 3600.0]
        assert any("durations, which count in seconds" in note for note in table.notes)
    X, _ = features_by_name(frame(column), ["a"])
    assert np.isnan(X["a"].iloc[-1])


def test_bytes_are_named(tmp_path):
    table = training_table(frame([b"\xff\xfe", b"ab"] * (N // 2)), "y")
    assert "a" not in table.X
    assert table.notes == ("column 'a' holds bytes, not text, and is left out",)
    with pytest.raises(ValueError, match="target: expected numbers in column 'y'"):
        training_table(frame([b"\xff\xfe"] * N, "y"), "y")


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
class TestFilesThatNeverEnd:
    def test_a_device(self, tmp_path):
        (tmp_path / "d.csv").symlink_to("/dev/zero")
        assert "expected a file; got a device" in refused(epsilex("fit", tmp_path / "d.csv", "--target", "y"))

    @pytest.mark.parametrize("name", ["d.csv", "d.csv.gz", "d.parquet"])
    def test_a_pipe_without_a_writer(self, tmp_path, name):
        os.mkfifo(tmp_path / name)
        with pytest.raises(ValueError, match="expected a file; got a pipe"):
            read_table(tmp_path / name)

    def test_a_pipe_as_a_model(self, tmp_path):
        os.mkfifo(tmp_path / "m.json")
        assert "got a pipe" in refused(epsilex("show", tmp_path / "m.json"))


def test_a_small_file_of_very_many_rows_is_refused(tmp_path, monkeypatch):
    from epsilex.tables import reading

    frame(1.0).to_parquet(tmp_path / "d.parquet")
    size = (tmp_path / "d.parquet").stat().st_size
    pd.concat([frame(1.0)] * 1000, ignore_index=True).to_parquet(tmp_path / "d.parquet")
    monkeypatch.setattr(reading, "MAX_BYTES", 20 * size)
    with pytest.raises(ValueError, match="it unpacks to 12000 rows of 3 columns"):
        read_table(tmp_path / "d.parquet")


def test_many_columns_are_looked_through_only_a_few_times():
    """Once per feature made minutes of 10,000 columns."""

    class Columns(list):
        looks = 0

        def __iter__(self):
            Columns.looks += 1
            return super().__iter__()

    class Wide:
        columns = Columns(f"x{j}" for j in range(50))

        def __getitem__(self, names):
            return np.zeros((2, len(names)))

    m = model(parse("x0 + x49"), [f"x{j}" for j in range(50)])
    assert m.predict(Wide()).tolist() == [0.0, 0.0]
    assert Columns.looks < 10


@pytest.mark.parametrize("scale", [1e308, 1.7e308, 5e-324])
def test_targets_at_the_ends_of_float64(tmp_path, scale):
    rows = some_rows()
    rows["y"] = np.where(rows["x"] > 0, scale, -scale / 2)
    rows.to_csv(tmp_path / "d.csv", index=False)
    done = epsilex("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o", "--json")
    assert done.code == 0, done.err
    assert epsilex("predict", tmp_path / "o" / "model.json", tmp_path / "d.csv").code == 0
