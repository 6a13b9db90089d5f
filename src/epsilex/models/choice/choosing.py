"""The choice by description: the shortest description of the data, with a penalty for a pole in its range; on few rows
it must also beat the linear reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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
SAME = 1e-3  # nats by which the residuals of two forms of one function may differ
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
    n = len(score.train.y)
    penalty = 0.5 * n * math.log(UNSEEN)
    fitting = [form for form in forms if len(form.nodes) <= max_length] or list(forms)
    pole = {
        form: finiteness(score.language.formula(form.nodes), score.box, score.train.X, BOXES) == "pole"
        for form in fitting[:LOOKED_AT]
    }
    total = {form: form.total + (penalty if pole[form] else 0.0) for form in pole}
    order = sorted(total, key=total.__getitem__)
    # A sum of all columns has no consistent dimension, and a rule that allows few formulas leaves little to chance.
    over = reference(score.train, max_length) if score.allowed is None else None
    if over is None:
        return _decided(order, total, pole, None, math.inf, 0)
    gains = [
        gain(form.nodes, over, score.train, score.noises, score.language, form.description.noise)
        for form in order[:TRIED]
    ]
    for place, nats in enumerate(gains):
        if is_number(order[place].nodes):
            break  # it describes the data in fewer nats than all that follow
        if nats > 0.0:
            return _decided(order, total, pole, over, nats, place)
    nearest = max(range(len(gains)), key=gains.__getitem__)
    return Decision(simplify(over.nodes), None, False, over, gains[nearest], order[nearest], _odds(-gains[nearest]))


def _decided(order: list[Form], total: dict, pole: dict, over: Reference | None, nats: float, place: int) -> Decision:
    form = order[place]
    mine = form.description.residuals  # another form of the same function leaves the same residuals
    others = [other for other in order if abs(other.description.residuals - mine) > SAME]
    closest = min(others, key=total.__getitem__) if others else None
    odds = math.inf if closest is None else _odds(total[closest] - total[form])
    return Decision(form.nodes, form, pole[form], over, nats, closest, odds)


def _odds(nats: float) -> float:
    return math.exp(min(nats, 700.0))
