"""The front: the best model of each length, scored, and the rules that choose one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from epsilex.data.scales import Scales, unscaled
from epsilex.data.shadow import UNTAMED, limits
from epsilex.models.gathering import gather
from epsilex.models.model import Model, model
from epsilex.models.polish import polish
from epsilex.models.pruning import prune, without_last_number
from epsilex.models.reference import convinces, reference
from epsilex.models.rows import Rows
from epsilex.programs.fold import Node
from epsilex.programs.gradient import constant_places
from epsilex.programs.intervals import Interval, enclose
from epsilex.programs.numeric import evaluate64
from epsilex.programs.simplify import simplify

if TYPE_CHECKING:
    import pandas as pd

PRUNING_ROWS = 2000  # enough to see whether a term matters
UNDEFINED = 10.0  # as UNTAMED, where a model is undefined here and there within the range of the data
EXPECTED = 10.0  # training rows on which a model should have been undefined, if rows were like shadow rows
LEANER = 3  # models are tried without an offset and a factor
ODDS = 1e5  # to one, as description lengths tell them, by which a longer model must be better: so many are tried
SAME = 1e-9  # share of the loss by which models differ that tuning of constants ended a little sooner or later
TRIED = 5  # models may try to convince on few rows; among many one would by chance
CHOICES = ("description", "validation", "accuracy")


@dataclass(frozen=True, slots=True)
class Scorer:
    """Makes models of programs, with their metrics on the training rows and, if there are any, the validation rows.

    low, high  of each column of the training rows
    box        of the training rows; a feature that is not among their columns (a fed-back output) can be anything
    limits     that a tame model's values keep to
    """

    names: Sequence[str]
    loss: Callable
    train: Rows
    validation: Rows | None = None
    shadow: np.ndarray | None = None
    values: Callable = evaluate64
    low: np.ndarray = field(init=False, repr=False)
    high: np.ndarray = field(init=False, repr=False)
    box: list[Interval] = field(init=False, repr=False)
    limits: tuple[float, float] = field(init=False, repr=False)

    def __post_init__(self):
        low, high = self.train.X.min(axis=0), self.train.X.max(axis=0)
        largest = float(np.finfo(np.float64).max)
        known = [Interval(float(lo), float(hi)) for lo, hi in zip(low, high, strict=True)]
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "box", known + [Interval(-largest, largest)] * (len(self.names) - len(known)))
        object.__setattr__(self, "limits", limits(self.train.y))

    def __call__(self, nodes: Sequence[Node]) -> Model | None:
        """None where a value is not finite on some training row."""
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
        metrics["tame"], metrics["defined"] = (True, True) if self.shadow is None else self._behaviour(nodes)
        metrics["proven"] = enclose(nodes, self.box) is not None
        return model(nodes, self.names, **metrics)

    def _behaviour(self, nodes: Sequence[Node]) -> tuple[bool, bool]:
        """Whether the program is tame on the shadow rows, and whether it is defined on those within the data's range.

        Where it is undefined on so many of them that the training rows would have shown it, the data avoids such rows,
        and they do not count.
        """
        assert self.shadow is not None
        low, high = self.limits
        out = self.values(nodes, self.shadow)
        within = ((self.shadow >= self.low) & (self.shadow <= self.high)).all(axis=1)
        share = 1.0 - np.isfinite(out[within]).mean() if within.any() else 0.0
        return bool(((out >= low) & (out <= high)).all()), bool(share == 0.0 or share * len(self.train.y) > EXPECTED)

    @property
    def rounding(self) -> float:
        """The loss of predictions that are right but for their last digits: less is not better."""
        return self._loss(self.train.y * (1.0 + 1e-12), self.train)

    def _loss(self, out: np.ndarray, rows: Rows) -> float:
        with np.errstate(all="ignore"):
            value = float(np.average(self.loss(rows.y, out), weights=rows.weight))
        return value if np.isfinite(value) else np.inf


def make_front(programs: Sequence[Sequence[Node]], score: Scorer, polished: bool = True) -> list[Model]:
    """Models by ascending length, each of better standing on the training rows than every shorter one.

    Programs are simplified, their constants polished in float64, terms that do not matter dropped, factors gathered; a
    model that is not finite on every row is left out. The most promising are tried without an offset and a factor.
    """
    best: dict[int, Model] = {}
    for program in programs:
        plain = simplify(program)
        variants = [_tidy(plain, score), _polished(plain, score)] if polished else [plain]
        for nodes in variants:
            _enter(score(nodes), best)
    if polished and best:
        front = _by_length(best, score)
        for i in by_description(front, score.train)[:LEANER]:
            for m in _leaner(front[i], score):
                _enter(m, best)
    return _by_length(best, score)


def _leaner(m: Model, score: Scorer) -> Iterator[Model]:
    """The model without its offset, its factor, or both, for as long as that shortens its description."""
    n, variance = len(score.train.y), _variance(score.train)
    while (nodes := without_last_number(m.nodes)) is not None:
        leaner = score(_polished(nodes, score))
        if leaner is None or description_length(leaner, n, variance) >= description_length(m, n, variance):
            return
        m = leaner
        yield m


def _polished(nodes: Sequence[Node], score: Scorer) -> list[Node]:
    train = score.train
    return _tidy(simplify(polish(nodes, train.X, train.y, train.weight)), score)


def _tidy(nodes: Sequence[Node], score: Scorer) -> list[Node]:
    some = score.train.X[:PRUNING_ROWS]
    return gather(prune(nodes, some, score.values), some, score.values)


def _enter(m: Model | None, best: dict[int, Model]) -> None:
    """Make it the best model of its length, if it is."""
    if m is not None and (m.length not in best or standing(m) < standing(best[m.length])):
        best[m.length] = m


def _by_length(best: dict[int, Model], score: Scorer) -> list[Model]:
    front: list[Model] = []
    rounding = score.rounding
    for length in sorted(best):
        if not front or max(standing(best[length]), rounding) < (1.0 - SAME) * standing(front[-1]):
            front.append(best[length])
    return front


def standing(m: Model) -> float:
    """The loss by which models compete for a place on the front: an untamed one counts as less accurate."""
    return m.metrics["loss"] * (1.0 if m.metrics["tame"] else UNTAMED)


def risk(m: Model) -> float:
    """What the error of a model is multiplied by when one is chosen."""
    if m.metrics["tame"]:
        return 1.0
    return UNTAMED if m.metrics["defined"] else UNDEFINED


def in_user_units(m: Model, units: Scales, power: int) -> Model:
    """A model of scaled data as one of the user's; the loss goes by this power of the target's unit."""
    scale = np.float64(units.y_scale)
    metrics = dict(m.metrics)
    with np.errstate(over="ignore", under="ignore"):
        for name, factor in (("mae", scale), ("mse", scale**2), ("loss", scale**power)):
            for key in {name, f"validation_{name}"} & metrics.keys():
                metrics[key] = float(metrics[key] * factor) if metrics[key] else 0.0
    return model(simplify(unscaled(m.nodes, units, 1.0, 0.0)), m.feature_names, **metrics)


def _errors(out: np.ndarray, rows: Rows, prefix: str) -> dict[str, float]:
    out = np.where(np.isfinite(out), out, np.inf)
    mse = float(np.average((rows.y - out) ** 2, weights=rows.weight))
    variance = _variance(rows)
    mae = float(np.average(np.abs(rows.y - out), weights=rows.weight))
    r2 = 1.0 - mse / variance if variance > 0 else float(mse == 0.0)
    return {f"{prefix}mae": mae, f"{prefix}mse": mse, f"{prefix}r2": r2}


def description_length(m: Model, n: int, variance: float) -> float:
    """`n log(mse) + length log(n) / 2`: twice what the residuals and the formula take to write down, up to constants.

    A number known to the precision that n rows allow takes log(n) / 2 nats; about half of the nodes have one.
    Below a millionth of a millionth of the target's scale residuals are rounding, and do not count as information.
    """
    floor = 1e-24 * variance if variance > 0 else 1e-300
    mse = m.metrics["mse"] * risk(m)
    return n * float(np.log(max(mse, floor))) + 0.5 * m.length * float(np.log(n))


def choose(front: Sequence[Model], rule: str | Callable, train: Rows) -> int:
    """Index of the chosen model: by description length, by loss on the validation rows or on the training rows, or by a
    function of the front's table that returns an index.

    Where there were too few rows to hold any back for validation, the description length decides.
    """
    if callable(rule):
        index = int(rule(front_frame(front)))
        if not 0 <= index < len(front):
            raise ValueError(f"choose: expected an index from 0 to {len(front) - 1}; got {index}")
        return index
    if rule == "accuracy":
        return int(np.argmin([m.metrics["loss"] * risk(m) for m in front]))
    if rule == "validation" and "validation_loss" in front[0].metrics:
        return int(np.argmin([m.metrics["validation_loss"] for m in front]))
    return by_description(front, train)[0]


def by_description(front: Sequence[Model], train: Rows) -> list[int]:
    """Indices of the models by ascending description length, those with more constants than half the rows left out.

    All that are within ODDS of the least come first, the shortest before the others: among so many longer ones some are
    a little better by chance.
    """
    n, variance = len(train.y), _variance(train)
    few = [i for i, m in enumerate(front) if len(constant_places(m.nodes)) <= n / 2] or [0]  # more would fit any rows
    size = {i: description_length(front[i], n, variance) for i in few}
    enough = min(size.values()) + 2.0 * np.log(ODDS)
    return sorted(few, key=lambda i: (max(size[i], enough), i))


def _variance(rows: Rows) -> float:
    return float(np.average((rows.y - np.average(rows.y, weights=rows.weight)) ** 2, weights=rows.weight))


def against_reference(front: list[Model], chosen: int, score: Scorer, max_length: int) -> tuple[list[Model], int]:
    """The front and the index of the chosen model: where rows are few, the first by description length that convinces,
    or else a linear model in the place of its length."""
    train = score.train
    if len(score.names) > train.X.shape[1]:
        return front, chosen  # models that feed on their own outputs have no rows to leave out
    found = reference(train, max_length)
    linear = None if found is None else score(simplify(found.nodes))
    if found is None or linear is None:
        return front, chosen
    for i in by_description(front, train)[:TRIED]:
        m = front[i]
        if convinces(m.nodes, found, train, risk(m)):
            return front, i
    others = [m for m in front if m.length != linear.length]
    place = sum(m.length < linear.length for m in others)
    return [*others[:place], linear, *others[place:]], place


def front_frame(front: Sequence[Model], chosen: int | None = None) -> pd.DataFrame:
    """The front as a table, one row a model."""
    import pandas as pd

    rows = [{"length": m.length, **m.metrics, "formula": m.formula} for m in front]
    frame = pd.DataFrame(rows)
    if chosen is not None:
        frame["chosen"] = np.arange(len(front)) == chosen
    return frame
