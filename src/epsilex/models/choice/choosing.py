"""The choice by description: the shortest description of the data, without a pole in its range, and on few rows only
where that convinces against the linear reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from epsilex.models.choice.linear import Reference, gain, reference
from epsilex.models.front import Scorer
from epsilex.models.lean import Form
from epsilex.programs.poles import finiteness

POLE = 10.0  # what the squared error of a formula with a pole in the data's range is multiplied by
LOOKED_AT = 12  # forms that are searched hard for a pole
TRIED = 5  # forms that may try to convince on few rows
SAME = 1e-3  # nats of the residuals by which two ways to write one function may differ
BOXES = 256  # into which the data's box is cut for that


@dataclass(frozen=True, slots=True)
class Decision:
    """What was chosen and why.

    form       chosen, None where the linear reference is
    pole       whether the chosen form has a pole in the data's range
    reference  that it was compared with, None where rows are many
    gain       in nats over the reference; of `closest` where the reference is chosen
    closest    the next by description, or the form that came closest to convincing
    odds       to one, over the closest
    """

    form: Form | None
    pole: bool = False
    reference: Reference | None = None
    gain: float = math.inf
    closest: Form | None = None
    odds: float = math.inf


def by_description(forms: Sequence[Form], score: Scorer, max_length: int) -> Decision:
    """The choice among forms, those of shortest description first."""
    n = len(score.train.y)
    penalty = 0.5 * n * math.log(POLE)
    fitting = [form for form in forms if len(form.nodes) <= max_length] or list(forms)
    pole = {form: finiteness(form.nodes, score.box, score.train.X, BOXES) == "pole" for form in fitting[:LOOKED_AT]}
    total = {form: form.total + (penalty if pole[form] else 0.0) for form in pole}
    order = sorted(total, key=total.__getitem__)
    over = reference(score.train, max_length)
    if over is None:
        return _decided(order, total, pole, None, math.inf, 0)
    gains = [gain(form.nodes, over, score.train, score.noises, score.language) for form in order[:TRIED]]
    for place, nats in enumerate(gains):
        if nats > 0.0:
            return _decided(order, total, pole, over, nats, place)
    nearest = max(range(len(gains)), key=gains.__getitem__)
    return Decision(None, False, over, gains[nearest], order[nearest], _odds(-gains[nearest]))


def _decided(order: list[Form], total: dict, pole: dict, over: Reference | None, nats: float, place: int) -> Decision:
    form = order[place]
    mine = form.description.residuals  # another way to write the same function leaves the same
    others = [other for other in order if abs(other.description.residuals - mine) > SAME]
    closest = min(others, key=total.__getitem__) if others else None
    odds = math.inf if closest is None else _odds(total[closest] - total[form])
    return Decision(form, pole[form], over, nats, closest, odds)


def _odds(nats: float) -> float:
    return math.exp(min(nats, 700.0))
