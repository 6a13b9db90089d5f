"""How a formula depends on single features, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.models.dependence import features_used, most_important, partial_dependence, places_along, some_of
from epsilex.models.model import model
from epsilex.programs.parser import parse

NAMES = ("a", "b", "c")


def formula(text):
    return model(parse(text, NAMES), NAMES)


def test_partial_dependence_is_the_mean_over_rows(rng):
    m, X = formula("a*b + exp(c)"), rng.normal(size=(50, 3))
    places = np.linspace(-1.0, 1.0, 7)
    for j in range(3):
        expected = []
        for place in places:
            rows = X.copy()
            rows[:, j] = place
            expected.append(np.mean([row[0] * row[1] + np.exp(row[2]) for row in rows]))
        np.testing.assert_allclose(partial_dependence(m, X, j, places), expected)


def test_where_a_prediction_is_not_finite_there_is_no_mean(rng):
    X = rng.uniform(1.0, 2.0, size=(20, 3))
    found = partial_dependence(formula("b/a + log(a)"), X, 0, np.array([-1.0, 0.0, 1.0]))
    assert np.isnan(found).tolist() == [True, True, False]


def test_features_by_importance(rng):
    m, X = formula("10*c + b"), rng.normal(size=(500, 3))
    assert features_used(m) == [1, 2]
    assert [j for j, _ in most_important(m, X, 5)] == [2, 1]
    assert len(most_important(m, X, 1)) == 1
    assert len(some_of(X)) == 200


def test_places_along_a_column():
    x = np.array([3.0, 1.0, 2.0])
    assert places_along(x, 3).tolist() == [1.0, 2.0, 3.0]
    assert places_along(x, 2, 0.5).tolist() == [0.0, 4.0]
    assert places_along(np.full(4, 7.0), 3, 0.02).tolist() == [6.5, 7.0, 7.5]


@pytest.mark.parametrize(
    ("low", "high", "ends"), [(0.1, 20.0, (0.0, 20.398)), (-20.0, 0.0, (-20.4, 0.0)), (-1.0, 1.0, (-1.04, 1.04))]
)
def test_the_room_beside_the_data_does_not_reach_beyond_zero(low, high, ends):
    places = places_along(np.array([low, high]), 5, 0.02)
    np.testing.assert_allclose(places[[0, -1]], ends)
