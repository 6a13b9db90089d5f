"""What is known of a law before the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from epsilex.data.probes import Probes
from epsilex.data.scales import Scales, scaled
from epsilex.dimensions.rule import Rule
from epsilex.forms.tables import Tables
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node
from epsilex.programs.structure import Structure
from epsilex.shapes.knowledge import Shapes


@dataclass(frozen=True, slots=True)
class Prior:
    """Knowledge that a search uses.

    guesses  programs for the first population, in the units of the search
    rule     which formulas have consistent dimensions
    probes   rows that show whether a program has the known shapes
    form     the form of the law, in the units of the search; programs fill it
    structure  limits of a formula's structure
    """

    guesses: tuple[tuple[Node, ...], ...] = ()
    rule: Rule | None = None
    probes: Probes | None = None
    form: Tables | None = None
    structure: Structure | None = None

    @property
    def allows(self) -> Callable[[Sequence[Node]], bool] | None:
        """Whether a program may be planted; None if all may."""
        return allowed_by(self.rule, self.structure)

    @property
    def through_zero(self) -> bool:
        """Whether linear scaling has no offset."""
        by_rule = self.rule is not None and self.rule.through_zero
        return by_rule or (self.probes is not None and self.probes.through_zero)

    @property
    def text(self) -> str:
        """A text that differs if the knowledge does; empty if nothing is known."""
        known = [repr(self.guesses) if self.guesses else "", repr(self.rule) if self.rule else ""]
        known += [self.probes.text if self.probes else "", repr(self.structure) if self.structure else ""]
        return "".join([*known, repr(self.form.outline) if self.form else ""])


NOTHING = Prior()


def allowed_by(*parts: Rule | Shapes | Structure | None) -> Callable[[Sequence[Node]], bool] | None:
    """Whether all parts allow a formula; None if there are none."""
    known = [part for part in parts if part is not None]
    return (lambda nodes: all(part.allows(nodes) for part in known)) if known else None


def fixed_shift(rule: Rule | None, shapes: Shapes | None) -> float | None:
    """The value that linear scaling must pass through, if what is known fixes one."""
    if shapes is not None and shapes.fixed is not None:
        if rule is not None and rule.through_zero and shapes.fixed != 0.0:
            raise ValueError(
                f"constraints: expected f = 0 for a target with a unit and pure numbers; got {shapes.fixed:g}"
            )
        return shapes.fixed
    return 0.0 if rule is not None and rule.through_zero else None


def for_population(guesses: Sequence[Sequence[Node]], units: Scales, scaling: bool, max_length: int) -> tuple:
    """Programs in the units of the search, without those that shifted features make too long; linear scaling supplies
    factor and offset."""
    found = (simplify(scaled(nodes, units, target=not scaling)) for nodes in guesses)
    return tuple(tuple(nodes) for nodes in found if len(nodes) <= max_length)
