"""What a user knows besides the rows, and the task of a fit: rows and knowledge, in the units of the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from epsilex.data.losses import POWERS
from epsilex.data.prior import Prior, allowed_by, fixed_shift, for_population
from epsilex.data.probes import probes_of
from epsilex.data.rows import Rows
from epsilex.data.scales import Scales, scaled
from epsilex.dimensions.rule import Rule
from epsilex.evolution import Cases, Settings
from epsilex.forms.knowledge import scaled as scaled_outline
from epsilex.forms.outline import Outline
from epsilex.forms.tables import Tables
from epsilex.grouping import Grouping
from epsilex.programs.fold import Node
from epsilex.programs.structure import Structure
from epsilex.shapes.knowledge import Shapes


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Knowledge in the user's units; None for what is not known.

    rule       which formulas have consistent dimensions
    outline    the form whose functions are searched
    structure  limits of a formula's structure
    guesses    programs with their constants tuned
    shapes     constraints on the formula
    grouping   rows in groups, whose constants differ
    """

    rule: Rule | None
    outline: Outline | None
    structure: Structure | None
    guesses: list[list[Node]]
    shapes: Shapes | None
    grouping: Grouping | None

    @property
    def allowed(self) -> Callable[[Sequence[Node]], bool] | None:
        """Whether a formula may be on the front; None if all may. The shapes of groups are looked at one by one."""
        return allowed_by(self.rule, self.shapes if self.grouping is None else None, self.structure)

    def scaled(self, scales: Scales) -> Known:
        """The same of rows in other units; only guesses can follow."""
        for name, part in (("form", self.outline), ("constraints", self.shapes), ("settings", self.structure)):
            if part is not None:
                raise ValueError(f"{name}: expected numbers between 1e-100 and 1e100; the data has others")
        return replace(self, guesses=[scaled(nodes, scales) for nodes in self.guesses])

    def units(self, train: Rows, settings: Settings, usual: Scales) -> Scales:
        """Units of the search that leave what is known true: the usual ones if nothing speaks against them."""
        fixed = fixed_shift(self.rule, self.shapes)
        if self.outline is not None:
            return Scales.of_target(train.X, train.y, settings.loss in POWERS)
        if self.rule is not None or fixed is not None:
            return Scales.without_shifts(train.X, train.y, fixed)
        return usual

    def prior(self, train: Rows, settings: Settings, units: Scales) -> Prior:
        """The same in the units of the search."""
        probes = None if self.shapes is None else probes_of(self.shapes, train.X, units)
        begin = for_population(self.guesses, units, settings.scaling, settings.max_length)
        form = None
        if self.outline is not None:
            form = Tables(scaled_outline(self.outline, train.X, units.y_scale), self.outline)
        return Prior(begin, self.rule, probes, form, self.structure)


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What a fit has to do.

    train       the rows to fit, in the user's units, or in `modest` ones
    validation  rows held back for the choice
    known       what is known besides
    modest      units of numbers that are beyond the usual, from the user's
    units       units of the search, from those of `train`
    cases       the rows as the search sees them
    """

    train: Rows
    validation: Rows | None
    known: Known
    modest: Scales | None
    units: Scales
    cases: Cases

    @property
    def unit(self) -> float:
        """The search's unit of the target, in the user's."""
        return self.units.y_scale * (1.0 if self.modest is None else self.modest.y_scale)
