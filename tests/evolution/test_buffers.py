"""Buffers: memory is handed out again only when nobody refers to it, whoever kept it and in whatever form."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from epsilex import DynamicRegressor, SymbolicRegressor
from epsilex.evolution.measuring.buffers import Buffers
from estimators import make

WIDTH = 8
VIEWS = {
    "itself": lambda array: array,
    "some rows": lambda array: array[2:4],
    "a row": lambda array: array[1],
    "a column": lambda array: array[:, 3],
    "a slice of a slice": lambda array: array[1:][::2][:, 1:3],
    "transposed": lambda array: array.T,
    "flat": lambda array: array.reshape(-1),
    "raveled": lambda array: array.ravel()[5:],
    "as bytes": lambda array: array.view(np.uint8),
    "as an array": lambda array: np.asarray(array)[:1],
    "read only": lambda array: np.broadcast_to(array, (2, *array.shape)),
    "a memoryview": lambda array: memoryview(array),
    "an array over a memoryview": lambda array: np.frombuffer(memoryview(array), np.float32)[3:],
    "an iterator": lambda array: array.flat,
    "in a cycle": lambda array: _cycle(array),
}


def _cycle(array) -> list:
    ring: list = [array]
    ring.append(ring)
    return ring


@pytest.fixture
def allocated(monkeypatch) -> list:
    """Shapes of the arrays that are allocated."""
    shapes, empty = [], np.empty

    def counted(shape, *how, **more):
        shapes.append(shape)
        return empty(shape, *how, **more)

    monkeypatch.setattr(np, "empty", counted)
    return shapes


@pytest.mark.parametrize("kind", VIEWS)
def test_never_while_a_view_lives_and_again_after(kind, allocated):
    buffers = Buffers(WIDTH)
    first = buffers.take(5)
    first[:] = 1.0
    kept = VIEWS[kind](first)
    del first
    gc.collect()
    second = buffers.take(5)
    second[:] = 2.0
    assert allocated == [(5, WIDTH)] * 2
    seen = kept[0] if kind == "in a cycle" else kept
    assert (np.frombuffer(np.array(seen).tobytes(), np.float32) == 1.0).all()
    del kept, seen
    gc.collect()
    third = buffers.take(5)
    assert len(allocated) == 2
    assert not np.shares_memory(second, third)
    assert (third == 1.0).all()


ACTIONS = st.tuples(st.sampled_from(["take", "view", "drop"]), st.integers(0, 6), st.integers(1, 3))


@hypothesis_settings(max_examples=200, deadline=None)
@given(st.lists(ACTIONS, max_size=60))
def test_any_order_of_taking_and_dropping(actions):
    """What is held keeps its numbers, and two holders of different numbers never share memory."""
    buffers = Buffers(WIDTH)
    held: list[tuple[np.ndarray, float]] = []
    for number, (action, which, n) in enumerate(actions):
        if action == "take":
            array = buffers.take(n)
            assert array.shape == (n, WIDTH)
            assert not any(np.shares_memory(array, other) for other, _ in held)
            array[:] = number
            held.append((array, number))
            del array
        elif held and action == "view":
            array, mark = held[which % len(held)]
            held.append((array[:1, which : which + 2], mark))
            del array
        elif held:
            del held[which % len(held)]
        assert all((array == mark).all() for array, mark in held)


def test_few_are_kept(allocated):
    buffers = Buffers(WIDTH, kept=2)
    several = [buffers.take(4) for _ in range(5)]
    several.clear()
    several = [buffers.take(4) for _ in range(5)]
    assert len(allocated) == 5 + 3


def test_other_sizes_are_not_mixed_up():
    buffers = Buffers(WIDTH)
    del_me = buffers.take(4)
    del del_me
    assert [buffers.take(n).shape for n in (3, 4, 0)] == [(3, WIDTH), (4, WIDTH), (0, WIDTH)]


def test_an_array_outlives_its_owner():
    array = Buffers(WIDTH).take(3)
    gc.collect()
    array[:] = 5.0
    assert (array == 5.0).all()
    del array


X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
SMALL = {"population_size": 30, "max_length": 20, "generations": 12, "time_limit": None, "random_state": 1}
FITS = {
    "default": lambda **how: SymbolicRegressor(**SMALL, **how),
    "generational": lambda **how: make(survival="generational", **SMALL, **how),
    "paper": lambda **how: SymbolicRegressor.paper(**SMALL, **how),
    "afp": lambda **how: SymbolicRegressor.paper(selection="afp", **SMALL, **how),
    "dynamic": lambda **how: DynamicRegressor(**SMALL, **how),
}


@pytest.mark.parametrize("kind", FITS)
def test_what_a_callback_keeps_never_changes(kind):
    """Whole states, errors alone, and a few rows of them; some of each, so that other buffers come free."""
    kept: list[tuple[object, np.ndarray, np.ndarray]] = []

    def keep(state):
        errors = state.population.errors
        holder = {0: state, 1: errors, 2: None}[state.generation % 3]
        seen = errors if state.generation % 3 < 2 else errors[4:9]
        kept.append((holder, seen, seen.copy()))

    FITS[kind](callbacks=[keep]).fit(X, Y)
    assert len(kept) == 13
    for holder, seen, copied in kept:
        assert seen.tobytes() == copied.tobytes()
        assert holder is None or holder is seen or holder.population.errors is seen
    for one, two in itertools.pairwise(kept):
        assert not np.shares_memory(one[1], two[1])


def test_a_fit_that_keeps_states_is_the_same_fit():
    kept: list = []
    watched = SymbolicRegressor(callbacks=[kept.append], **SMALL).fit(X, Y)
    alone = SymbolicRegressor(**SMALL).fit(X, Y)
    ours, theirs = (est.search_.state.population.arrays() for est in (watched, alone))
    assert all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)
