"""The rule by description, from the programs of a search to the front, the chosen model, and the words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from epsilex.data.noise import Noise
from epsilex.models.candidates import as_printed, forms_of, raced
from epsilex.models.certifying import shaped
from epsilex.models.choice.choosing import Decision, by_description
from epsilex.models.choice.description import is_number
from epsilex.models.choice.rule import Answer, Kept, front_of
from epsilex.models.choice.words import Choice, told
from epsilex.models.formed import program_of
from epsilex.models.front import Scorer, front_by_description, placed
from epsilex.models.lean import Form
from epsilex.models.model import Model
from epsilex.models.uncertainty import with_uncertainty
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places
from epsilex.programs.operators import CONSTANT


def shortest(kept: Kept, score: Scorer) -> Answer | None:
    """The answer by description; without derivatives, as of models that see their own outputs, from the front by
    loss."""
    if score.feeds_back:
        return plainly(front_of(kept, score), score)
    if kept.polished:
        forms = raced(shaped(as_printed(forms_of([*kept.front, *kept.others], score), score), score), score)
        models = front_by_description(forms, score, kept.max_length)
        if not models:  # all are too long
            models = front_by_description(forms, score, max((len(form.nodes) for form in forms), default=0))
    else:
        models = front_of(kept, score)
        forms = raced(shaped(_forms(models, score), score), score)
    if not models or not forms:
        return plainly(models, score)
    return _answer(by_description(forms, score, kept.max_length), models, score)


def plainly(models: list[Model], score: Scorer) -> Answer | None:
    """The answer without derivatives: each constant costs half the logarithm of the number of rows."""
    if not models:
        return None
    n = len(score.train.y)
    totals = []
    for m in models:
        floor = 1e-24 * float(score.train.y.var()) or 1e-300
        program = program_of(m)
        constants = 0.5 * math.log(n) * len(constant_places(program))
        totals.append(0.5 * n * math.log(max(m.metrics["mse"], floor)) + constants + score.language.structure(program))
    choice = Choice("It is the shortest description of the data.", noise=score.noises[0].kind)
    return Answer(models, int(np.argmin(totals)), choice)


def _forms(models: Sequence[Model], score: Scorer) -> list[Form]:
    bench = score.bench
    found = [bench.described(program_of(m)) for m in models]
    return sorted((form for form in found if form is not None), key=lambda form: form.total)


def _answer(decision: Decision, models: list[Model], score: Scorer) -> Answer | None:
    nodes = decision.nodes
    if score.form is None and is_number(nodes):  # no feature matters, so the mean is the best prediction
        nodes = [(CONSTANT, 0, float(np.average(score.train.y, weights=score.train.weight)))]
    m = score(nodes)
    if m is None:
        return None
    noise = decision.form.description.noise if decision.form is not None else score.noises[0]
    models, chosen = placed(models, replace(m, metrics=m.metrics | {"pole": decision.pole}))
    models = [with_uncertainty(m, score.train, score.noises, noise.kind) for m in models]
    closest = None if decision.closest is None else score(decision.closest.nodes)
    if closest is not None:
        closest = with_uncertainty(closest, score.train, score.noises, noise.kind)
    scatter = _scatter(program_of(m), score, noise)
    return Answer(models, chosen, told(decision, models, chosen, closest, scatter, len(score.train.y)))


def _scatter(nodes: Sequence[Node], score: Scorer, noise: Noise) -> tuple[str, float]:
    """The kind of noise, and its size around a program."""
    residuals = noise.residuals(score.values(nodes, score.train.X))
    return noise.kind, float(np.sqrt(noise.variance(residuals))) if np.isfinite(residuals).all() else math.nan
