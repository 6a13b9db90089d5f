"""A fitted estimator: its models, and the one that is chosen."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from epsilex.data.losses import loss_function
from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.data.scales import unscaled
from epsilex.data.shadow import FINAL_ROWS, shadow_rows
from epsilex.dimensions.carried import carried
from epsilex.evolution import Search, Settings
from epsilex.evolution.observers.history import frame
from epsilex.forms.filling import in_user_units
from epsilex.knowing import Task
from epsilex.models.answer import answer
from epsilex.models.choice.words import Choice
from epsilex.models.front import Scorer, front_frame, of_form
from epsilex.models.polish import MAX_ROWS
from epsilex.models.uncertainty import with_uncertainty
from epsilex.programs.costs import costs_of
from epsilex.shapes.knowledge import Shapes
from epsilex.shown import Shown

if TYPE_CHECKING:
    import pandas as pd

    from epsilex.models.model import Model
    from epsilex.models.plots import Figure

NEARLY = 1e-5  # of the target's mean deviation: largest error of a formula that is called exact


class Fitted(Shown):
    """The part of an estimator that holds the result of a search."""

    choice_: Choice
    model_: Model
    models_: list[Model]
    front_: pd.DataFrame
    history_: pd.DataFrame
    rows_used_: dict[str, int]
    groups: str | None
    _shapes: Shapes | None = None  # that every model has
    _stand_ins: tuple[str, ...] = ()  # columns that stand for a group in the search

    def take(self, *, length: int) -> Self:
        """Choose the model of this length on the front; returns self."""
        check_is_fitted(self, "models_")
        lengths = [m.length for m in self.models_]
        if length not in lengths:
            raise ValueError(f"length: expected one of {', '.join(map(str, lengths))}; got {length}")
        self._choose(lengths.index(length))
        self.choice_ = Choice("It was taken by its length.", noise=self.choice_.noise)
        return self

    def adapt(self, X: Any, y: Any) -> Self:
        """Tune the constants of groups that the fit has not seen, or has seen less of, to rows of theirs; returns self.

        X is a DataFrame with the column of groups. The formula and the constants that groups share stay.
        """
        check_is_fitted(self, "models_")
        index = self.models_.index(self.model_)
        new = self.model_.adapted(X, y)
        shapes, own = self._shapes, new.own
        for label in own.labels if own is not None else ():
            if shapes is not None and shapes.verdict(new.group(label).nodes) is None:
                raise ValueError(f"constraints: expected rows of {label!r} whose constants satisfy them; got others")
        self.models_ = [*self.models_[:index], new, *self.models_[index + 1 :]]
        self._choose(index)
        return self

    def latex_table(self, digits: int = 4) -> str:
        """The front as a LaTeX table: length, mean absolute error and formula, the chosen one marked."""
        from epsilex.programs.export.table import latex_table

        check_is_fitted(self, "models_")
        rows = [(m.length, m.metrics["mae"], m.nodes) for m in self.models_]
        names = max((m.column_names for m in self.models_), key=len)
        return latex_table(rows, names, self.model_.named, self.models_.index(self.model_), digits)

    def plot_front(self) -> Figure:
        """The front, error against length, with its formulas: a matplotlib figure."""
        from epsilex.models.plots import plot_front

        check_is_fitted(self, "front_")
        return plot_front(self.front_)

    def plot_history(self) -> Figure:
        """Error, diversity, cases used and length over generations: a matplotlib figure."""
        from epsilex.models.plots import plot_history

        check_is_fitted(self, "history_")
        return plot_history(self.history_)

    def _seen(self) -> list[str]:
        """The columns that a search sees."""
        return [*self._names(), *self._stand_ins]

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _keep(self, found: Search, settings: Settings, task: Task) -> None:
        """Make the front of what a search left, and choose from it."""
        train, known, form = task.train, task.known, task.cases.prior.form
        kept = [
            unscaled(nodes, task.units, *scaling) if form is None else in_user_units(nodes, form.outline)
            for nodes, *scaling in found.archive.programs_kept()
        ]
        n = len(found.archive.front)
        shadow = shadow_rows(train.X, settings.seed, FINAL_ROWS) if settings.shadow else None
        scorer = Scorer(
            self._seen(), loss_function(settings.loss), train, task.validation, shadow, self._values, self._noise(),
            settings.operators, known.allowed, self.polish,
            None if self.constants is False else dict(self.constants or {}), known.shapes,
            costs=costs_of(settings.costs), hurried=found.reason == "interrupt",
        )  # fmt: skip
        if form is not None:
            scorer = of_form(scorer, form.plain, known.structure)
        most = settings.max_length if form is None else sys.maxsize  # each function has its own limit
        if known.grouping is None:
            told = answer([*kept[:n], *known.guesses], kept[n:], scorer, self.choose, self.polish, most)
        else:
            told = known.grouping.answer([*kept, *known.guesses], scorer, self._names(), self.choose, most)
        self.models_, self.choice_ = told.models, told.choice
        self.settings_ = settings
        self.rows_used_ = {
            "scored": len(train.y), "tuned": min(len(train.y), MAX_ROWS),
            "seen": min(len(train.y), settings.max_cases or len(train.y)),
        }  # fmt: skip
        self.search_ = found
        exact = told.models[told.chosen].metrics["mae"] <= NEARLY * float(np.abs(train.y - train.y.mean()).mean())
        perfect = found.reason == "exact" or (found.reason == "target" and self.target_error == 0.0)
        self.stopped_by_ = "interpolation" if perfect and self.polish and not exact else found.reason
        self.n_generations_ = found.state.generation
        self.history_ = frame(found.rows)
        self._choose(told.chosen)

    def _know_uncertainty(self, rows: Rows, noises: list[Noise]) -> None:
        """Give the models the uncertainty of their constants from the user's own rows."""
        index = int(self.front_["chosen"].argmax())
        self.models_ = [with_uncertainty(m, rows, noises, self.choice_.noise) for m in self.models_]
        self._choose(index)

    def _know_units(self, columns: list[str], target: str) -> None:
        """Give the models the units that their constants carry, by the units of columns and target."""
        index = int(self.front_["chosen"].argmax())
        self.models_ = [replace(m, units=carried(m.nodes, columns, target)) for m in self.models_]
        self._choose(index)

    def _choose(self, index: int) -> None:
        self.model_ = self.models_[index]
        self.front_ = front_frame(self.models_, index)
