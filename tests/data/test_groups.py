"""Groups of rows: labels, and the columns that stand for groups in a search."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex.data.groups import Groups, known_codes, labels_of, separated
from epsilex.data.stand_ins import stand_ins

FRAME = pd.DataFrame({"t": [1.0, 2.0, 3.0, 4.0], "sample": ["b", "a", "b", "a"]})


def test_the_column_is_taken_out():
    X, labels = separated(FRAME, "sample")
    assert list(X.columns) == ["t"]
    assert labels.tolist() == ["b", "a", "b", "a"]
    assert separated(FRAME, None) == (FRAME, None)


@pytest.mark.parametrize(
    ("X", "column", "said"),
    [
        (FRAME, "plot", "groups: expected one of the columns 't', 'sample'; got 'plot'"),
        (np.ones((4, 2)), "sample", "groups: expected X as a DataFrame with a column 'sample'; got ndarray"),
        (FRAME.assign(sample=["a", None, "b", "b"]), "sample", "expected a label in each row .* none in row 1"),
    ],
)  # fmt: skip
def test_what_is_no_column_of_groups(X, column, said):
    with pytest.raises(ValueError, match=said):
        separated(X, column)


def test_a_number_has_one_text_whatever_its_type():
    assert labels_of([1, 2.0, "3", 4.5, np.int8(5)], "g").tolist() == ["1", "2", "3", "4.5", "5"]


@pytest.mark.parametrize(
    ("labels", "weight", "said"),
    [
        (["a", "a", "b"], [1, 1, 1], "groups: expected at least 2 rows in each; got 1 in 'b'"),
        (["a", "a", "b", "b"], [1, 1, 1, 0], "groups: expected at least 2 rows in each; got 1 in 'b'"),
        (["a", "a"], [1, 1], "groups: expected at least 2 different labels in 'g'; got 1"),
    ],
)
def test_groups_that_say_nothing(labels, weight, said):
    with pytest.raises(ValueError, match=said):
        Groups.of("g", np.array(labels, object), np.array(weight, float))


def test_equal_rows_of_different_groups_stay_apart():
    X, y = np.array([[1.0], [1.0], [2.0], [2.0], [1.0]]), np.array([5.0, 5.0, 6.0, 6.0, 5.0])
    groups = Groups.of("g", np.array(["a", "b", "a", "b", "a"], object), np.ones(5))
    rows, sorted_groups = groups.with_stand_ins(X, y, np.ones(5), None)
    assert len(rows.y) == 4
    assert sorted(zip(rows.X[:, 0], sorted_groups.code, rows.weight, strict=True)) == [
        (1.0, 0, 2.0), (1.0, 1, 1.0), (2.0, 0, 1.0), (2.0, 1, 1.0),
    ]  # fmt: skip


CODE = np.repeat(np.arange(6), 12)
AT = np.random.default_rng(0).uniform(0.0, 2.0, (72, 1))
OWN = np.random.default_rng(1).uniform(1.0, 4.0, 6)


def curve(x):
    return 1.0 + x + 0.5 * x**2


@pytest.mark.parametrize(
    ("name", "y"),
    [
        ("level", OWN[CODE] * curve(AT[:, 0])),
        ("shift", OWN[CODE] + curve(AT[:, 0])),
        ("delay", 1.0 / (1.0 + np.exp(-4.0 * (AT[:, 0] - OWN[CODE] / 3.0)))),
        ("pace", np.exp(-OWN[CODE] * AT[:, 0])),
    ],
)
def test_what_distinguishes_the_groups_stands_for_them(name, y):
    found = stand_ins(AT, y, np.ones(72), CODE)
    assert len(found) == 2
    assert np.corrcoef(found[name], OWN)[0, 1] > 0.995


def test_the_factors_are_exact():
    level = stand_ins(AT, OWN[CODE] * curve(AT[:, 0]), np.ones(72), CODE)["level"]
    assert np.allclose(level / OWN, level[0] / OWN[0], rtol=1e-4)


def test_a_delay_in_one_of_two_features():
    other = np.random.default_rng(2).uniform(0.0, 2.0, 72)
    y = np.tanh(3.0 * (AT[:, 0] - OWN[CODE] / 3.0)) + other**2
    found = stand_ins(np.column_stack([other, AT]), y, np.ones(72), CODE)
    assert np.corrcoef(found["delay"], OWN)[0, 1] > 0.99


@pytest.mark.parametrize("x", [AT, np.ones((72, 1)), np.full((72, 2), 1e90)])
def test_stand_ins_are_finite(x):
    for y in (np.zeros(72), np.ones(72), 1e90 * OWN[CODE]):
        assert all(np.isfinite(own).all() for own in stand_ins(x, y, np.ones(72), CODE).values())


def test_an_unknown_group():
    assert known_codes(np.array(["b", "a"], object), ["a", "b"]).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"expected a group that was fitted, 'a', 'b'; got 'c'; `adapt` tunes"):
        known_codes(np.array(["a", "c"], object), ["a", "b"])
