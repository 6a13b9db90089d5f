"""Best error, median and median absolute deviation of a case: exactly those of the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import naive
from epsilex import selection
from epsilex.kernels import thresholds
from errors import KINDS, shapes

SIZES = [1, 2, 3, 4, 5, 15, 16, 63, 64, 65, 100, 101, 999, 1000]

# Only kernels call these: they have no entry from Python of their own.
call_median = njit(lambda v, n, sample: thresholds.median(v, n, sample))
call_mad = njit(lambda v, n, deviation, sample: thresholds.mad(v, n, deviation, sample))
middle = njit(lambda b, n, k, limit, sample: thresholds.middle(b, n, k, limit, sample))
least = njit(lambda v, n, sample: thresholds.least(v, n, sample))
finite_values = njit(lambda e, members, n, values: thresholds.finite_values(e, members, n, values))


def sample(kind):
    return np.empty(thresholds.SAMPLE, kind)


def median(v):
    return call_median(v, len(v), sample(v.dtype))


def mad(v):
    return call_mad(v, len(v), np.empty_like(v), sample(v.dtype))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_median_and_mad(kind, n):
    for name, v in shapes(n, kind).items():
        assert median(v) == naive.median(list(v)), name
        assert mad(v) == naive.mad(list(v)), name


@pytest.mark.parametrize("kind", KINDS)
def test_every_rank(kind):
    for name, v in shapes(150, kind).items():
        bits = v.view(np.int32 if kind is np.float32 else np.int64)
        room = np.empty(thresholds.SAMPLE, bits.dtype)
        ordered = sorted(bits.tolist())
        limit = bits.dtype.type(np.iinfo(bits.dtype).max)
        found = [middle(bits, 150, k, limit, room) for k in range(1, 151)]
        assert [value for value, _ in found] == ordered, name
        assert [following for _, following in found] == [*ordered[1:], limit], name


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(
        st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(0.0, 2.0**127, width=32, allow_subnormal=False)),
        min_size=1,
        max_size=150,
    )
)
def test_any_values(values):
    for kind in KINDS:
        v = np.array(values, kind)
        assert median(v) == naive.median(list(v))
        assert mad(v) == naive.mad(list(v))
        assert least(v, len(v), sample(kind)) == v.min()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
def test_finite_values(kind, bad):
    """A NaN may have a sign: that of inf - inf does, on most machines."""
    e = np.array([1.0, bad, 2.0, bad, 0.0], kind)
    values = np.empty(5, kind)
    for members, expected in (([4, 3, 2, 1], [0.0, 2.0]), ([0, 1, 2, 3, 4], [1.0, 2.0, 0.0])):
        n = finite_values(e, np.array(members), len(members), values)
        assert values[:n].tolist() == expected


@pytest.mark.parametrize("id", naive.RULES)
def test_the_sign_of_a_nan_does_not_matter(id):
    errors = np.random.default_rng(0).random((40, 30))
    errors[3:9, ::2] = np.nan
    signed = np.where(np.isnan(errors), -np.nan, errors)
    assert np.signbit(signed).any()
    chosen = [selection.select(id, e, 300, np.random.default_rng(1)) for e in (errors, signed)]
    assert (chosen[0] == chosen[1]).all()


def test_the_input_is_not_changed():
    v = np.random.default_rng(0).random(500)
    before = v.copy()
    mad(v)
    assert (v == before).all()


@pytest.mark.parametrize("id", naive.RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_zero_with_a_sign_is_a_zero(id, kind):
    """Errors are compared as integers, where -0.0 would be far below 0.0; a loss of one's own may well give one."""
    errors = np.random.default_rng(0).integers(0, 3, (40, 30)).astype(kind)
    signed = np.where(errors == 0, -errors, errors)
    assert np.signbit(signed).any()
    chosen = [selection.select(id, e, 300, np.random.default_rng(1)) for e in (errors, signed)]
    assert (chosen[0] == chosen[1]).all()


@pytest.mark.parametrize("id", naive.RULES)
def test_minus_infinity_passes_nothing(id):
    """What a loss of one's own may give for a prediction far off; as bad as any other error that is not finite."""
    errors = np.array([[-np.inf, 5.0], [1.0, 1.0], [1.5, 1.0]])
    chosen = (
        selection.method(id)
        .parents(selection.Measures.of(errors, np.array([np.inf, 1.0, 1.25])), 200, selection.Address(0, 0))
        .parents
    )
    if not id.startswith("lex_y"):  # there nobody passes, so nobody is removed
        assert 0 not in chosen


def test_negative_errors_are_refused():
    with pytest.raises(ValueError, match=r"errors: expected absolute errors, at least 0; got -0\.5"):
        selection.select("lex", np.array([[1.0, -0.5]]), 1, np.random.default_rng(0))
