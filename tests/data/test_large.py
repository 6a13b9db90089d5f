"""More rows than a fit keeps: drawn by a hash, or from the partitions of a Dask dataframe."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from epsilex import DynamicRegressor, SymbolicRegressor
from epsilex.data import lazy, rows
from epsilex.data.lazy import in_memory
from epsilex.data.rows import Rows, drawn_by_hash

dd = pytest.importorskip("dask.dataframe")

RNG = np.random.default_rng(0)
X = RNG.integers(0, 30, (2000, 2)).astype(float)
Y = X[:, 0] * 3.0 + RNG.integers(0, 3, 2000)
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y, "w": RNG.uniform(1.0, 2.0, 2000)})
SMALL = {"generations": 2, "population_size": 60, "time_limit": None, "random_state": 0}


class TestByHash:
    def test_equal_rows_stay_together(self):
        few = drawn_by_hash(X, Y, 300)
        assert 300 <= len(few) < 330
        kept = {tuple(row) for row in np.column_stack([X, Y])[few]}
        every = [tuple(row) in kept for row in np.column_stack([X, Y])]
        assert sum(every) == len(few)

    def test_the_order_of_rows_does_not_matter(self, monkeypatch):
        monkeypatch.setattr(rows, "MOST", 300)
        shuffled = RNG.permutation(2000)
        sigma = np.ones(2000)
        for given in (None, sigma):
            one = Rows.distinct(X, Y, np.ones(2000), given)
            two = Rows.distinct(X[shuffled], Y[shuffled], np.ones(2000), given)
            np.testing.assert_array_equal(one.X, two.X)
            np.testing.assert_array_equal(one.y, two.y)
            np.testing.assert_array_equal(one.weight, two.weight)
            assert 300 <= one.weight.sum() < 330

    def test_chunks(self, monkeypatch):
        whole = drawn_by_hash(X, Y, 300)
        monkeypatch.setattr(rows, "CHUNK", 77)
        np.testing.assert_array_equal(drawn_by_hash(X, Y, 300), whole)

    def test_the_draw_is_fair(self):
        many = RNG.normal(size=(20_000, 2))
        few = drawn_by_hash(many, many[:, 0], 5000)
        assert np.abs(many[few].mean(axis=0)).max() < 0.06


class TestDask:
    def test_all_rows_if_there_are_few(self):
        frame = dd.from_pandas(FRAME, npartitions=3)
        found = in_memory(frame[["a", "b"]], frame["y"], frame["w"], "auto", 0)
        pd.testing.assert_frame_equal(found[0], FRAME[["a", "b"]])
        pd.testing.assert_series_equal(found[1], FRAME["y"])
        pd.testing.assert_series_equal(found[2], FRAME["w"])

    def test_rows_of_a_larger_one(self, monkeypatch):
        monkeypatch.setattr(lazy, "MOST", 500)
        frame = dd.from_pandas(FRAME.assign(place=np.arange(2000.0)), npartitions=4)
        one, y, weight = in_memory(frame[["place", "a"]], frame["y"], None, "auto", 5)
        assert weight is None
        assert len(one) == len(y) == 500
        place = one["place"].to_numpy(int)
        assert (np.diff(place) > 0).all()
        np.testing.assert_array_equal(one["a"], FRAME["a"].to_numpy()[place])
        np.testing.assert_array_equal(y, FRAME["y"].to_numpy()[place])
        assert {k // 500 for k in place} == {0, 1, 2, 3}
        again, *_ = in_memory(frame[["place", "a"]], frame["y"], None, "auto", 5)
        other, *_ = in_memory(frame[["place", "a"]], frame["y"], None, "auto", 6)
        pd.testing.assert_frame_equal(one, again)
        assert not one.equals(other)

    def test_a_fit_is_that_of_the_same_rows_in_pandas(self):
        frame = dd.from_pandas(FRAME, npartitions=3)
        lazily = SymbolicRegressor(**SMALL).fit(frame[["a", "b"]], frame["y"])
        plainly = SymbolicRegressor(**SMALL).fit(FRAME[["a", "b"]], FRAME["y"])
        assert lazily.model_.formula == plainly.model_.formula
        assert list(lazily.feature_names_in_) == ["a", "b"]

    def test_bad_input(self):
        frame = dd.from_pandas(FRAME, npartitions=3)
        columns = frame[["a", "b"]]
        with pytest.raises(ValueError, match="y: expected a Dask column of the same 3 partitions as X"):
            in_memory(columns, FRAME["y"], None, "auto", 0)
        with pytest.raises(ValueError, match="sample_weight: expected a Dask column"):
            in_memory(columns, frame["y"], FRAME["w"], "auto", 0)
        with pytest.raises(ValueError, match="noise: expected auto, additive or relative"):
            in_memory(columns, frame["y"], None, np.ones(2000), 0)
        shifted = dd.concat([dd.from_pandas(part, npartitions=1) for part in (FRAME[:10], FRAME[10:900], FRAME[900:])])
        with pytest.raises(ValueError, match="y: expected as many rows in each partition as X"):
            in_memory(columns, shifted["y"], None, "auto", 0)
        with pytest.raises(ValueError, match="X: expected a time series in memory"):
            DynamicRegressor(**SMALL).fit(columns, frame["y"])
