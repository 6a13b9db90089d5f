"""Counter-based random streams: the same numbers as the oracle's, and what their distributions should be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import naive
from epsilex.kernels import streams

ADDRESS = st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 10**6), st.integers(0, 200), st.integers(0, 10**6))

key = njit(lambda seed, generation, purpose, slot: streams.key(seed, generation, purpose, slot))
draw = njit(lambda s: streams.draw(s))
unit = njit(lambda s: streams.unit(s))
below = njit(lambda s, n: streams.below(s, n))
normal = njit(lambda s: streams.normal(s))


def stream(seed=1, generation=2, purpose=3, slot=4):
    return np.array([key(np.uint64(seed), generation, purpose, slot)], np.uint64)


@settings(max_examples=60, deadline=None)
@given(address=ADDRESS, n=st.integers(1, 2**31))
def test_same_numbers_as_the_oracle(address, n):
    s, oracle = stream(*address), naive.Stream(*address)
    assert [int(draw(s)) for _ in range(3)] == [oracle.draw() for _ in range(3)]
    assert [int(below(s, n)) for _ in range(3)] == [oracle.below(n) for _ in range(3)]
    assert [unit(s) for _ in range(3)] == [(oracle.draw() >> 11) * 2.0**-53 for _ in range(3)]


def test_neighbouring_addresses_have_unrelated_streams():
    keys = [
        int(key(np.uint64(seed), generation, purpose, slot))
        for seed in range(6) for generation in range(6) for purpose in range(6) for slot in range(6)
    ]  # fmt: skip
    assert len(set(keys)) == 6**4
    bits = np.array(keys, np.uint64)[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    assert bits.mean(axis=0) == pytest.approx(np.full(64, 0.5), abs=0.07)


def test_first_numbers_of_streams_are_uniform():
    """One stream a slot: the first number of each must be as good as a row of one stream's."""
    u = np.array([unit(stream(slot=slot)) for slot in range(20_000)])
    assert np.histogram(u, 20, (0.0, 1.0))[0] == pytest.approx([1000] * 20, abs=160)
    assert np.corrcoef(u[:-1], u[1:])[0, 1] == pytest.approx(0.0, abs=0.03)


def test_unit_and_below_keep_their_limits():
    s = stream()
    u = np.array([unit(s) for _ in range(20_000)])
    assert 0.0 <= u.min() < u.max() < 1.0
    draws = np.bincount([below(s, 7) for _ in range(14_000)], minlength=7)
    assert draws == pytest.approx([2000] * 7, abs=230)
    assert {int(below(s, 1)) for _ in range(100)} == {0}


def test_normal():
    s = stream()
    z = np.array([normal(s) for _ in range(40_000)])
    assert np.isfinite(z).all()
    assert [z.mean(), z.std(), (z**3).mean(), (z**4).mean()] == pytest.approx([0.0, 1.0, 0.0, 3.0], abs=0.12)


def test_uniform_integers_reach_both_ends():
    out = np.empty(5000, np.int64)
    streams.uniform_integers(np.uint64(9), 0, 1, 3, 6, out)
    assert np.bincount(out, minlength=7)[3:] == pytest.approx([1250] * 4, abs=170)
    assert set(out) == {3, 4, 5, 6}
