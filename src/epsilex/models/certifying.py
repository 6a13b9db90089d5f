"""Which forms have the known shapes, of the best few of each length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from epsilex.models.front import Scorer
from epsilex.models.lean import Form
from epsilex.programs.fold import Node

CERTIFIED = 4  # forms of each length whose shape is checked on many points


class HasNodes(Protocol):
    @property
    def nodes(self) -> Sequence[Node]: ...


F = TypeVar("F", bound=HasNodes)


def shaped(forms: Sequence[Form], score: Scorer) -> list[Form]:
    """The forms that have the known shapes on many points."""
    shapes = score.shapes
    if shapes is None:
        return list(forms)
    return certified(forms, lambda form: shapes.thorough(score.language.formula(form.nodes)))


def certified(forms: Sequence[F], holds: Callable[[F], bool]) -> list[F]:
    """The forms for which a check holds."""
    kept: list[F] = []
    seen: Counter[int] = Counter()
    for form in forms:
        seen[len(form.nodes)] += 1
        if seen[len(form.nodes)] <= CERTIFIED and holds(form):
            kept.append(form)
    return kept
