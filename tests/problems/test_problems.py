"""The paper's problems: sizes, scaling, partitions, and what is said when data is missing or wrong."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epsilex import problems
from epsilex.problems import partitions
from places import DATA

SIZES = {  # Table 1 of the paper: training and test cases; inputs as in the files
    "housing": (354, 152, 13),
    "tower": (2195, 940, 25),
    "wind": (4200, 1800, 4),
    "enh": (538, 230, 8),
    "enc": (538, 230, 8),
    "uball5d": (1024, 5000, 5),
}


@pytest.fixture
def load(monkeypatch):
    """`problems.load`, with the data folder where there is one."""
    if not os.environ.get("EPSILEX_DATA"):
        monkeypatch.setenv("EPSILEX_DATA", str(DATA if DATA.is_dir() else Path(__file__).parent))

    def load_or_skip(name):
        try:
            return problems.load(name)
        except problems.DataMissing as error:
            pytest.skip(str(error))

    return load_or_skip


def test_the_names_are_the_papers():
    assert set(problems.NAMES) == set(SIZES)
    assert not set(problems.ABLATIONS) & set(problems.NAMES)


@pytest.mark.parametrize("name", problems.NAMES)
def test_sizes_are_the_papers(load, name):
    problem = load(name)
    train, test = problem.split(0)
    assert (train.cases, test.cases, train.X.shape[1]) == SIZES[name]
    assert len(problem.feature_names) == train.X.shape[1] == test.X.shape[1]
    assert problem.source
    assert problem.citation
    assert len(problem.sha256) == 64


@pytest.mark.parametrize("name", ["housing", "tower", "enh", "enc"])
def test_a_partition_is_of_z_scored_rows_each_used_once(load, name):
    problem = load(name)
    train, test = problem.split(7)
    X, y = np.vstack([train.X, test.X]), np.concatenate([train.y, test.y])
    assert np.allclose(X.mean(axis=0), 0, atol=1e-9)
    assert np.allclose(X.std(axis=0, ddof=1), 1)
    assert np.isclose(y.mean(), 0, atol=1e-9)
    assert np.isclose(y.std(ddof=1), 1)
    raw = np.sort(problem.y)
    assert np.allclose(np.sort(y) * problem.y.std(ddof=1) + problem.y.mean(), raw)


@pytest.mark.parametrize("name", [name for name in problems.NAMES if name != "uball5d"])
def test_the_seed_decides_the_partition(load, name):
    problem = load(name)
    (once, _), (again, _), (other, _) = problem.split(3), problem.split(3), problem.split(4)

    def drawn(side):
        return side.y if side.weight is None else side.weight

    assert np.array_equal(drawn(once), drawn(again))
    assert not np.array_equal(drawn(once), drawn(other))


@pytest.mark.parametrize("seed", [-1, 1.5, None, True, "0"])
def test_a_bad_seed_is_named(seed):
    with pytest.raises(ValueError, match="seed: expected an integer"):
        problems.load("uball5d").split(seed)


@given(st.integers(1, 10**9))
def test_training_rows_are_seven_tenths_rounded_half_up(rows):
    assert partitions.training_rows(rows) == (7 * rows) // 10 + ((7 * rows) % 10 >= 5)


def test_wind_keeps_its_rows_in_time_order_and_parts_them_by_weight(load):
    problem = load("wind")
    train, test = problem.split(0)
    assert problem.dynamic
    assert np.array_equal(train.X, test.X)
    assert np.array_equal(train.weight + test.weight, np.ones(6000))
    assert problem.measured.sum() == 4421
    assert problem.rebuilt
    assert any("rebuilt" in note for note in problem.notes)
    assert any("shut-down" in note for note in problem.notes)
    torque = problem.X[:, problem.feature_names.index("TQ")]
    assert np.abs(torque[torque != 0]).min() > 1e-20  # filter residue down to 1e-44 in the file


def test_wind_errors_count_only_the_rows_that_are_theirs(load):
    train, test = load("wind").split(0)
    guess = np.where(train.weight > 0, train.y, train.y + 1.0)  # right on training rows, 1 off on the test's
    assert train.mae(guess) == 0
    assert np.isclose(test.mae(guess), 1.0)
    off = np.where(test.measured, test.y, test.y + 5.0)
    assert test.mae(off, only_measured=True) == 0 < test.mae(off)


def test_a_prediction_that_is_not_finite_is_an_infinite_error():
    _, test = problems.load("uball5d").split(0)
    guess = test.y.copy()
    guess[3] = np.nan
    assert test.mae(guess) == np.inf


def test_an_unknown_problem_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"expected one of housing, tower.*got 'boston'"):
        problems.load("boston")


# --- anyone's own table ---


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def table(rows: int) -> str:
    return "a,price,b\n" + "".join(f"{i},{2 * i + 1},{i % 3}\n" for i in range(rows))


def test_from_csv(tmp_path):
    problem = problems.from_csv(write(tmp_path / "mine.csv", table(20)), "price")
    assert problem.name == "mine"
    assert problem.feature_names == ("a", "b")
    assert problem.X[5].tolist() == [5, 2]
    assert problem.y[5] == 11
    train, test = problem.split(0)
    assert (len(train.y), len(test.y)) == (14, 6)


def test_a_constant_column_stays_finite(tmp_path):
    text = "a,b,y\n" + "".join(f"{i},7,{i}\n" for i in range(12))
    train, _ = problems.from_csv(write(tmp_path / "flat.csv", text), "y").split(0)
    assert np.array_equal(train.X[:, 1], np.zeros(8))


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        (table(20), "cost", "target: expected one of the columns a, price, b; got 'cost'"),
        (table(5), "price", "expected at least 10 rows"),
        ("price\n" + "1\n" * 20, "price", "one input column"),
        (table(20) + "x,1,2\n", "price", "finite numbers in column 'a'; got 'x' in line 22"),
        (table(20) + "1,,2\n", "price", "finite numbers in column 'price'"),
        (table(20) + "1,inf,2\n", "price", "finite numbers in column 'price'; got 'inf' in line 22"),
        ("", "price", "the file is empty"),
        (table(20) + "1,2,3,4,5,6\n", "price", "expected 3 cells in each line, as in the header; got 6 in line 22"),
    ],
)
def test_a_table_that_cannot_be_used_is_explained(tmp_path, text, target, message):
    path = write(tmp_path / "bad.csv", text)
    with pytest.raises(ValueError, match=message):
        problems.from_csv(path, target)


def test_a_table_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="expected a table; No such file"):
        problems.from_csv(tmp_path / "nothing.csv", "y")
