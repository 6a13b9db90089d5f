"""Tables as people have them: each kind of file is read with its notes, or refused in one line."""

from __future__ import annotations

import datetime
import gzip
import io

import numpy as np
import pandas as pd
import pytest

from epsilex.tables import read_with_notes, training_table

N = 12
X = [round(0.5 + 1.25 * i, 2) for i in range(N)]
Y = [1000 + 2 * i for i in range(N)]
DECIMAL = [str(x).replace(".", ",") for x in X]


def table(x=X, y=Y, delimiter=",", header="x,y", end="\n") -> str:
    lines = [header.replace(",", delimiter), *(f"{a}{delimiter}{b}" for a, b in zip(x, y, strict=True))]
    return end.join(lines) + end


def german(value: float) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def sheet(*sheets: list[list]) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        page = book.create_sheet(f"page {number + 1}")
        for row in rows:
            page.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


ROWS = [["x", "y"], *([x, y] for x, y in zip(X, Y, strict=True))]

# name of the file, its content, and a part of each note
READ = {
    "plain": ("t.csv", table(), []),
    "semicolons": ("t.csv", table(delimiter=";"), []),
    "tabs": ("t.txt", table(delimiter="\t"), []),
    "tsv": ("t.tsv", table(delimiter="\t"), []),
    "bars": ("t.csv", table(delimiter="|"), []),
    "blanks": ("t.dat", table(delimiter="   "), []),
    "blanks in front": ("t.dat", "\n".join("  " + line for line in table(delimiter=" \t ").split("\n")), []),
    "blanks after commas": ("t.csv", table(delimiter=", "), []),
    "gzip": ("t.csv.gz", gzip.compress(table().encode()), []),
    "Windows lines": ("t.csv", table(end="\r\n"), []),
    "old Mac lines": ("t.csv", table(end="\r"), []),
    "a mark of UTF-8": ("t.csv", "\ufeff" + table(), []),
    "UTF-16": ("t.csv", table().encode("utf-16"), ["the text is read as utf-16"]),
    "UTF-16 without a mark": ("t.csv", table().encode("utf-16-le"), ["the text is read as utf-16-le"]),
    "UTF-32": ("t.csv", table().encode("utf-32"), ["the text is read as utf-32"]),
    "cp1252": (
        "t.csv",
        table(header="x,y,Größe").replace("\n", ",1\n").replace("Größe,1", "Größe").encode("cp1252"),
        ["not UTF-8 and is read as cp1252"],
    ),
    "decimal commas": ("t.csv", table(DECIMAL, delimiter=";"), ["column 'x': '0,5' is read as 0.5"]),
    "decimal commas and tabs": ("t.tsv", table(DECIMAL, delimiter="\t"), ["'0,5' is read as 0.5"]),
    "decimal commas and blanks": ("t.dat", table(DECIMAL, delimiter="  "), ["'0,5' is read as 0.5"]),
    "decimal commas in quotes": ("t.csv", table([f'"{x}"' for x in DECIMAL]), ["'0,5' is read as 0.5"]),
    "a German export": (
        "t.csv",
        table(DECIMAL, [german(y) for y in Y], delimiter=";", end="\r\n").encode("cp1252"),
        ["columns 'x', 'y': '0,5' is read as 0.5"],
    ),
    "points that group thousands": (
        "t.csv",
        table(DECIMAL, [f"{y:,}".replace(",", ".") for y in Y], delimiter=";"),
        ["'0,5' is read as 0.5, '1.000' as 1000"],
    ),
    "commas that group thousands": ("t.csv", table(y=[f'"{y:,}"' for y in Y]), ["'1,000' is read as 1000"]),
    "commas that group, told by points": (
        "t.tsv",
        table(y=[f"{y:,}" for y in Y], delimiter="\t"),
        ["'1,000' is read as 1000"],
    ),
    "commas and points": ("t.tsv", table(y=[f"{y:,.2f}" for y in Y], delimiter="\t"), ["'1,000.00' is read as 1000"]),
    "blanks that group": ("t.csv", table(y=[f"{y:,}".replace(",", " ") for y in Y]), ["'1 000' is read as 1000"]),
    "thin blanks that group": ("t.csv", table(y=[f"{y:,}".replace(",", "\u202f") for y in Y]), ["is read as 1000"]),
    "Swiss thousands": ("t.csv", table(y=[f"{y:,}".replace(",", "'") for y in Y]), ["\"1'000\" is read as 1000"]),
    "a unit behind": ("t.csv", table([f"{x} kg" for x in X]), ["'x' holds numbers in kg: '0.5 kg' is 0.5"]),
    "a unit without a blank": ("t.csv", table([f"{x}mm" for x in X]), ["'x' holds numbers in mm"]),
    "a compound unit": ("t.csv", table([f"{x} m/s^2" for x in X]), ["'x' holds numbers in m/s^2"]),
    "percent": ("t.csv", table([f"{x}%" for x in X]), ["'x' holds numbers in %"]),
    "a currency in front": ("t.csv", table([f"${x}" for x in X]), ["'x' holds numbers in $"]),
    "units and decimal commas": (
        "t.csv",
        table([f"{x} °C" for x in DECIMAL], delimiter=";"),
        ["'x' holds numbers in °C: '0,5 °C' is 0.5"],
    ),
    "a long minus": ("t.csv", table().replace("\n0.5,", "\n−0.5,"), ["'−0.5' is read as -0.5"]),
    "exponents": ("t.csv", table([f"{x:.3e}" for x in X]), []),
    "comments on top": ("t.csv", "# device 7\n# run 3\n" + table(), ["2 comment lines are left out"]),
    "comments of other programs": ("t.csv", "% made by a\n! b\n// c\n" + table(), ["3 comment lines"]),
    "comments between": ("t.csv", table().replace("\n", "\n# lamp off\n", 2), ["2 comment lines are left out"]),
    "names in a comment": (
        "t.dat",
        "# run 3\n# x y\n" + table(delimiter=" ").partition("\n")[2],
        ["line 2 is a comment and holds the names", "1 comment lines"],
    ),
    "names in a comment, commas": ("t.csv", "#" + table(), ["line 1 is a comment and holds the names"]),
    "a title": ("t.csv", "Measurements of May\n\n" + table(), ["1 lines above the header are left out, such as 'Mea"]),
    "a title of cells": ("t.csv", "Device X;\n;\n" + table(delimiter=";"), ["lines above the header are left out"]),
    "units below the names": ("t.csv", table().replace("y\n", "y\ns,[mV]\n"), ["line 2 holds units and is left out"]),
    "a hint of Excel": ("t.csv", "sep=;\n" + table(delimiter=";"), []),
    "a delimiter at the end": (
        "t.csv",
        table().replace("\n", ",\n").replace("x,y,", "x,y"),
        ["column '(unnamed 3)' has no name"],
    ),
    "row numbers": ("t.csv", pd.DataFrame({"x": X, "y": Y}).to_csv(), ["column '(unnamed 1)' has no name"]),
    "Excel": ("t.xlsx", sheet(ROWS), []),
    "Excel, a title and an empty column": (
        "t.xlsx",
        sheet([["My data"], [], *([None, *row] for row in ROWS)]),
        ["1 lines above the header are left out"],
    ),
    "Excel, several sheets": ("t.xlsx", sheet([], ROWS, [["a"], [1]]), ["sheet 'page 2' is read, one of 3; --sheet"]),
    "Excel, numbers as text": (
        "t.xlsx",
        sheet([["x", "y"], *([f"{x}".replace(".", ","), y] for x, y in zip(X, Y, strict=True))]),
        ["'0,5' is read as 0.5"],
    ),
}  # fmt: skip


def path_of(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("kind", READ)
def test_a_kind_of_file_is_read(tmp_path, kind):
    name, content, notes = READ[kind]
    frame, said = read_with_notes(path_of(tmp_path, name, content))
    done = training_table(frame, "y", notes_before=said)
    x = [-0.5, *X[1:]] if kind == "a long minus" else X
    assert done.X["x"].tolist() == x
    assert done.y.tolist() == Y
    for part, sentence in zip(notes, done.notes, strict=True):
        assert part in sentence
        assert "\n" not in sentence


MISSING = [
    "",
    "-",
    "--",
    "n/a",
    "N/A",
    "NA",
    "n.a.",
    "NaN",
    "null",
    "None",
    "?",
    ".",
    "#DIV/0!",
    "#N/A",
    "#VALUE!",
    "k.A.",
]


@pytest.mark.parametrize("word", MISSING)
@pytest.mark.parametrize("notation", ["point", "comma"])
def test_words_for_missing_values(tmp_path, word, notation):
    x = [word, *(X if notation == "point" else DECIMAL)[1:]]
    frame, said = read_with_notes(path_of(tmp_path, "t.csv", table(x, delimiter=";")))
    done = training_table(frame, "y", notes_before=said)
    assert done.notes[-1] == f"1 of {N} rows have missing values and are dropped"
    assert done.X["x"].tolist() == X[1:]


TEXT_COLUMNS = {
    "codes with letters": [f"{i}wd" for i in (2, 4) * 6],
    "mixed units": ["3 kg", "400 g"] * 6,
    "words": ["red", "blue"] * 6,
    "versions": ["1.2.3", "1.2.4"] * 6,
}


@pytest.mark.parametrize("kind", TEXT_COLUMNS)
def test_text_that_is_no_number_stays_text(tmp_path, kind):
    frame, notes = read_with_notes(path_of(tmp_path, "t.csv", table(TEXT_COLUMNS[kind])))
    assert frame["x"].tolist() == TEXT_COLUMNS[kind]
    assert any("different units, g and kg" in note for note in notes) == (kind == "mixed units")


def test_numbers_of_orders_are_no_comments(tmp_path):
    text = table([f"#{i}" for i in range(N)]).replace("\n", "\n# a remark, perhaps\n", 3)
    frame, notes = read_with_notes(path_of(tmp_path, "t.csv", text))
    assert frame["x"].tolist() == [f"#{i}" for i in range(N)]
    assert notes == ("3 comment lines are left out",)


@pytest.mark.parametrize("line", ["red,blue", "s,3", "-,-", "s", "a,b,c"])
def test_a_line_that_holds_no_units_stays(tmp_path, line):
    path = path_of(tmp_path, "t.csv", table().replace("y\n", f"y\n{line}\n"))
    if line.count(",") != 1:
        with pytest.raises(ValueError, match="expected 2 cells"):
            read_with_notes(path)
    else:
        assert len(read_with_notes(path)[0]) == N + 1


def test_one_bad_cell_among_decimal_commas_is_named(tmp_path):
    x = [f"{i},5" for i in range(30)]
    x[3] = "defekt"
    frame, _ = read_with_notes(path_of(tmp_path, "t.csv", table(x, range(30), delimiter=";")))
    done = training_table(frame, "y")
    assert done.notes[0] == "column 'x' has 1 values that are not numeric, such as 'defekt' in row 4"
    assert done.X["x"].tolist() == [i + 0.5 for i in range(30) if i != 3]


def test_clock_times_count_in_seconds(tmp_path):
    x = [f"1:{i:02d}:30,5" for i in range(N)]
    frame, notes = read_with_notes(path_of(tmp_path, "t.csv", table(x, delimiter=";")))
    assert frame["x"].tolist() == [3630.5 + 60 * i for i in range(N)]
    assert notes == ("column 'x' holds clock times, which count in seconds: '1:00:30,5' is 3630.5",)


def test_a_sheet_by_name(tmp_path):
    path = path_of(tmp_path, "t.xlsx", sheet([["a", "b"], [1, 2]], ROWS))
    assert list(read_with_notes(path)[0].columns) == ["a", "b"]
    assert list(read_with_notes(path, sheet="page 2")[0].columns) == ["x", "y"]


def test_cells_of_excel(tmp_path):
    days = [datetime.datetime(2024, 3, 1, 6) + datetime.timedelta(days=i) for i in range(N)]
    rows = [["day", "clock", "flag", "gap", "y"]]
    rows += [[d, datetime.time(1, 0, i), i % 2 == 0, None if i else "#DIV/0!", i] for i, d in enumerate(days)]
    frame, _ = read_with_notes(path_of(tmp_path, "t.xlsx", sheet(rows)))
    done = training_table(frame.drop(columns="gap"), "y")
    assert done.X["clock"].tolist() == [3600.0 + i for i in range(N)]
    assert done.X["flag"].tolist() == [1.0, 0.0] * 6
    assert done.X["day_days_since_2024_03_01"].tolist() == [0.25 + i for i in range(N)]
    assert frame["gap"].isna().all()


@pytest.mark.parametrize("encoding", ["cp1250", "cp1251", "mac_roman", "shift_jis", "utf-16-be"])
def test_an_encoding_by_name(tmp_path, encoding):
    name = {"cp1251": "масса", "shift_jis": "質量"}.get(encoding, "délka")
    path = path_of(tmp_path, "t.csv", table(header=f"x,{name}").encode(encoding))
    assert list(read_with_notes(path, encoding)[0].columns) == ["x", name]


REFUSED = {
    "cut Excel": ("t.xlsx", sheet(ROWS)[:200], "expected an Excel file"),
    "text as Excel": ("t.xlsx", table(), "expected an Excel file"),
    "an empty sheet": ("t.xlsx", sheet([]), "expected a table; its sheets have none"),
    "old Excel": ("t.xls", b"\xd0\xcf\x11\xe0", "got the older *.xls"),
    "OpenDocument": ("t.ods", b"PK", "expected a file called"),
    "Excel as CSV": ("t.csv", sheet(ROWS), "the file is binary"),
    "a picture": ("t.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "the file is binary"),
    "only comments": ("t.csv", "# a\n# b\n", "only empty lines and comments"),
    "comments and numbers": ("t.csv", "# a\n1,2\n3,4\n", "expected names in the first line; got numbers"),
    "a footer": (
        "t.csv",
        table() + "total\n",
        f"expected 2 cells in each line, as in the header; got 1 in line {N + 2}",
    ),
    "ragged below comments": ("t.csv", "# a\n" + table() + "1,2,3\n", f"got 3 in line {N + 3}"),
    "an open quote below comments": ("t.csv", "# a\n" + table() + '1,"2\n', "unexpected end of data"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_kind_of_file_is_refused_in_one_line(tmp_path, kind):
    name, content, said = REFUSED[kind]
    with pytest.raises(ValueError, match="expected") as error:
        read_with_notes(path_of(tmp_path, name, content))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_excel_without_openpyxl(tmp_path, monkeypatch):
    import sys

    path = path_of(tmp_path, "t.xlsx", sheet(ROWS))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ValueError, match=r"pip install 'epsilex\[excel\]'"):
        read_with_notes(path)


def test_a_small_excel_file_that_unpacks_to_much(tmp_path, monkeypatch):
    from epsilex.tables import reading

    path = path_of(tmp_path, "t.xlsx", sheet([["x"], *([1.0] for _ in range(5000))]))
    monkeypatch.setattr(reading, "MAX_BYTES", path.stat().st_size)
    with pytest.raises(ValueError, match="it unpacks to more"):
        read_with_notes(path)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["setosa", "virginica"] * 6, "'setosa', 'virginica' are classes, and epsilex finds formulas for quantities"),
        ([True, False] * 6, "got True and False, which are classes"),
        (["yes", "no"] * 6, "'no', 'yes' are classes"),
        (["true", "", "false"] * 4, "got True and False, which are classes"),
    ],
)
def test_classes_as_a_target_get_an_explanation(tmp_path, y, said):
    frame, _ = read_with_notes(path_of(tmp_path, "t.csv", table(y=y)))
    with pytest.raises(ValueError, match="target: expected numbers in column 'y'") as error:
        training_table(frame, "y")
    assert said in str(error.value)


def test_a_target_of_0_and_1_is_fitted_with_a_note(tmp_path):
    frame, _ = read_with_notes(path_of(tmp_path, "t.csv", table(y=[0, 1] * 6)))
    assert training_table(frame, "y").notes[0].startswith("column 'y' is 0 or 1 only")


def test_numbers_are_the_floats_nearest_to_their_text(tmp_path):
    values = np.random.default_rng(0).normal(size=200)
    x = [repr(value).replace(".", ",") for value in values.tolist()]
    frame, _ = read_with_notes(path_of(tmp_path, "t.csv", table(x, range(200), delimiter=";")))
    assert frame["x"].tolist() == values.tolist()
