"""From the programs of a search to its answer: the front, the chosen model, and the reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from epsilex.data.rows import Rows
from epsilex.models.choice.accuracy import by_accuracy
from epsilex.models.choice.choosing import Decision, by_description
from epsilex.models.choice.description import is_number
from epsilex.models.choice.noise import Noise
from epsilex.models.choice.validation import by_validation
from epsilex.models.choice.words import Choice, told
from epsilex.models.front import Scorer, forms_of, front_by_description, front_by_loss, front_frame, placed
from epsilex.models.lean import Bench, Form
from epsilex.models.model import Model
from epsilex.models.uncertainty import estimate
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places
from epsilex.programs.operators import CONSTANT
from epsilex.programs.simplify import simplify


@dataclass(frozen=True, slots=True)
class Answer:
    """The front, the chosen model, and the reason."""

    models: list[Model]
    chosen: int
    choice: Choice


def answer(
    front: Sequence[Sequence[Node]], others: Sequence[Sequence[Node]], score: Scorer, rule: str | Callable,
    polished: bool, max_length: int,
) -> Answer:  # fmt: skip
    """The answer from the best program of each length and the others in the archive."""
    described = rule == "description" and not score.feeds_back
    if described and polished:
        forms = forms_of([*front, *others], score)
        models = front_by_description(forms, score, max_length)
    else:
        models = front_by_loss(front, score, polished)
        models = [m for m in models if m.length <= max_length] or models
        forms = _forms(models, score) if described else []
    if not models:
        return _mean(score)
    if forms and described:
        return _by_description(by_description(forms, score, max_length), models, score)
    chosen, text = _by_rule(models, rule, score)
    return Answer(models, chosen, Choice(text, noise=score.noises[0].kind))


def _forms(models: Sequence[Model], score: Scorer) -> list[Form]:
    bench = Bench(score.train.X, score.noises, score.language)
    found = [bench.described(m.nodes) for m in models]
    return sorted((form for form in found if form is not None), key=lambda form: form.total)


def _by_description(decision: Decision, models: list[Model], score: Scorer) -> Answer:
    nodes = decision.form.nodes if decision.form is not None else simplify(decision.reference.nodes)  # type: ignore
    if is_number(nodes):  # no feature matters, so the mean is the best prediction
        nodes = [(CONSTANT, 0, float(np.average(score.train.y, weights=score.train.weight)))]
    m = score(nodes)
    if m is None:
        return _mean(score)
    noise = decision.form.description.noise if decision.form is not None else score.noises[0]
    models, chosen = placed(models, replace(m, metrics=m.metrics | {"pole": decision.pole}))
    models = [with_uncertainty(m, score.train, score.noises, noise.kind) for m in models]
    closest = None if decision.closest is None else score(decision.closest.nodes)
    if closest is not None:
        closest = with_uncertainty(closest, score.train, score.noises, noise.kind)
    scatter = _scatter(m.nodes, score, noise)
    return Answer(models, chosen, told(decision, models, chosen, closest, scatter, len(score.train.y)))


def _by_rule(models: list[Model], rule: str | Callable, score: Scorer) -> tuple[int, str]:
    if callable(rule):
        index = int(rule(front_frame(models)))
        if not 0 <= index < len(models):
            raise ValueError(f"choose: expected an index from 0 to {len(models) - 1}; got {index}")
        return index, "It was chosen by the function given."
    if rule == "accuracy":
        return by_accuracy(models), "It has the least loss on the training rows."
    if rule == "validation" and "validation_loss" in models[0].metrics:
        return by_validation(models), "It has the least loss on the rows held back for validation."
    return _plain(models, score), "It is the shortest description of the data."


def _plain(models: Sequence[Model], score: Scorer) -> int:
    """By description without derivatives: each constant costs half the logarithm of the number of rows."""
    n = len(score.train.y)
    totals = []
    for m in models:
        floor = 1e-24 * float(score.train.y.var()) or 1e-300
        constants = 0.5 * math.log(n) * len(constant_places(m.nodes))
        totals.append(0.5 * n * math.log(max(m.metrics["mse"], floor)) + constants + score.language.structure(m.nodes))
    return int(np.argmin(totals))


def _mean(score: Scorer) -> Answer:
    """The target's mean, if no formula is usable."""
    import warnings

    warnings.warn("no formula was finite on all rows; the model is the target's mean", stacklevel=4)
    middle = float(np.average(score.train.y, weights=score.train.weight))
    models = front_by_loss([[(CONSTANT, 0, middle)]], score, polished=False)
    return Answer(models, 0, Choice("No formula was finite on all rows: the answer is the target's mean."))


def _scatter(nodes: Sequence[Node], score: Scorer, noise: Noise) -> tuple[str, float]:
    """The kind of noise, and its size around a program."""
    residuals = noise.residuals(score.values(nodes, score.train.X))
    return noise.kind, float(np.sqrt(noise.variance(residuals))) if np.isfinite(residuals).all() else math.nan


def with_uncertainty(m: Model, train: Rows, noises: Sequence[Noise], kind: str) -> Model:
    """The model with the uncertainty of its constants from the rows, under this kind of noise."""
    noise = next((noise for noise in noises if noise.kind == kind), noises[0])
    return replace(m, uncertainty=estimate(m.nodes, train.X, noise))
