"""Rows held back from a search."""

import numpy as np

from epsilex.tables.splitting import FEW, LEAST, held_back_rows


def test_few_rows_are_all_used():
    assert not held_back_rows(FEW - 1, 0.25, seed=0).any()


def test_a_quarter_is_held_back():
    held_back = held_back_rows(FEW, 0.25, seed=0)
    assert held_back.sum() == FEW // 4
    assert np.array_equal(held_back, held_back_rows(FEW, 0.25, seed=0))
    assert not np.array_equal(held_back, held_back_rows(FEW, 0.25, seed=1))


def test_every_group_keeps_rows_for_the_search():
    labels = np.repeat(np.arange(10), 6)
    held_back = held_back_rows(60, 0.8, seed=0, labels=labels)
    assert held_back.any()
    assert all((~held_back[labels == label]).sum() >= LEAST for label in range(10))
