"""How a fitted estimator shows itself: as text, in a notebook, as a report, and to callbacks while it searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from epsilex.data.groups import separated
from epsilex.data.losses import power_of
from epsilex.data.scales import Scales
from epsilex.evolution.observers.live import LiveFront
from epsilex.evolution.observers.observer import Callback
from epsilex.files import write_file
from epsilex.programs.export.mathml import left_side
from epsilex.report import Measurements, record, render

if TYPE_CHECKING:
    from epsilex.models.choice.words import Choice
    from epsilex.models.model import Model

TARGET = "y"  # name of a target without one


class Shown(BaseEstimator):
    """The part of an estimator that shows its result."""

    choice_: Choice
    model_: Model
    models_: list[Model]
    callbacks: Sequence
    groups: Any
    _measured: Measurements
    _target: str
    _modest: Scales | None = None  # of numbers beyond the usual, from the user's units

    def sympy(self) -> Any:
        """The chosen formula as a SymPy expression."""
        check_is_fitted(self, "model_")
        return self.model_.sympy()

    def latex(self, digits: int | None = 4) -> str:
        """The chosen formula in LaTeX; with all digits if `digits` is None."""
        check_is_fitted(self, "model_")
        return self.model_.latex(digits)

    def report(self, path: str | Path, X: Any = None, y: Any = None) -> None:
        """Write a report of the fit: one HTML page that loads nothing.

        It shows the chosen formula, the reason for the choice, the formula over the data, and the whole front.

        Parameters
        ----------
        path : path
            The file to write, such as "report.html".
        X, y : DataFrame or array of shape (rows, features), and array of shape (rows,), optional
            Rows that the search has not seen. All formulas are scored on them.
        """
        check_is_fitted(self, "model_")
        rows, notes = self._measured, self._report_notes()
        if (X is None) != (y is None):
            raise ValueError("X, y: expected both, or neither")
        if X is not None:
            rows = rows.with_held_back(*self._unseen(X, y))
        write_file(Path(path), render(record(self, rows, self._target, self._again(), notes)))

    def __str__(self) -> str:
        """The estimator, and its formula once it is fitted."""
        return f"{self!r}\n{self._target} = {self.model_.formula}" if hasattr(self, "model_") else repr(self)

    def _unseen(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, list[str] | None]:
        """Rows for a report, as columns of the formulas, and their labels if there are groups."""
        X, labels = separated(X, self.groups)
        X, y = validate_data(self, X, reset=False, dtype=np.float64), np.asarray(y, np.float64)
        if y.shape != (len(X),) or not np.isfinite(y).all():
            raise ValueError(f"y: expected {len(X)} finite numbers, one per row of X; got shape {y.shape}")
        return self._as_columns(X, y), y, None if labels is None else [str(label) for label in labels]

    def _as_columns(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Columns of the formulas from features and target."""
        return X

    def _remember(
        self, X: np.ndarray, y: np.ndarray, weight: np.ndarray, name: object, labels: np.ndarray | None
    ) -> None:
        """Keep some rows for the report, and the target's name."""
        counts = weight > 0.0
        groups = None if labels is None else (str(self.groups), [str(label) for label in labels[counts]])
        self._measured = Measurements.some(self._as_columns(X, y)[counts], y[counts], groups)
        self._target = TARGET if name is None else str(name)

    def _watchers(self, names: Sequence[str], units: Scales, loss: str | Callable) -> list[Callback]:
        """The callbacks as observers; the target and features of the search are in these units."""
        scales = [units] if self._modest is None else [self._modest, units]
        front = partial(LiveFront, names=names, scales=scales, power=power_of(loss))
        return [Callback(function, front) for function in self.callbacks]

    def _report_notes(self) -> list[str]:
        return []

    def _again(self) -> str:
        """Python code that repeats the fit, bit for bit; "" if there is none."""
        given = self.get_params(deep=False)
        plain = not any(callable(value) or isinstance(value, np.ndarray) for value in given.values())
        alone = not given["warm_start"] and not given["resume"] and not given["callbacks"]
        if not (plain and alone and isinstance(given["random_state"], (int, np.integer))):
            return ""
        known: Any = self
        changes = {"generations": known.n_generations_, "time_limit": None}
        if given["settings"] is None:
            changes["population_size"] = known.settings_.population_size
        return f"{clone(self).set_params(**changes).__repr__(N_CHAR_MAX=10**6)}.fit(X, y)"

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + self._formula_in_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._formula_in_html()
        return bundle

    def _formula_in_html(self) -> str:
        """The formula typeset, then as text, then the reason for it."""
        if not hasattr(self, "model_"):
            return ""
        formula = left_side(self._target) + " " + Markup(self.model_.mathml())
        parts = (formula, Markup("<code>{}</code>").format(self.model_.formula), self.choice_.text)
        return Markup("").join(Markup("<p>{}</p>").format(part) for part in parts)
