"""Marks on a front: the knee, and the range of the axis."""

from __future__ import annotations

import math

import pytest

from epsilex.models.marks import knee, shown_range


@pytest.mark.parametrize(
    ("lengths", "errors", "expected"),
    [
        ([1, 3, 5, 9, 20], [1.0, 0.5, 0.01, 0.009, 0.008], 2),
        ([1, 2, 30], [1.0, 0.1, 0.09], 1),
        ([1, 2, 3, 40], [1.0, 0.02, 0.019, 1e-15], 1),  # the last interpolates
        ([1, 5, 9], [0.0, 0.0, 0.0], None),
        ([1, 5, 9], [1.0, 0.1, 0.01], None),  # a straight line
        ([1, 5], [1.0, 0.1], None),
        ([7, 9, 13, 24, 28], [1.0, 0.99, 0.9, 0.85, 0.84], None),  # it hardly falls
        ([1, 5, 9, 13], [1.0, 0.45, 0.22, 0.1], None),  # it hardly bends
        ([1, 5, 9], [1.0, 2.0, 3.0], None),
        ([1, 5, 9], [math.inf, 1.0, 0.5], None),
    ],
)
def test_the_knee_is_where_a_front_bends_most(lengths, errors, expected):
    assert knee(lengths, errors) == expected


def test_the_knee_does_not_depend_on_units():
    lengths, errors = [1, 3, 5, 9, 20], [1.0, 0.5, 0.01, 0.009, 0.008]
    assert {knee(lengths, [scale * e for e in errors]) for scale in (1e-12, 1.0, 1e9)} == {2}


def test_the_axis_shows_what_matters():
    assert shown_range([1.0, 0.1, 0.05], [None] * 3, 1) == (0.05, 1.0)
    low, high = shown_range([1.0, 0.02, 0.018, 1e-15], [1.1, 0.02, 0.03, 1e6], 1)
    assert low == pytest.approx(0.002)
    assert high == 3.0
    assert shown_range([1.0, 0.1, 0.0], [None] * 3, 2) == (0.1, 1.0)  # the chosen one is exact
    assert shown_range([1.0, 1e-14], [1.0, 1e-14], 1) == (1e-4, 1.0)
    assert shown_range([0.0], [None], 0) is None
    assert shown_range([math.inf, None], [None, None], 1) is None
