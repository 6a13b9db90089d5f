"""The front of a search as a notebook widget: a chart and a table of typeset formulas, redrawn while it runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, TypeVar

import numpy as np

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError("epsilex.notebook needs anywidget: pip install 'epsilex[notebook]'") from error

from epsilex.evolution import State
from epsilex.evolution.observers.live import LiveFront
from epsilex.models import Model
from epsilex.models.marks import shown_range
from epsilex.programs.export.mathml import left_side
from epsilex.regressor import SymbolicRegressor
from epsilex.report.page import font_face

EVERY = 0.5  # seconds between two pictures, at least
SHARE = 0.02  # of the search's time that pictures may take
DIGITS = 3  # of numbers in the table

Estimator = TypeVar("Estimator", bound=SymbolicRegressor)
_PAGE = files("epsilex.notebook")


class FrontWidget(anywidget.AnyWidget):
    """The front of a search. As one of the `callbacks` of an estimator it follows the search.

    It reads and never steers: the search finds the same with it and without it.
    """

    _esm = _PAGE.joinpath("front.js").read_text(encoding="utf-8")
    _css = font_face() + _PAGE.joinpath("front.css").read_text(encoding="utf-8")

    target = traitlets.Unicode("y").tag(sync=True)
    status = traitlets.Unicode("waiting for the search").tag(sync=True)
    why = traitlets.Unicode("").tag(sync=True)
    chosen = traitlets.Int(-1).tag(sync=True)
    front: Any = traitlets.List().tag(sync=True)
    axis: Any = traitlets.List().tag(sync=True)

    def __init__(self, target: str = "y"):
        super().__init__(target=str(left_side(target)))
        self._began: float | None = None
        self._next = 0.0

    def __call__(self, state: State, front: LiveFront) -> None:
        """Show the front of a state, if the last picture is old enough."""
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        if now < self._next:
            return
        self._show(front, [m.metrics["loss"] for m in front], -1)
        self.status = f"generation {state.generation}, {now - self._began:.0f} s"
        took = time.monotonic() - now
        self._next = now + max(EVERY, took / SHARE)

    def finish(self, est: SymbolicRegressor) -> None:
        """Show the result of a fitted estimator, and why its formula was chosen."""
        chosen = est.models_.index(est.model_)
        self._show(est.models_, [m.metrics["loss"] for m in est.models_], chosen)
        self.why = est.choice_.text
        self.status = f"done after {est.n_generations_} generations, stopped by {est.stopped_by_}"

    def _show(self, models: Sequence[Model], errors: Sequence[float], chosen: int) -> None:
        with self.hold_trait_notifications():
            self.axis = list(shown_range(errors, [], chosen) or ())
            self.front = [
                {"length": m.length, "error": error if np.isfinite(error) else None, "math": m.mathml(DIGITS)}
                for m, error in zip(models, errors, strict=True)
            ]
            self.chosen = chosen

    def __deepcopy__(self, memo: dict) -> FrontWidget:
        return self  # copies of an estimator show the same picture


def watch(est: Estimator, X: Any, y: Any, **fit_params: Any) -> Estimator:
    """Fit an estimator and show its front in the notebook while it searches; returns the estimator."""
    from IPython.display import display

    widget = FrontWidget(str(getattr(y, "name", None) or "y"))
    display(widget)
    before = est.callbacks
    est.set_params(callbacks=[*before, widget])
    try:
        est.fit(X, y, **fit_params)
    finally:
        est.set_params(callbacks=before)
    widget.finish(est)
    return est
