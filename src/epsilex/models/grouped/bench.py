"""Forms with own constants: tuned, described, and changed step by step while their description gets shorter.

Besides the changes of any formula (see `epsilex.models.lean`), a shared constant becomes one per group, or the
other way round. Each value of each group is paid for, so a constant is one per group only if the data says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.choice.description import KIND, Description, describe
from epsilex.models.choice.language import Language
from epsilex.models.grouped.program import Grouped, collapsed, freed, shared
from epsilex.models.grouped.tuning import Cells, jacobians, tuned
from epsilex.models.lean import smaller, written_anew
from epsilex.models.polish import with_constants
from epsilex.models.simpler import is_simple, numbers
from epsilex.programs.algebra.gathering import gather
from epsilex.programs.algebra.pruning import prune
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import FEATURE
from epsilex.shapes.knowledge import Shapes

MOST = 3  # own constants of a formula
STEPS, FULL = 8, 20  # of tuning for a trial form, and for others
TRIALS, ROWS = 700, 100  # number of trial forms on ROWS rows, fewer on more rows


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A program with own constants, and its description."""

    program: Grouped
    description: Description

    @property
    def nodes(self) -> tuple[Node, ...]:
        return self.program.nodes

    @property
    def total(self) -> float:
        return self.description.total


@dataclass
class Bench:
    """Tunes and describes forms; no form is tried twice."""

    cells: Cells
    noises: Sequence[Noise]
    language: Language
    allowed: Callable[[Sequence[Node]], bool] | None = None
    shapes: Shapes | None = None
    tried: dict[tuple, Form | None] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        return max(100, TRIALS * ROWS // max(len(self.cells.X), ROWS))

    def form(self, nodes: Sequence[Node], table: np.ndarray, steps: int, exact: bool = False) -> Form | None:
        """The best form of a program under each noise; with `exact` simple numbers stay."""
        program = collapsed(simplify(nodes), table, self.cells.X.shape[1])
        if program is None or len(program.table) > MOST:
            return None
        forms = [self.described(self.tidy(tuned(program, self.cells, noise, fitted(program, exact), steps)))
                 for noise in self.noises]  # fmt: skip
        return min((form for form in forms if form is not None), key=lambda form: form.total, default=None)

    def tidy(self, program: Grouped) -> Grouped | None:
        """The program without negligible terms, factors gathered, own constants of one sum or product in one."""
        X = program.columns(self.cells.X, self.cells.code)
        nodes = gather(prune(program.nodes, X, evaluate64), X, evaluate64)
        return collapsed(simplify(nodes), program.table, program.n_features)

    def described(self, program: Grouped | None) -> Form | None:
        """None if the formula is not finite on every row, or not allowed."""
        if program is None or (self.allowed is not None and not self.allowed(program.nodes)):
            return None
        if self.shapes is not None and not self.shapes.of_groups(program.table).allows(program.nodes):
            return None
        cells = self.cells
        found = describe(program.nodes, program.columns(cells.X, cells.code), self.noises, self.language)
        if found is None:
            return None
        own = self._own_nats(program, found)
        return Form(program, replace(found, constants=found.constants + own)) if math.isfinite(own) else None

    def _own_nats(self, program: Grouped, found: Description) -> float:
        """Nats of the own constants: sign and kind once, and for each group the digits that its rows resolve."""
        out, _, own = jacobians(program, self.cells, ())
        with np.errstate(all="ignore"):
            slopes = found.noise.slopes(out, own)
            information = self.cells.sums(found.noise.weight[:, None] * slopes**2).T / found.variance
            digits = np.log(np.maximum(np.abs(program.table) * np.sqrt(information / 12.0), 1.0)) + 0.5
        return float(digits.sum()) + KIND * len(program.table)

    def owned(self, form: Form) -> list[Form]:
        """Forms of the same structure with one or two other own constants.

        Tuned with the wrong own constants, the others may end far from where they belong. So all are shared first, and
        then set free one by one.
        """
        nodes, table = form.nodes, form.program.table
        for own in range(len(table)):
            nodes = tuple(shared(replace(form.program, nodes=nodes), own)[0])
        found: list[Form] = []
        best = self.form(nodes, table, FULL)
        for _ in range(2):
            if best is None:
                break
            tries = [self.form(*freed(best.program, k), FULL) for k in fitted(best.program, exact=False)]
            known = [one for one in tries if one is not None]
            best = min(known, key=lambda one: one.total, default=None)
            found += known
        return found

    def shorter(self, form: Form) -> Form | None:
        """The best form one step away from this one, if its description is shorter."""
        best = form
        for nodes, table in self._changes(form):
            key = (tuple((code, column, value if is_simple((code, column, value)) else 0.0)
                         for code, column, value in nodes), len(table))  # fmt: skip
            if key not in self.tried:
                if len(self.tried) >= self.trials:
                    break
                self.tried[key] = self.form(nodes, table, STEPS, exact=True)
            found = self.tried[key]
            if found is not None and found.total < best.total - 1e-9:
                best = found
        return None if best is form else best

    def _changes(self, form: Form) -> Iterator[tuple[Sequence[Node], np.ndarray]]:
        program, cells = form.program, self.cells
        for own in range(len(program.table)):
            yield shared(program, own)
        for place in fitted(program, exact=True):
            yield freed(program, place)
        X = program.columns(cells.X, cells.code)
        for place in fitted(program, exact=True):  # own constants may take up any factor
            for value in (0.0, float(np.copysign(1.0, program.nodes[place][2]))):
                yield with_constants(program.nodes, [place], np.array([value])), program.table
        simpler = (nodes for nodes, _ in numbers(program.nodes, form.description, X))
        for nodes in (*simpler, *written_anew(program.nodes), *smaller(program.nodes)):
            yield nodes, program.table

    def descend(self, form: Form) -> Iterator[Form]:
        """Forms of ever shorter descriptions, beginning with this one."""
        current: Form | None = form
        while current is not None:
            yield current
            current = self.shorter(current)


def fitted(program: Grouped, exact: bool) -> list[int]:
    """Nodes of the shared constants to tune: not own constants and bare features; with `exact` not simple numbers."""
    return [
        k for k in constant_places(program.nodes)
        if not (program.nodes[k][0] == FEATURE and program.nodes[k][2] == 1.0)
        and not (exact and is_simple(program.nodes[k]))
    ]  # fmt: skip
