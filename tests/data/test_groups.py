"""Groups of rows: labels, and the columns that stand for groups in a search."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex.data.groups import Groups, known_codes, labels_of, separated, stand_ins

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


def test_stand_ins_are_the_factors_and_offsets_of_smooth_curves():
    rng = np.random.default_rng(0)
    code, X = np.repeat(np.arange(6), 12), rng.uniform(0.0, 2.0, (72, 1))
    own = rng.uniform(1.0, 4.0, 6)
    curve = 1.0 + X[:, 0] + 0.5 * X[:, 0] ** 2
    level = stand_ins(X, own[code] * curve, np.ones(72), code)[:, 0]
    assert np.allclose(level / own, level[0] / own[0], rtol=1e-4)
    shift = stand_ins(X, own[code] + curve, np.ones(72), code)[:, 1]
    assert np.allclose(np.corrcoef(shift, own)[0, 1], 1.0)
    assert np.isfinite(stand_ins(X, np.zeros(72), np.ones(72), code)).all()


def test_an_unknown_group():
    assert known_codes(np.array(["b", "a"], object), ["a", "b"]).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"expected a group that was fitted, 'a', 'b'; got 'c'; `adapt` tunes"):
        known_codes(np.array(["a", "c"], object), ["a", "b"])
