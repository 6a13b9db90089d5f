"""Time stamps as features, and the same features of another table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex.tables import features_by_name, training_table
from epsilex.tables.timestamps import Ambiguous, features_of, stamps, unit_of_feature


def dates(begin: str, n: int, step: str) -> pd.Series:
    return pd.Series(pd.date_range(begin, periods=n, freq=step))


@pytest.mark.parametrize(
    ("begin", "n", "step", "parts"),
    [
        ("2024-03-01", 96, "1h", ["hour", "hours_since_2024_03_01"]),
        ("2024-01-01", 365 * 24, "1h", ["hour", "day_of_year"]),
        ("2022-01-01", 1000, "1D", ["day_of_year", "days_since_2022_01_01"]),
        ("2024-03-01 12:00:03", 50, "2s", ["seconds_since_2024_03_01_12_00_03"]),
        ("2024-03-01", 24, "1h", ["hour"]),
        ("2024-03-01", 40, "1D", ["days_since_2024_03_01"]),
        ("2024-03-01", 1, "1D", []),
    ],
)
def test_features_that_tell_something_new(begin, n, step, parts):
    assert list(features_of(dates(begin, n, step), "t")) == [f"t_{part}" for part in parts]


def test_values():
    found = features_of(dates("2023-12-31 18:30", 800, "25h"), "t")
    assert found["t_hour"][:2].tolist() == [18.5, 19.5]
    assert found["t_day_of_year"][:3].tolist() == [365.0, 1.0, 2.0]
    np.testing.assert_allclose(found["t_days_since_2023_12_31"][:2], [18.5 / 24, 43.5 / 24])


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["2024-03-01", "2024-12-31"], ["2024-03-01", "2024-12-31"]),
        (["2024-03-01 14:05", "2024-03-01T14:05:06.5"], ["2024-03-01 14:05", "2024-03-01 14:05:06.5"]),
        (["2024/3/1 7:05", "-"], ["2024-03-01 07:05", None]),
        (["01.03.2024", "31.12.2024 23:59:59,25"], ["2024-03-01", "2024-12-31 23:59:59.25"]),
        (["1.3.24", "2.3.99"], ["2024-03-01", "1999-03-02"]),
        (["13/04/2024", "05/06/2024"], ["2024-04-13", "2024-06-05"]),
        (["12/31/2024", "05/06/2024"], ["2024-12-31", "2024-05-06"]),
        (["2024-03-01T10:00Z", "2024-03-01 12:00:00+02:00"], ["2024-03-01 10:00", "2024-03-01 10:00"]),
        (["1 Mar 2024", "12 Dec 2024"], ["2024-03-01", "2024-12-12"]),
        (["Mar 1, 2024 10:30", "Dec 12, 2024 11:00"], ["2024-03-01 10:30", "2024-12-12 11:00"]),
    ],
)
def test_dates_as_people_write_them(cells, expected):
    found = stamps(pd.Series(cells))
    assert [None if value is pd.NaT else value for value in found] == [
        None if text is None else pd.Timestamp(text) for text in expected
    ]


@pytest.mark.parametrize("cells", [["a", "b"], ["1.2.3", "1.2.4"], ["13/13/2024", "1/2/2024"], [1.0, 2.0], ["1", "2"]])
def test_what_is_no_date(cells):
    assert stamps(pd.Series(cells)) is None


def test_days_that_could_be_months():
    with pytest.raises(Ambiguous):
        stamps(pd.Series(["03/04/2024", "05/06/2024"]))
    frame = pd.DataFrame({"t": ["03/04/2024", "05/06/2024"] * 6, "x": range(12), "y": range(12)})
    table = training_table(frame, "y")
    assert list(table.X) == ["x"]
    assert "day or month first?" in table.notes[0]
    with pytest.raises(ValueError, match="strict: expected nothing to be left out"):
        training_table(frame, "y", strict=True)


@pytest.mark.parametrize("kind", ["text", "stamps", "zoned", "gaps"])
def test_another_table_gets_the_same_features(kind):
    t = dates("2023-11-05 06:00", 400, "7h")
    frame = pd.DataFrame({"when": t, "y": np.arange(400.0)})
    if kind == "text":
        frame["when"] = t.dt.strftime("%d.%m.%Y %H:%M")
    elif kind == "zoned":
        frame["when"] = t.dt.tz_localize("Europe/Vienna")
    elif kind == "gaps":
        frame.loc[5, "when"] = pd.NaT
    table = training_table(frame, "y")
    assert list(table.X) == ["when_hour", "when_day_of_year", "when_days_since_2023_11_05"]
    assert "holds time stamps; made of it: when_hour" in table.notes[0]
    part, _ = features_by_name(frame.iloc[100:110], list(table.X))
    expected = table.X.iloc[99:109] if kind == "gaps" else table.X.iloc[100:110]
    np.testing.assert_array_equal(part.to_numpy(), expected.to_numpy())


def test_units_are_known():
    frame = pd.DataFrame({"t": dates("2023-11-05", 400, "7h"), "c": ["a", "b"] * 200, "x": range(400), "y": range(400)})
    table = training_table(frame, "y")
    assert table.units == {
        "t_hour": "h",
        "t_day_of_year": "day",
        "t_days_since_2023_11_05": "day",
        "c=a": "1",
        "c=b": "1",
    }
    assert unit_of_feature("t_seconds_since_2024_03_01_12_00_03") == "s"


def test_a_column_of_the_same_name_comes_first():
    frame = pd.DataFrame({"t": ["2024-03-01"] * 3, "t_hour": [1.0, 2.0, 3.0]})
    assert features_by_name(frame, ["t_hour"])[0]["t_hour"].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="'q_hour' missing"):
        features_by_name(frame, ["q_hour"])
