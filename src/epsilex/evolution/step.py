"""One generation, as in the paper, and its repetition."""

from __future__ import annotations

from collections.abc import Iterator

from epsilex.evolution.run import Run
from epsilex.evolution.state import State


def step(state: State, run: Run) -> State:
    """One generation (Sections 2 and 4): a pure function of the state, for the same run."""
    state = run.renewed(state)  # cases drawn anew, now and then, if there are very many
    broods = run.select(state)  # Section 2, steps 1 to 4; Eqs. 2 to 6
    offspring = run.vary(state, broods)  # Section 4: sub-tree crossover, point mutation
    children = run.measure(state, offspring)  # Eq. 1
    children = run.tune_children(state, children)
    survivors = run.survive(state, children, offspring)  # Table 1: elitism; Section 4: AFP
    survivors = run.tune_survivors(state, survivors)  # Section 4: parameter hill climbing
    return state.next(survivors, broods)


def evolve(run: Run, state: State | None = None) -> Iterator[State]:
    """The start, then one generation after another without end; with a `state`, the generations after it.

    The same seed gives the same states, whatever the number of threads.
    """
    if state is None:
        state = run.start()
        yield state
    while True:
        state = step(state, run)
        yield state
