"""The front: the best model of each length, made from the programs of a search, tuned in float64 and tidied.

A front by description includes the lean forms of its formulas; a front by loss serves the rules that choose by loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from epsilex.data.rows import Rows
from epsilex.data.scales import Scales, unscaled
from epsilex.data.shadow import UNTAMED, limits
from epsilex.models.choice.description import Language, describe
from epsilex.models.choice.noise import Noise, possible
from epsilex.models.lean import Bench, Form
from epsilex.models.model import Model, model
from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import COMMON
from epsilex.programs.poles import finiteness
from epsilex.programs.simplify import simplify

if TYPE_CHECKING:
    import pandas as pd

SAME = 1e-9  # relative loss difference that only reflects when tuning stopped
LOOKED_AT, TUNED, LEANED = 60, 30, 8  # numbers of most promising programs that are described, tuned and made lean
BOXES = 24  # into which the data's box is cut to prove a model of the front finite


@dataclass(frozen=True, slots=True)
class Scorer:
    """Turns programs into models, with metrics on the training rows and on the validation rows, if any.

    box        of the training rows; a feature that is not among their columns (a fed-back output) can be anything
    limits     range of a tame model's values
    noises     kinds of noise that the target may have
    """

    names: Sequence[str]
    loss: Callable
    train: Rows
    validation: Rows | None = None
    shadow: np.ndarray | None = None
    values: Callable = evaluate64
    noise: str = "auto"
    operators: tuple[str, ...] = COMMON
    box: list[Interval] = field(init=False, repr=False)
    limits: tuple[float, float] = field(init=False, repr=False)
    noises: list[Noise] = field(init=False, repr=False)

    def __post_init__(self):
        low, high = self.train.X.min(axis=0), self.train.X.max(axis=0)
        largest = float(np.finfo(np.float64).max)
        known = [Interval(float(lo), float(hi)) for lo, hi in zip(low, high, strict=True)]
        object.__setattr__(self, "box", known + [Interval(-largest, largest)] * (len(self.names) - len(known)))
        object.__setattr__(self, "limits", limits(self.train.y))
        object.__setattr__(self, "noises", possible(self.noise, self.train))

    @property
    def language(self) -> Language:
        return Language(self.operators, len(self.names))

    @property
    def feeds_back(self) -> bool:
        """Whether models see their own outputs, which have no known derivatives."""
        return len(self.names) > self.train.X.shape[1]

    def __call__(self, nodes: Sequence[Node]) -> Model | None:
        """None if a value is not finite on some training row."""
        out = self.values(nodes, self.train.X)
        if not np.isfinite(out).all():
            return None
        metrics = {"loss": self._loss(out, self.train), **_errors(out, self.train, "")}
        if not np.isfinite(metrics["loss"]):
            return None
        if self.validation is not None:
            out = self.values(nodes, self.validation.X)
            metrics |= {
                "validation_loss": self._loss(out, self.validation),
                **_errors(out, self.validation, "validation_"),
            }
        metrics["tame"] = self.shadow is None or self._tame(nodes)
        seen = "unknown" if self.feeds_back else finiteness(nodes, self.box, self.train.X, BOXES)
        metrics["proven"], metrics["pole"] = seen == "finite", seen == "pole" and self.shadow is not None
        found = None if self.feeds_back else describe(nodes, self.train.X, self.noises, self.language)
        if found is not None:
            metrics |= {"description": found.total, "residuals": found.residuals}
        return model(nodes, self.names, **metrics)

    def _tame(self, nodes: Sequence[Node]) -> bool:
        """Whether the program is defined and within the limits on the shadow rows."""
        low, high = self.limits
        out = self.values(nodes, self.shadow)
        return bool(((out >= low) & (out <= high)).all())

    @property
    def rounding(self) -> float:
        """The loss of predictions that are right except for their last digits; a lower loss is no better."""
        return self._loss(self.train.y * (1.0 + 1e-12), self.train)

    def _loss(self, out: np.ndarray, rows: Rows) -> float:
        with np.errstate(all="ignore"):
            value = float(np.average(self.loss(rows.y, out), weights=rows.weight))
        return value if np.isfinite(value) else np.inf


def front_by_loss(programs: Sequence[Sequence[Node]], score: Scorer, polished: bool = True) -> list[Model]:
    """Models by ascending length, each of better standing on the training rows than every shorter one.

    Programs are simplified, their constants polished in float64, negligible terms dropped and factors gathered. Models
    that are not finite on every row are left out.
    """
    best: dict[int, Model] = {}
    bench = Bench(score.train.X, score.noises, score.language)
    for program in programs:
        plain = simplify(program)
        variants = [plain]
        if polished:
            variants = [bench.tidy(plain), *(bench.tuned(plain, noise) for noise in score.noises[:1])]
        for m in map(score, variants):
            if m is not None and (m.length not in best or standing(m) < standing(best[m.length])):
                best[m.length] = m
    front: list[Model] = []
    for length in sorted(best):
        if not front or max(standing(best[length]), score.rounding) < (1.0 - SAME) * standing(front[-1]):
            front.append(best[length])
    return front


def standing(m: Model) -> float:
    """The loss by which models compete for a place on the front; untamed models count as less accurate."""
    return m.metrics["loss"] * (1.0 if m.metrics["tame"] else UNTAMED)


def forms_of(programs: Iterable[Sequence[Node]], score: Scorer) -> list[Form]:
    """The programs and their lean forms, described, the shortest description first."""
    bench = Bench(score.train.X, score.noises, score.language)
    plain = [bench.described(simplify(program)) for program in _promising(programs, score)]
    pool = _pool(form for form in plain if form is not None)
    tuned = _pool(f for form in pool[:TUNED] for f in [bench.best(bench.tidy(form.nodes))] if f is not None)
    lean = [f for form in tuned[:LEANED] for f in bench.descend(form)]
    final = [f for form in _pool(lean)[:LEANED] for f in [bench.best(form.nodes)] if f is not None]
    return _pool([*pool, *tuned, *lean, *final])


def _promising(programs: Iterable[Sequence[Node]], score: Scorer) -> list[Sequence[Node]]:
    """The programs with the shortest residuals and structure, constants not counted, and the best of each length."""
    found: list[tuple[float, int, Sequence[Node]]] = []
    for program in programs:
        out = score.values(program, score.train.X)
        nats = min(noise.nats(noise.residuals(out)) for noise in score.noises)
        if np.isfinite(nats):
            found.append((nats + score.language.structure(program), len(program), program))
    found.sort(key=lambda item: item[:2])
    first = {length: k for k, (_, length, _) in reversed(list(enumerate(found)))}
    kept = sorted({*range(min(LOOKED_AT, len(found))), *first.values()})
    return [found[k][2] for k in kept]


def _pool(forms: Iterable[Form]) -> list[Form]:
    """Forms by description, the best of each shape."""
    best: dict[tuple, Form] = {}
    for form in sorted(forms, key=lambda form: form.total):
        simple = tuple((code, feature, value == 1.0 or value == -1.0) for code, feature, value in form.nodes)
        best.setdefault(simple, form)
    return list(best.values())


def front_by_description(forms: Sequence[Form], score: Scorer, max_length: int) -> list[Model]:
    """Models by ascending length: per length the shortest description, with smaller residuals than every shorter
    model."""
    best: dict[int, Form] = {}
    for form in forms:
        best.setdefault(len(form.nodes), form)
    front: list[Model] = []
    least = np.inf
    for length in sorted(best):
        residuals = best[length].description.residuals
        if length > max_length or (front and not residuals < least - 1e-6):
            continue
        m = score(best[length].nodes)
        if m is not None:
            front.append(m)
            least = residuals
    return front


def placed(front: list[Model], m: Model) -> tuple[list[Model], int]:
    """The front with a model put at its length, and the index of that model."""
    others = [other for other in front if other.length != m.length]
    place = sum(other.length < m.length for other in others)
    return [*others[:place], m, *others[place:]], place


def in_user_units(m: Model, units: Scales, power: int) -> Model:
    """A model of scaled data in the user's units; the loss scales with this power of the target's unit."""
    scale = np.float64(units.y_scale)
    metrics = dict(m.metrics)
    with np.errstate(over="ignore", under="ignore"):
        for name, factor in (("mae", scale), ("mse", scale**2), ("loss", scale**power)):
            for key in {name, f"validation_{name}"} & metrics.keys():
                metrics[key] = float(metrics[key] * factor) if metrics[key] else 0.0
    nodes = model(simplify(unscaled(m.nodes, units, 1.0, 0.0)), m.feature_names).nodes
    return replace(m, nodes=nodes, metrics=metrics, uncertainty=None)


def _errors(out: np.ndarray, rows: Rows, prefix: str) -> dict[str, float]:
    out = np.where(np.isfinite(out), out, np.inf)
    mse = float(np.average((rows.y - out) ** 2, weights=rows.weight))
    middle = np.average(rows.y, weights=rows.weight)
    variance = float(np.average((rows.y - middle) ** 2, weights=rows.weight))
    mae = float(np.average(np.abs(rows.y - out), weights=rows.weight))
    r2 = 1.0 - mse / variance if variance > 0 else float(mse == 0.0)
    return {f"{prefix}mae": mae, f"{prefix}mse": mse, f"{prefix}r2": r2}


def front_frame(front: Sequence[Model], chosen: int | None = None) -> pd.DataFrame:
    """The front as a table, one row per model."""
    import pandas as pd

    rows = [{"length": m.length, **m.metrics, "formula": m.formula} for m in front]
    frame = pd.DataFrame(rows)
    if chosen is not None:
        frame["chosen"] = np.arange(len(front)) == chosen
    return frame
