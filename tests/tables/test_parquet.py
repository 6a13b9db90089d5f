"""A Parquet file larger than what a fit uses: some of its rows, drawn at random, batch by batch."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex.data.rows import drawn_rows
from epsilex.tables import parquet, read_with_notes
from epsilex.tables.parquet import some_rows

FRAME = pd.DataFrame(
    {"place": np.arange(1000), "x": np.linspace(0.0, 1.0, 1000), "word": ["a", "b"] * 500, "gap": [None, 1.0] * 500}
)


@pytest.fixture
def path(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet", row_group_size=300, index=False)
    return tmp_path / "t.parquet"


@pytest.mark.parametrize("batch", [64, 1 << 16])
def test_the_rows_drawn(path, monkeypatch, batch):
    monkeypatch.setattr(parquet, "BATCH", batch)
    frame, n = some_rows(path, 100, 3)
    rows = drawn_rows(1000, 100, 3)
    assert n == 1000
    assert len(np.unique(rows)) == 100
    pd.testing.assert_frame_equal(frame, FRAME.iloc[rows].reset_index(drop=True))


def test_by_the_seed(path):
    one, again, other = (some_rows(path, 100, seed)[0] for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(one, again)
    assert not one.equals(other)


def test_a_file_that_is_no_larger(path, tmp_path):
    assert some_rows(path, 1000, 0) is None
    (tmp_path / "no.parquet").write_bytes(b"PAR1 and no more")
    assert some_rows(tmp_path / "no.parquet", 10, 0) is None


def test_damage_in_a_batch(path):
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"t.parquet: expected a Parquet file; "):
        some_rows(path, 100, 0)


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_notes(path, name):
    FRAME.to_csv(path.with_suffix(".csv"), index=False)
    frame, notes = read_with_notes(path.with_name(name), most=100, seed=3)
    assert notes[-1] == "100 of the 1000 rows are used, drawn at random"
    np.testing.assert_array_equal(frame["place"], drawn_rows(1000, 100, 3))
    assert not read_with_notes(path, most=1000)[1]
    assert len(read_with_notes(path)[0]) == 1000
