"""Scales of the search: exact, invertible, and safe for numbers of any size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import strategies
from epsilex.data.rows import distinct_rows
from epsilex.data.scales import Scales, unscaled
from epsilex.programs.numeric import evaluate64

X = np.random.default_rng(0).normal(size=(50, 3))
Y = X[:, 0] + 2.0


def power_of_two(value):
    return np.log2(value) == np.round(np.log2(value))


class TestScales:
    @pytest.mark.parametrize("always", [False, True])
    @pytest.mark.parametrize("size", [1e-300, 1e-30, 1e-6, 1.0, 1e6, 1e30, 1e300])
    def test_values_fit_float32_well(self, size, always):
        scales = Scales.of(X * size, Y * size, always)
        x, y = scales.apply(X * size, Y * size)
        for values in (x, y):
            assert np.isfinite(values.astype(np.float32)).all()
            assert 1e-12 < np.abs(values).max() < 1e13
        assert power_of_two(scales.x_scale).all()
        assert power_of_two(scales.y_scale)

    def test_ordinary_data_is_left_alone_unless_asked(self):
        scales = Scales.of(X, Y, always=False)
        assert (scales.x_shift == 0).all()
        assert (scales.x_scale == 1).all()
        assert (scales.y_shift, scales.y_scale) == (0.0, 1.0)

    def test_a_mean_far_from_zero_is_taken_off(self):
        far = X.copy()
        far[:, 1] += 1e6
        scales = Scales.of(far, Y, always=False)
        assert scales.x_shift[0] == scales.x_shift[2] == 0.0
        assert scales.x_shift[1] == pytest.approx(1e6, rel=1e-3)

    @pytest.mark.parametrize("value", [0.0, 1.0, -1e300, 1e-300, 5.0])
    def test_constant_columns(self, value):
        scales = Scales.of(np.full((5, 1), value), np.full(5, value), always=True)
        x, y = scales.apply(np.full((5, 1), value), np.full(5, value))
        assert np.isfinite(x).all()
        assert np.isfinite(y).all()

    def test_the_largest_numbers(self):
        big = np.array([[1.7e308], [-1.7e308], [1e308]])
        scales = Scales.of(big, big[:, 0], always=True)
        x, y = scales.apply(big, big[:, 0])
        assert np.isfinite(x).all()
        assert np.isfinite(y).all()

    @pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
    def test_a_target_that_is_not_free_keeps_its_zero(self, size):
        scales = Scales.of(X, (Y + 1e6) * size, always=True, free_target=False)
        assert scales.y_shift == 0.0
        assert (scales.y_scale == 1.0) == (size == 1.0)

    def test_fed_back_outputs_are_in_the_targets_scales(self):
        scales = Scales(np.zeros(2), np.array([2.0, 4.0]), 3.0, 8.0)
        assert scales.of_feature(1) == (0.0, 4.0)
        assert scales.of_feature(2) == scales.of_feature(5) == (3.0, 8.0)


@hypothesis_settings(max_examples=100)
@given(nodes=strategies.programs(max_leaves=6), seed=st.integers(0, 100))
def test_a_formula_over_the_users_scales_is_the_same_function(nodes, seed):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(20, 3)) * [1.0, 1e3, 1e-3] + [0.0, 1e7, 0.0]
    y = rng.normal(size=20) * 50 + 7
    scales = Scales.of(data, y, always=True)
    slope, intercept = 1.5, -0.25
    inner = evaluate64(nodes, scales.apply(data, y)[0])
    with np.errstate(all="ignore"):
        expected = (slope * inner + intercept) * scales.y_scale + scales.y_shift
        got = evaluate64(unscaled(nodes, scales, slope, intercept), data)
        near = strategies.well_conditioned(nodes, scales.apply(data, y)[0]) & (np.abs(inner) < 1e6)
        moved = evaluate64(nodes, scales.apply(data, y)[0] * (1 + 1e-9))
        steady = near & (np.abs(moved - inner) <= 1e-6 * np.abs(inner))
    np.testing.assert_allclose(got[steady], expected[steady], rtol=1e-5, atol=1e-5 * scales.y_scale)


class TestDistinctRows:
    def test_weights_are_repetitions(self, rng):
        weight = rng.integers(0, 4, 50).astype(float)
        repeated = np.repeat(np.arange(50), weight.astype(int))
        rng.shuffle(repeated)
        weighted = distinct_rows(X, Y, weight)
        plain = distinct_rows(X[repeated], Y[repeated], np.ones(len(repeated)))
        for one, two in zip(weighted, plain, strict=True):
            np.testing.assert_array_equal(one, two)

    def test_small_whole_numbers_do_not_collide(self):
        rows = np.array([[a, b, c] for a in range(-8, 8) for b in range(-8, 8) for c in range(8)], float)
        twice = np.vstack([rows, rows[::-1]])
        x, y, weight = distinct_rows(twice, twice.sum(axis=1), np.ones(len(twice)))
        assert len(x) == len(rows)
        assert (weight == 2).all()
        assert (y == x.sum(axis=1)).all()

    def test_signs_of_zeros(self):
        x, _, weight = distinct_rows(np.array([[0.0], [-0.0]]), np.array([-0.0, 0.0]), np.ones(2))
        assert len(x) == 1
        assert weight.tolist() == [2.0]

    def test_same_features_with_another_target_stay_apart(self):
        assert len(distinct_rows(np.ones((4, 2)), np.array([1.0, 2.0, 1.0, 3.0]), np.ones(4))[1]) == 3
