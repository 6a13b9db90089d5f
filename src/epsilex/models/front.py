"""The front: the best model of each length, made from the programs of a search, tuned in float64 and tidied.

A front by description includes the lean forms of its formulas; a front by loss serves the rules that choose by loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilex.data.noise import Noise, possible
from epsilex.data.rows import Rows
from epsilex.data.shadow import UNTAMED, limits
from epsilex.forms.outline import Outline
from epsilex.models.choice.description import describe
from epsilex.models.choice.language import Language
from epsilex.models.formed import FormLanguage, program_of
from epsilex.models.lean import Bench, Form
from epsilex.models.model import Model, model
from epsilex.models.naming import named
from epsilex.programs.algebra import simplify
from epsilex.programs.costs import Costs
from epsilex.programs.fold import Node
from epsilex.programs.intervals import Interval
from epsilex.programs.numeric import evaluate64
from epsilex.programs.operators import COMMON
from epsilex.programs.poles import finiteness
from epsilex.programs.structure import Structure
from epsilex.shapes.knowledge import Shapes

if TYPE_CHECKING:
    import pandas as pd

SAME = 1e-9  # relative loss difference that only reflects when tuning stopped
CHECKED = 500  # rows on which a rewritten program is compared
SOME = 5000  # rows on which forms are tried; all rows decide between the best of them
BOXES = 24  # into which the data's box is cut to prove a model of the front finite


@dataclass(frozen=True, slots=True)
class Scorer:
    """Turns programs into models, with metrics on the training rows and on the validation rows, if any.

    box        of the training rows; a feature that is not among their columns (a fed-back output) can be anything
    limits     range of a tame model's values
    noises     kinds of noise that the target may have
    allowed    which formulas may become models; None: all
    shown      programs rewritten so far
    printed    whether programs are rewritten to the form that is printed
    constants  the user's constants by name; None if no constant is to be named
    shapes     what is known of values and slopes; None: nothing
    form       the form of the law, which programs fill; None: programs are formulas
    costs      operators that cost several times in the description
    hurried    whether the answer is wanted at once, so that fewer forms are tried
    language   how programs are read
    some       training rows to try things on: all of them, or SOME if there are more
    some_noises  the `noises` on these
    """

    names: Sequence[str]
    loss: Callable
    train: Rows
    validation: Rows | None = None
    shadow: np.ndarray | None = None
    values: Callable = evaluate64
    noise: str = "auto"
    operators: tuple[str, ...] = COMMON
    allowed: Callable[[Sequence[Node]], bool] | None = None
    printed: bool = False
    constants: dict[str, float] | None = field(default_factory=dict)
    shapes: Shapes | None = None
    form: Outline | None = None
    costs: Costs = ()
    hurried: bool = False
    language: Language = field(init=False, repr=False)
    box: list[Interval] = field(init=False, repr=False)
    limits: tuple[float, float] = field(init=False, repr=False)
    noises: list[Noise] = field(init=False, repr=False)
    some: Rows = field(init=False, repr=False)
    some_noises: list[Noise] = field(init=False, repr=False)
    shown: dict[tuple[Node, ...], list[Node]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self):
        low, high = self.train.X.min(axis=0), self.train.X.max(axis=0)
        largest = float(np.finfo(np.float64).max)
        known = [Interval(float(lo), float(hi)) for lo, hi in zip(low, high, strict=True)]
        object.__setattr__(self, "box", known + [Interval(-largest, largest)] * (len(self.names) - len(known)))
        object.__setattr__(self, "limits", limits(self.train.y))
        object.__setattr__(self, "noises", possible(self.noise, self.train))
        object.__setattr__(self, "some", self.train if self.feeds_back else self.train.some(SOME))
        own = self.noises if self.some is self.train else [Noise.of(noise.kind, self.some) for noise in self.noises]
        object.__setattr__(self, "some_noises", own)
        language = Language(self.operators, len(self.names), self.costs)
        if self.form is not None:
            language = FormLanguage.of(language, self.form, self.train.X)
        object.__setattr__(self, "language", language)

    @property
    def bench(self) -> Bench:
        return Bench(self.some.X, self.some_noises, self.language, self.allowed)

    @property
    def feeds_back(self) -> bool:
        """Whether models see their own outputs, which have no known derivatives."""
        return len(self.names) > self.train.X.shape[1]

    def __call__(self, nodes: Sequence[Node], printed: bool = True) -> Model | None:
        """None if a value is not finite on some training row, or the formula is not allowed."""
        if self.allowed is not None and not self.allowed(nodes):
            return None
        if self.printed and printed:
            shown = self.as_printed(nodes)
            nodes = shown if self.allowed is None or self.allowed(shown) else nodes
        out = self.values(nodes, self.train.X)
        if not np.isfinite(out).all():
            return None
        metrics: dict[str, Any] = {"loss": self._loss(out, self.train), **_errors(out, self.train, "")}
        if not np.isfinite(metrics["loss"]):
            return None
        if self.validation is not None:
            out = self.values(nodes, self.validation.X)
            metrics |= {
                "validation_loss": self._loss(out, self.validation),
                **_errors(out, self.validation, "validation_"),
            }
        formula = self.language.formula(nodes)
        if self.shapes is not None:
            shape = self.shapes.verdict(formula)
            if shape is None:
                return None
            metrics["shape"] = shape
        metrics["tame"] = self.shadow is None or self._tame(nodes)
        seen = "unknown" if self.feeds_back else finiteness(formula, self.box, self.train.X, BOXES)
        metrics["proven"], metrics["pole"] = seen == "finite", seen == "pole" and self.shadow is not None
        found = None if self.feeds_back else describe(nodes, self.train.X, self.noises, self.language)
        if found is not None:
            metrics |= {"description": found.total, "residuals": found.residuals}
        m = replace(model(formula, self.names, **metrics), named=self.constants)
        if isinstance(self.language, FormLanguage):
            inside, labels = self.language.inside(nodes)
            m = replace(m, form=inside, labels=labels)
        return m

    def as_printed(self, nodes: Sequence[Node]) -> list[Node]:
        """The program in its shortest form, with constants that have a name."""
        key = tuple(nodes)
        if key not in self.shown:
            self.shown[key] = self._rewritten(nodes)
        return self.shown[key]

    def _rewritten(self, nodes: Sequence[Node]) -> list[Node]:
        nodes = self.language.shortest(nodes, self.box, self._rows())
        found = None if self.feeds_back else describe(nodes, self.some.X, self.some_noises, self.language)
        if found is None or self.constants is None:
            return nodes
        return named(nodes, self.some.X, found.noise, self.constants, self.box, self.language)

    def _rows(self) -> np.ndarray:
        """Rows on which a rewritten program must have the same values; outputs fed back are like the target."""
        X, y = self.train.X[:CHECKED], self.train.y[:CHECKED]
        back = [np.roll(y, k) for k in range(len(self.names) - X.shape[1])]
        return np.column_stack([X, *back])

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


def of_form(score: Scorer, outline: Outline, structure: Structure | None = None) -> Scorer:
    """A scorer of programs that fill a form, in the user's units; limits of structure hold for each function."""
    language = FormLanguage.of(score.language, outline, score.train.X)

    def allowed(nodes: Sequence[Node]) -> bool:
        if not language.allows(nodes, structure):
            return False
        return score.shapes is None or score.shapes.allows(language.formula(nodes))

    return replace(score, form=language.outline, values=language.values, allowed=allowed)


def front_by_loss(programs: Sequence[Sequence[Node]], score: Scorer, polished: bool = True) -> list[Model]:
    """Models by ascending length, each of better standing on the training rows than every shorter one.

    Programs are simplified, their constants polished in float64, negligible terms dropped and factors gathered. Models
    that are not finite on every row are left out.
    """
    best: dict[int, Model] = {}
    bench = score.bench
    for program in programs:
        plain = score.language.each(program, simplify)
        variants = [plain]
        if polished:
            variants = [bench.tidy(plain), *(bench.tuned(plain, noise) for noise in score.some_noises[:1])]
        for variant in variants:
            m = score(variant, printed=False)
            if m is not None and (m.length not in best or standing(m) < standing(best[m.length])):
                best[m.length] = m
    front = _improving(best.values(), standing, score.rounding)
    if score.printed:
        shown = [m for m in (score(program_of(m)) for m in front) if m is not None]
        front = _improving(shown, standing, score.rounding)
    return front


def _improving(models: Iterable[Model], worth: Callable[[Model], float], rounding: float = -np.inf) -> list[Model]:
    """Models by ascending length, the best of each, and each better than every shorter one; less is better."""
    front: list[Model] = []
    for m in sorted(models, key=lambda m: (m.length, worth(m))):
        if not front or max(worth(m), rounding) < worth(front[-1]) - SAME * abs(worth(front[-1])):
            front.append(m)
    return front


def standing(m: Model) -> float:
    """The loss by which models compete for a place on the front; untamed models count as less accurate."""
    return m.metrics["loss"] * (1.0 if m.metrics["tame"] else UNTAMED)


def front_by_description(forms: Sequence[Form], score: Scorer, max_length: int) -> list[Model]:
    """Models by ascending length: per length the shortest description, with smaller residuals than every shorter
    model."""
    best: dict[int, Form] = {}
    for form in forms:
        best.setdefault(len(form.nodes), form)
    models: list[Model] = []
    least = np.inf
    for length in sorted(best):
        residuals = best[length].description.residuals
        if length > max_length or (models and not residuals < least - 1e-6):
            continue
        m = score(best[length].nodes)
        if m is not None:
            models.append(m)
            least = residuals
    return _by_printed_length(models)


def _by_printed_length(models: Sequence[Model]) -> list[Model]:
    """The front by the length of what is printed: one model of each length, that of the shortest description."""
    best: dict[int, Model] = {}
    for m in models:
        other = best.get(m.length)
        if other is None or m.metrics["description"] < other.metrics["description"]:
            best[m.length] = m
    front: list[Model] = []
    for length in sorted(best):
        if not front or best[length].metrics["residuals"] < front[-1].metrics["residuals"] - 1e-6:
            front.append(best[length])
    return front


def placed(front: list[Model], m: Model) -> tuple[list[Model], int]:
    """The front with a model put at its length, and the index of that model."""
    others = [other for other in front if other.length != m.length]
    place = sum(other.length < m.length for other in others)
    return [*others[:place], m, *others[place:]], place


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
