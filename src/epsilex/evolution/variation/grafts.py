"""Grafts: children with a term fitted to the residual of their parent.

Most mutations ignore the errors, and most of them do harm. A graft adds a term at a random node of its parent, or
replaces a subtree by one. The scions are small random programs and subtrees of other parents. Each graft tries some of
them and takes the one that explains most of its parent's residual. To first order that needs only the derivative of
the output with respect to the node's value, and a few sums over some of the cases. The same sums give the scion's
factor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epsilex.evolution.purposes import GRAFT, SCION, STOCK, generator
from epsilex.evolution.variation.offspring import Offspring
from epsilex.evolution.variation.typed import typed_programs
from epsilex.programs import Programs
from epsilex.programs.evaluation import evaluate_blocks
from epsilex.programs.operators import arities, opcode
from epsilex.programs.start import by_arity, grown

if TYPE_CHECKING:
    from epsilex.evolution.run import Run
    from epsilex.evolution.state import State

SCIONS, SIZE = 512, 6  # random scions per generation, and their greatest length
OWN_SIZE = 12  # greatest length of a scion that is a parent's subtree
TRIES = 64  # scions tried per graft
TYPED_TRIES = 256  # where units are known, because few scions have the dimension of the node
REPLACING = 0.5  # share of the grafts that replace a subtree
NUDGE = 0.01  # of a node's mean magnitude: the finite-difference step of its value
SPIKE = 0.5  # largest share of a scion's norm in a single row


def graft(offspring: Offspring, share: float, state: State, run: Run) -> None:
    """Replace a share of the children, in place, by grafts of their parents, within their length limits.

    Time-series models are left alone: their fed-back features exist only during a run.
    """
    cases, settings, n_jobs = run.cases, run.settings, run.n_jobs
    if not {"add", "mul"} <= set(settings.operators) or cases.n_features != cases.inputs.shape[1]:
        return
    from epsilex.kernels import grafting, slices

    population, generation, parents = state.population, state.generation, offspring.parents
    rng = generator(settings.seed, generation, GRAFT)
    slots = np.flatnonzero(rng.random(len(offspring)) < share)
    X, y, root_weight = cases.drawn(settings.tuning_cases, rng)
    weight = root_weight * root_weight
    n, stock, arity = min(settings.tuning_cases, len(cases)), population.programs, arities()
    seed, code = np.uint64(settings.seed), (stock.opcode, stock.feature, stock.constant, stock.length)
    m, width, children = len(slots), stock.width, offspring.programs
    node, start = np.empty(m, np.int32), np.empty(m, np.int32)
    part, nudged = Programs.empty(m, width), Programs.empty(m, width + 2)
    grafting.stocks(
        seed, generation, STOCK, slots, parents, *code, arity, opcode("add"), node, start,
        part.opcode, part.feature, part.constant, part.length,
        nudged.opcode, nudged.feature, nudged.constant, nudged.length, 0, m,
    )  # fmt: skip
    with np.errstate(all="ignore"):
        part_values = evaluate_blocks(part, X, n_jobs)  # the kernel reads whole rows, which may be padded
        value = part_values[:, :n]
        step = NUDGE * np.maximum(np.abs(value).mean(axis=1), NUDGE)
        nudged.constant[np.arange(m), node + 1] = step
        outputs = evaluate_blocks(stock.take(parents[slots]), X, n_jobs)
        out = outputs[:, :n]
        raised = out + (evaluate_blocks(nudged, X, n_jobs)[:, :n] - out) / step[:, None]
        usable = np.isfinite(value + raised).all(axis=1)
    ids = np.zeros(m, np.int64) if run.law is None else run.law.ids(part)
    scions, own = _scions(run, generation, ids), (part.length > 1) & (part.length <= OWN_SIZE)
    scion_values = np.concatenate([evaluate_blocks(scions, X, n_jobs)[:, :n], value[own]])
    scions = Programs.joined([scions, part.take(own)])
    scion_ids = np.zeros(len(scions), np.int64) if run.law is None else run.law.ids(scions)
    good, factors = _good(scion_values), np.empty(len(scions), bool)
    grafting.begin_with_factors(
        scions.opcode, scions.length, arity, opcode("mul"), opcode("div"), settings.coefficients, factors
    )

    tries = TRIES if run.law is None else TYPED_TRIES

    def some(first: int, last: int) -> None:
        grafting.graft(
            seed, generation, GRAFT, slots, parents, offspring.limits, tries, REPLACING, y, weight, n,
            outputs, part_values, raised, usable, population.slope, population.intercept, settings.scaling,
            cases.through_zero, *code, node, start, ids,
            scions.opcode, scions.feature, scions.constant, scions.length, scion_values, good, factors, scion_ids,
            opcode("add"), opcode("mul"),
            children.opcode, children.feature, children.constant, children.length, offspring.origin, first, last,
        )  # fmt: skip

    slices.run(some, m, n_jobs)


def _scions(run: Run, generation: int, ids: np.ndarray) -> Programs:
    """Random scions; where units are known, of the dimensions of the nodes, given by their ids."""
    settings = run.settings
    lengths = 1 + np.arange(SCIONS) % min(SIZE, settings.max_length)
    wanted = ids[ids >= 0]
    if run.law is not None and len(wanted):
        return typed_programs(run.law, settings, lengths, np.resize(wanted, SCIONS), generation, SCION)
    return grown(
        settings.seed, generation, SCION, np.arange(SCIONS), lengths, settings.max_length, run.cases.n_features,
        by_arity(settings.operators), settings.constant_share, settings.constant_range, settings.coefficients,
    )  # fmt: skip


def _good(values: np.ndarray) -> np.ndarray:
    """Which scions are finite, vary, and do not hang on a single row."""
    with np.errstate(all="ignore"):
        square = values * values
        size = square.mean(axis=1)
        varies = values.var(axis=1) > 1e-8 * size
        return np.isfinite(size) & varies & (square.max(axis=1) < SPIKE**2 * values.shape[1] * size)
