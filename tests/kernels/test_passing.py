"""Medians of many cases, and who passes which case: exactly those of the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import naive
from epsilex import selection
from epsilex.kernels import medians, passing
from epsilex.selection import Address
from epsilex.selection.rules import pass_bits
from errors import KINDS, shapes

SIZES = [1, 2, 31, 32, 33, 63, 64, 65, 100, 999, 1000, 1025]
STATIC = ("lex_e", "lex_y", "lex_e_mad", "lex_y_mad")

call_medians = njit(lambda e, words, finite, centre, out: medians.medians(e, words, finite, centre, out))
transpose = njit(lambda words: passing.transpose(words))
call_sort = njit(lambda a: medians.sort_lanes(a))


def medians_of(rows, centre):
    """Medians of |row - centre| by the kernel, rows (any number up to TILE, n)."""
    n = rows.shape[1]
    words = -(-n // 64)
    e = np.full((medians.TILE, 64 * words), np.nan, rows.dtype)
    e[: len(rows), :n] = rows
    finite = np.isfinite(rows).sum(axis=1)
    out = np.empty(medians.TILE, rows.dtype)
    call_medians(e, words, finite, np.full(medians.TILE, centre, rows.dtype), out)
    return out[: len(rows)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_medians(kind, n):
    everything = shapes(n, kind)
    rows = np.array(list(everything.values()))
    for centre in (kind(0.0), kind(0.5)):
        expected = [naive.median([abs(x - centre) for x in row]) for row in rows]
        assert medians_of(rows, centre).tolist() == expected, list(everything)


@pytest.mark.parametrize("kind", KINDS)
def test_medians_of_the_finite_values(kind):
    rng = np.random.default_rng(0)
    rows = rng.random((medians.TILE, 300)).astype(kind)
    bad = rng.random(rows.shape) < np.linspace(0.0, 1.0, len(rows))[:, None]  # none of the first row, all of the last
    rows[bad] = rng.choice([np.inf, np.nan], bad.sum())
    found = medians_of(rows, kind(0.0))
    for row, value in zip(rows[:-1], found[:-1], strict=True):
        assert value == naive.median(list(row[np.isfinite(row)]))
    assert np.isnan(found[-1])


@pytest.mark.parametrize("kind", KINDS)
def test_any_order_and_any_ties(kind):
    """Ties of every size around the middle, where the bracket cannot be narrowed by counting."""
    rng = np.random.default_rng(1)
    for tied in (10, 32, 33, 34, 250, 499, 500, 501):
        rows = np.array([rng.permutation(np.r_[np.full(tied, 0.5), rng.random(1000 - tied)]) for _ in range(20)])
        rows = rows.astype(kind)
        assert medians_of(rows, kind(0.0)).tolist() == [naive.median(list(row)) for row in rows]


@settings(max_examples=100, deadline=None)
@given(
    values=st.lists(
        st.one_of(
            st.sampled_from([0.0, 1.0, 1.0 + 2.0**-20]), st.floats(0.0, 2.0**127, width=32, allow_subnormal=False)
        ),
        min_size=1,
        max_size=200,
    )
)
def test_any_values(values):
    for kind in KINDS:
        row = np.array(values, kind)
        assert medians_of(row[None], kind(0.0))[0] == naive.median(list(row))


def test_sorting_network():
    rng = np.random.default_rng(0)
    for highest in (2, 50, 10**9):
        a = rng.integers(0, highest, (medians.ROWS, medians.TILE)).astype(np.int32)
        expected = np.sort(a, axis=0)
        call_sort(a)
        assert (a == expected).all()


def test_transpose():
    words = np.random.default_rng(0).integers(0, 2**63, 64).astype(np.uint64)
    before = words.copy()
    transpose(words)
    for i in range(64):
        column = (before >> np.uint64(i)) & np.uint64(1)
        assert ((words[i] >> np.arange(64, dtype=np.uint64)) & np.uint64(1) == column).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "n_cases"), [(1, 1), (7, 9), (64, 64), (65, 70), (300, 130)])
def test_case_major(kind, n, n_cases):
    rng = np.random.default_rng(0)
    wide = rng.random((n + 3, 2 * n_cases)).astype(kind)
    who = np.sort(rng.choice(n + 3, n, replace=False))
    some = np.sort(rng.choice(2 * n_cases, n_cases, replace=False))
    for errors in (wide, np.asfortranarray(wide), wide[:, ::2]):
        for cases in (np.arange(n_cases), some % errors.shape[1] if errors is wide else np.arange(n_cases)):
            e = np.empty((n_cases, n), kind)
            passing.case_major(errors, who, cases, e)
            assert (e == errors[np.ix_(who, cases)].T).all()


@pytest.mark.parametrize("id", STATIC)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_bits_and_verdicts(id, kind, n_jobs):
    rng = np.random.default_rng(0)
    errors = (rng.random((130, 1)) * rng.random((130, 150))).astype(kind)
    errors[rng.random(errors.shape) < 0.01] = np.nan
    errors[:, 70] = np.inf  # a case that nobody passes
    rule = selection.method(id).parents.keywords["rule"]
    everyone, cases = np.arange(130), np.arange(150)
    bits, verdicts = pass_bits(errors, everyone, cases, rule, n_jobs)
    expected = np.zeros(errors.shape, bool)
    for t in cases:
        limit = naive.threshold(naive.RULES[id], errors[:, t], everyone, everyone)
        expected[:, t] = False if limit is None else errors[:, t] <= limit

    def unpacked(words):
        return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").astype(bool)

    assert (unpacked(bits)[:, :130] == expected.T).all()
    assert (unpacked(verdicts)[:130, :150] == expected).all()
    assert not unpacked(bits)[:, 130:].any()
    assert not unpacked(verdicts)[:130, 150:].any()


@pytest.mark.parametrize("id", STATIC)
def test_duplicates_and_long_events(id):
    """Pools of equal individuals, and of some that differ in one case alone: events end where the oracle's do."""
    rng = np.random.default_rng(0)
    errors = np.repeat(rng.random((6, 90)).astype(np.float32), 20, axis=0)
    errors[::20, 3] = 0.0
    errors[5::7, 80] *= 0.5
    got = selection.method(id).parents(selection.Measures.of(errors), 200, Address(5, 1))
    parents, used = naive.select(id, errors, 200, 5, 1)
    assert (got.parents == parents).all()
    assert (np.rint(got.cases_used * 90) == used).all()
