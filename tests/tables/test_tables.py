"""Tables from people's files."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from epsilex.tables import features_by_name, read_table, training_table

N = 30


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=N).round(3), "b c": np.arange(N), "kind": ["x", "y", "z"] * 10})


def written(tmp_path, name, text):
    path = tmp_path / name
    content = text.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["t.csv", "t.TXT", "t.csv.gz"])
def test_the_delimiter_is_found_out(tmp_path, frame, delimiter, name):
    path = written(tmp_path, name, frame.to_csv(sep=delimiter, index=False))
    pd.testing.assert_frame_equal(read_table(path), frame)


def test_tsv_and_parquet(tmp_path, frame):
    pd.testing.assert_frame_equal(read_table(written(tmp_path, "t.tsv.gz", frame.to_csv(sep="\t", index=False))), frame)
    frame.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.parquet"), frame)


def test_a_mark_in_front_is_no_part_of_the_first_name(tmp_path, frame):
    path = written(tmp_path, "t.csv", "\ufeff" + frame.to_csv(index=False))
    assert list(read_table(path).columns) == ["a", "b c", "kind"]


def test_line_ends_of_all_systems_blank_lines_and_quotes(tmp_path):
    for end in ("\n", "\r\n", "\r"):
        lines = ['a,"b, c"', "", '1,"x ""y"""', "2, z", ""]
        table = read_table(written(tmp_path, "t.csv", end.join(lines)))
        assert list(table.columns) == ["a", "b, c"]
        assert table.iloc[:, 1].tolist() == ['x "y"', "z"]


def test_commas_in_numbers(tmp_path):
    decimals = "a;y\n" + "".join(f"{i},5;{i}\n" for i in range(N))
    assert training_table(read_table(written(tmp_path, "d.csv", decimals)), "y").X["a"].tolist() == [
        i + 0.5 for i in range(N)
    ]
    groups = "a,y\n" + "".join(f'"{i * 1000 + 500:,}",{i}\n' for i in range(N))
    assert training_table(read_table(written(tmp_path, "g.csv", groups)), "y").X["a"].tolist() == [
        i * 1000 + 500 for i in range(N)
    ]


def test_numbers_with_blanks_and_booleans_are_numbers(tmp_path):
    text = "a,flag,y\n" + "".join(f'" {i} ",{bool(i % 2)},{i}\n' for i in range(N))
    table = training_table(read_table(written(tmp_path, "t.csv", text)), "y")
    assert table.X["a"].tolist() == list(range(N))
    assert table.X["flag"].tolist() == [0.0, 1.0] * (N // 2)
    assert table.notes == ()


@pytest.mark.parametrize("missing", ["", "NA", "n/a", "NaN", "null", "None", "?", "-", "inf"])
def test_rows_with_missing_values_are_dropped_and_counted(tmp_path, missing):
    text = "a,y\n" + "".join(f"{missing if i in (3, 7) else i},{i}\n" for i in range(N))
    table = training_table(read_table(written(tmp_path, "t.csv", text)), "y")
    assert table.notes[-1] == "2 of 30 rows have missing values and are dropped"
    assert set(range(N)) - set(table.rows) == {3, 7}
    assert table.X["a"].tolist() == table.y.tolist() == table.rows.tolist()


def test_categories_become_features(frame):
    table = training_table(frame.assign(y=np.arange(N)), "y")
    assert list(table.X.columns) == ["a", "b c", "kind=x", "kind=y", "kind=z"]
    assert (table.X[["kind=x", "kind=y", "kind=z"]].sum(axis=1) == 1.0).all()
    assert table.notes == ("column 'kind' has 3 categories, each becomes a feature of 0 and 1",)


def test_what_cannot_be_a_feature_is_left_out_with_a_note(frame):
    odd = frame.assign(
        name=[f"n{i}" for i in range(N)],
        gaps=[1.0] + [np.nan] * (N - 1),
        same="x",
        y=np.arange(N),
    )
    table = training_table(odd, "y")
    assert [name for name in table.X if "=" not in name] == ["a", "b c"]
    assert [note.split("'")[1] for note in table.notes] == ["kind", "name", "gaps", "same"]
    with pytest.raises(ValueError, match=r"strict: .* column 'name' has 30 different values"):
        training_table(odd, "y", strict=True)


def test_row_numbers_without_a_name_are_left_out(tmp_path, frame):
    table = training_table(read_table(written(tmp_path, "t.csv", frame.assign(y=frame["a"]).to_csv())), "y")
    assert "(unnamed 1)" not in table.X
    assert table.notes[0] == "column '(unnamed 1)' has no name and is left out"


def test_a_category_and_a_column_of_one_name_are_refused(frame):
    with pytest.raises(ValueError, match="expected each name once; got 'kind=x'"):
        training_table(frame.assign(**{"kind=x": 1.0, "y": np.arange(N)}), "y")


def test_features_by_name_are_those_of_the_fit(frame):
    table = training_table(frame.assign(y=np.arange(N)), "y")
    again, notes = features_by_name(frame.iloc[:, ::-1], list(table.X.columns))
    pd.testing.assert_frame_equal(again, table.X)
    assert notes == ()


def test_features_by_name_of_columns_with_equal_signs():
    frame = pd.DataFrame({"a": ["b=c", "d"], "a=b": [1.5, 2.5], "k=1": ["x", "y"]})
    found, _ = features_by_name(frame, ["a=b", "a=b=c", "k=1=y"])
    assert found["a=b"].tolist() == [1.5, 2.5]
    assert found["a=b=c"].tolist() == [1.0, 0.0]
    assert found["k=1=y"].tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match="'q', 'q=r' missing"):
        features_by_name(frame, ["q", "a=b", "q=r"])


def test_a_number_is_the_float_nearest_to_its_text(tmp_path):
    values = np.random.default_rng(0).normal(size=500)
    (tmp_path / "d.csv").write_text("x\n" + "\n".join(map(repr, values.tolist())))
    assert read_table(tmp_path / "d.csv")["x"].tolist() == values.tolist()
