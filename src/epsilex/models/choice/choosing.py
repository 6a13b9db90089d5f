"""The choice by description: the shortest description of the data, with a penalty for a pole in its range; on few rows
it must also beat the linear reference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from epsilex.models.choice.claims import UNSEEN
from epsilex.models.choice.description import is_number
from epsilex.models.choice.linear import Reference, gain, reference
from epsilex.models.front import Scorer
from epsilex.models.lean import Form
from epsilex.programs.algebra.simplify import simplify
from epsilex.programs.fold import Node
from epsilex.programs.poles import finiteness

LOOKED_AT = 12  # forms that are searched thoroughly for a pole
TRIED = 5  # forms compared with the reference on few rows
BOXES = 256  # into which the data's box is cut in the search for a pole


@dataclass(frozen=True, slots=True)
class Decision:
    """What was chosen and why.

    nodes      the chosen program
    form       the chosen form; None if the linear reference is chosen
    pole       whether the chosen form has a pole in the data's range
    reference  the linear model it was compared with; None if there are many rows
    gain       in nats over the reference; that of `closest` if the reference is chosen
    closest    the next by description, or the form that came closest to beating the reference
    odds       to one, against the closest
    """

    nodes: Sequence[Node]
    form: Form | None
    pole: bool = False
    reference: Reference | None = None
    gain: float = math.inf
    closest: Form | None = None
    odds: float = math.inf


def by_description(forms: Sequence[Form], score: Scorer, max_length: int) -> Decision:
    """The choice among forms, which are sorted by description, the shortest first."""
    fitting = [form for form in forms if len(form.nodes) <= max_length] or list(forms)
    ranking = _Ranking(fitting[:LOOKED_AT], score)
    # A sum of all columns has no consistent dimension, and a rule that allows few formulas leaves little to chance.
    over = reference(score.train, max_length) if score.allowed is None else None
    if over is None:
        return _decided(ranking, None, math.inf, 0)
    gains: list[float] = []
    for place, ranked in enumerate(ranking.first(TRIED)):
        form = ranked.form
        gains.append(gain(form.nodes, over, score.train, score.noises, score.language, form.description.noise))
        if is_number(form.nodes):
            break  # it describes the data in fewer nats than all that follow
        if gains[-1] > 0.0:
            return _decided(ranking, over, gains[-1], place)
    nearest = max(range(len(gains)), key=gains.__getitem__)
    closest = ranking[nearest].form
    return Decision(simplify(over.nodes), None, False, over, gains[nearest], closest, _odds(-gains[nearest]))


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A form, its description with the penalty for a pole, and whether it has one."""

    form: Form
    total: float
    pole: bool


class _Ranking:
    """Forms by description and penalty. The search for poles is slow, so it is made only as far as someone asks."""

    def __init__(self, forms: Sequence[Form], score: Scorer):
        self.found: list[_Ranked] = []
        self._rest = self._ranked(forms, score)

    def __getitem__(self, place: int) -> _Ranked:
        while len(self.found) <= place:
            self.found.append(next(self._rest))
        return self.found[place]

    def first(self, n: int) -> Iterator[_Ranked]:
        for place in range(n):
            try:
                yield self[place]
            except StopIteration:
                return

    @staticmethod
    def _ranked(forms: Sequence[Form], score: Scorer) -> Iterator[_Ranked]:
        penalty = 0.5 * len(score.train.y) * math.log(UNSEEN)
        waiting: list[tuple[float, int, bool]] = [(form.total, k, False) for k, form in enumerate(forms)]
        heapify(waiting)
        while waiting:
            total, k, pole = heappop(waiting)
            formula = score.language.formula(forms[k].nodes)
            if not pole and finiteness(formula, score.box, score.train.X, BOXES) == "pole":
                heappush(waiting, (total + penalty, k, True))
            else:
                yield _Ranked(forms[k], total, pole)


def _decided(ranking: _Ranking, over: Reference | None, nats: float, place: int) -> Decision:
    chosen = ranking[place]
    mine = chosen.form.description
    others = (other for other in ranking.first(LOOKED_AT) if not mine.is_alike(other.form.description))
    closest = next(others, None)
    odds = math.inf if closest is None else _odds(closest.total - chosen.total)
    return Decision(
        chosen.form.nodes, chosen.form, chosen.pole, over, nats, None if closest is None else closest.form, odds
    )


def _odds(nats: float) -> float:
    return math.exp(min(nats, 700.0))
