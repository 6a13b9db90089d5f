"""Geometric semantic crossover: outputs lie between those of the parents, and no child is too long."""

from __future__ import annotations

import numpy as np
import pytest

from epsilex.evolution import Cases, Run, Settings, evolve
from epsilex.evolution.variation.geometric import JOINING, _subtrees, geometric
from epsilex.programs import evaluate
from epsilex.programs.parser import parse

X = np.random.default_rng(0).uniform(0.5, 3.0, (80, 3))
Y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])


def crossed(max_length: int, share: float = 1.0, **changes):
    settings = Settings(population_size=60, max_length=max_length, seed=2, variations={}, planters=(), **changes)
    run = Run(Cases.from_arrays(X, Y), settings)
    state = next(state for state in evolve(run) if state.generation == 2)
    offspring = run.vary(state, run.select(state))
    before = offspring.programs.copy()
    geometric(offspring, share, state, run)
    changed = (offspring.programs.opcode != before.opcode).any(axis=1)
    return state.population.programs, offspring, changed


def test_children_of_short_parents_lie_between_them():
    programs, offspring, changed = crossed(50, short_share=0.0)
    short = programs.length[offspring.parents] + programs.length[offspring.mate] + JOINING <= 50
    exact = changed & short & (offspring.parents != offspring.mate)
    assert exact.sum() > 10
    child, mother, father = (
        evaluate(p, X).astype(np.float64)
        for p in (
            offspring.programs.take(exact),
            programs.take(offspring.parents[exact]),
            programs.take(offspring.mate[exact]),
        )
    )
    finite = np.isfinite(mother + father).all(axis=1)
    low, high = np.minimum(mother, father)[finite], np.maximum(mother, father)[finite]
    slack = 1e-4 * (np.abs(low) + np.abs(high)) + 1e-5
    assert ((child[finite] >= low - slack) & (child[finite] <= high + slack)).all()


@pytest.mark.parametrize("max_length", [7, 10, 16, 30])
def test_no_child_is_too_long(max_length):
    _, offspring, changed = crossed(max_length)
    assert changed.any()
    assert (offspring.programs.length <= offspring.limits).all()
    offspring.programs.validate(3)


def test_a_single_parent_has_no_such_child():
    _, offspring, changed = crossed(30)
    assert not (changed & (offspring.parents == offspring.mate)).any()


def test_the_closest_subtree_stands_for_a_long_parent():
    """Of `3 * (x0 * x1) + 0.001 * x2` the product is nearly all."""
    nodes = parse("3.0*(x0*x1) + 0.001*x2", n_features=3)
    found = _subtrees(nodes, 3)
    assert all(len(part) <= 3 for part in found)
    assert max(map(len, found)) == 3
    assert len(found[0]) >= len(found[-1])
