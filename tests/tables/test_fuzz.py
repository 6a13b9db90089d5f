"""Whatever a file holds, it is read or refused in one line; and what is read twice is the same."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epsilex.tables import features_by_name, read_with_notes, training_table

EXAMPLES = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
ODD = (
    "x", "y", "", "-", "n/a", "1", "2.5", "3,5", "1.234", "1,234", "1.234,5", "1 234", "12 kg", "7%", "$3", "−4", "#1",
    "1e400", "nan", "inf", "True", "red", '"a', 'b"c"', "#DIV/0!", "2024-03-01", "1.3.2024", "03/04/2024", "1:30",
    "2024-13-45 25:61", "99.99.9999", "1 Mar 2024", "=A1", "\u00a0", "\u2028", "\x0c", "٣", "²", "9" * 400,
)  # fmt: skip
CELLS = st.one_of(st.sampled_from(ODD), st.text(max_size=6), st.floats().map(str))
LINES = st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=12)


def attempt(function, *arguments):
    """What a function returns, or the one line in which it refuses."""
    try:
        return function(*arguments)
    except ValueError as error:
        return str(error)


def check(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        read = attempt(read_with_notes, path)
    if isinstance(read, str):
        assert "expected" in read
        assert "\n" not in read
        return
    frame, notes = read
    assert len(frame)
    assert not any("\n" in note for note in notes)
    for target in frame.columns[:2]:
        table = attempt(training_table, frame, target)
        if not isinstance(table, str):
            again, _ = features_by_name(frame, list(table.X.columns))
            assert again.iloc[table.rows].to_numpy().tolist() == table.X.to_numpy().tolist()


@EXAMPLES
@given(st.sampled_from(["t.csv", "t.tsv", "t.dat"]), st.binary(max_size=300))
def test_any_bytes(name, content):
    check(name, content)


@EXAMPLES
@given(
    st.sampled_from(["t.csv", "t.tsv", "t.dat"]), LINES, st.sampled_from([",", ";", "\t", "|", "  "]),
    st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)  # fmt: skip
def test_lines_of_odd_cells(name, lines, delimiter, end, encoding):
    text = end.join(delimiter.join(line) for line in lines)
    check(name, text.encode(encoding, "replace"))


@EXAMPLES
@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=6, max_size=12), st.sampled_from([",", ";", "\t"]))
def test_tables_of_odd_cells(rows, delimiter):
    """Every row is whole, so most of them are read."""
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in rows]
    check("t.csv", "\n".join(delimiter.join(row) for row in [["a", "b", "y"], *quoted]).encode("utf-8", "replace"))


@EXAMPLES
@given(st.integers(0, 400), st.binary(min_size=1, max_size=4))
def test_damaged_excel(at, bytes_):
    content = EXCEL[: at * len(EXCEL) // 400] + bytes_ + EXCEL[at * len(EXCEL) // 400 + len(bytes_) :]
    check("t.xlsx", content)


def _excel() -> bytes:
    content = io.BytesIO()
    frame = pd.DataFrame({"x": range(9), "t": pd.date_range("2024-01-01", periods=9), "y": range(9)})
    frame.to_excel(content, index=False)
    return content.getvalue()


EXCEL = _excel()
