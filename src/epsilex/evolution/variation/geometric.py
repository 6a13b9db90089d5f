"""Geometric semantic crossover within the limit of length: a child is a weighted mean of its parents.

Moraglio, Krawiec, Johnson, "Geometric semantic genetic programming", PPSN XII (2012): `r * mother + (1 - r) * father`
with a random constant r, whose outputs lie between those of the parents. It is longer than both, so exact crossover
soon exceeds any limit. Here a parent that is too long stands back for one of its own subtrees, times a factor: the one
whose outputs come closest to the parent's. Both together never exceed the limit. A child of two parents that fit is an
exact one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.purposes import GEOMETRIC, generator
from epsilex.evolution.variation.offspring import Offspring
from epsilex.programs import Programs
from epsilex.programs.evaluation import evaluate_blocks
from epsilex.programs.operators import CONSTANT, arities, opcode

if TYPE_CHECKING:
    from epsilex.evolution.run import Run
    from epsilex.evolution.state import State

Nodes = list[tuple[int, int, float]]
JOINING = 5  # nodes: two constants, two products and a sum
TRIES = 8  # subtrees of a parent that is too long, the longest that fit


def geometric(offspring: Offspring, share: float, state: State, run: Run) -> None:
    """Replace a share of the children, in place, by weighted means of their parents, within their length limits.

    Children of a single parent and time-series models are left alone.
    """
    settings, cases = run.settings, run.cases
    if not {"add", "mul"} <= set(settings.operators) or cases.n_features != cases.inputs.shape[1]:
        return
    rng = generator(settings.seed, state.generation, GEOMETRIC)
    drawn, ratio = rng.random(len(offspring)) < share, rng.random(len(offspring))
    wanted = drawn & (offspring.parents != offspring.mate) & (offspring.limits >= JOINING + 2)
    pairs = {}
    for slot in np.flatnonzero(wanted).tolist():
        mother, father = int(offspring.parents[slot]), int(offspring.mate[slot])
        pairs[slot] = _rooms(mother, father, state.population.programs.length, int(offspring.limits[slot]) - JOINING)
    parts = _parts({part for pair in pairs.values() for part in pair}, state, run, rng)
    for slot, (left, right) in pairs.items():
        if left in parts and right in parts:
            _put(offspring, slot, _mean(parts[left], parts[right], float(ratio[slot])))


def _rooms(mother: int, father: int, length: np.ndarray, room: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Both parents with the length that each may have: half of the room, and what the other leaves free."""
    own, other = int(length[mother]), int(length[father])
    most = min(own, max(room // 2, room - other))
    return (mother, most), (father, min(other, room - most))


def _parts(
    wanted: set[tuple[int, int]], state: State, run: Run, rng: np.random.Generator
) -> dict[tuple[int, int], tuple[Nodes, float]]:
    """Nodes and factor of each (parent, length): the parent itself, or its closest subtree of at most that length."""
    programs = state.population.programs
    fits = {(i, most): (programs.nodes(i), 1.0) for i, most in wanted if programs.length[i] <= most}
    long = sorted(wanted - fits.keys())
    candidates = [(key, part) for key in long for part in _subtrees(programs.nodes(key[0]), key[1])]
    if not candidates:
        return fits
    X, _, root_weight = run.cases.drawn(run.settings.tuning_cases, rng)
    n = min(run.settings.tuning_cases, len(run.cases))
    weight = root_weight[:n].astype(np.float64)
    owners = sorted({i for i, _ in long})
    place = {i: k for k, i in enumerate(owners)}
    with np.errstate(all="ignore"):
        whole = evaluate_blocks(programs.take(owners), X, run.n_jobs)[:, :n] * weight
        part = (
            evaluate_blocks(Programs.from_nodes([p for _, p in candidates], np.float32), X, run.n_jobs)[:, :n] * weight
        )
        if run.settings.scaling:  # linear scaling supplies any offset
            whole, part = (a - weight * (a @ weight)[:, None] / (weight @ weight) for a in (whole, part))
        whole = whole[[place[key[0]] for key, _ in candidates]]
        size = (part * part).sum(axis=1)
        factor = (whole * part).sum(axis=1) / size
        left = ((whole - factor[:, None] * part) ** 2).sum(axis=1)
        factor = factor.astype(np.float32).astype(np.float64)
    left = np.where(np.isfinite(left) & np.isfinite(factor) & (size > 0.0), left, np.inf)
    best: dict[tuple[int, int], int] = {}
    for k, (key, _) in enumerate(candidates):
        if left[k] < np.inf and (key not in best or left[k] < left[best[key]]):
            best[key] = k
    return fits | {key: (candidates[k][1], float(factor[k])) for key, k in best.items()}


def _subtrees(nodes: Nodes, most: int) -> list[Nodes]:
    """The longest TRIES subtrees of at most this length."""
    arity = arities()
    sizes: list[int] = []
    stack: list[int] = []
    for code, _, _ in nodes:
        size = 1
        for _ in range(int(arity[code])):
            size += stack.pop()
        stack.append(size)
        sizes.append(size)
    ends = sorted((k for k, size in enumerate(sizes) if size <= most), key=lambda k: (-sizes[k], k))[:TRIES]
    return [nodes[k + 1 - sizes[k] : k + 1] for k in ends]


def _mean(left: tuple[Nodes, float], right: tuple[Nodes, float], ratio: float) -> Nodes:
    times, plus = (opcode("mul"), 0, 0.0), (opcode("add"), 0, 0.0)
    first = [*left[0], (CONSTANT, 0, ratio * left[1]), times]
    return [*first, *right[0], (CONSTANT, 0, (1.0 - ratio) * right[1]), times, plus]


def _put(offspring: Offspring, slot: int, nodes: Nodes) -> None:
    children = offspring.programs
    for name, values in zip(("opcode", "feature", "constant"), zip(*nodes, strict=True), strict=True):
        row = getattr(children, name)[slot]
        row[:] = 0
        row[: len(nodes)] = values
    children.length[slot] = len(nodes)
    offspring.origin[slot] = -1
