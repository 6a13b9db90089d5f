"""The estimator for time series: y(t) = f(x(t), x(t-1), ..., y(t-1), ...) in free run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from epsilex.constraints import check, integer_from
from epsilex.data.lazy import is_lazy
from epsilex.data.rows import Rows
from epsilex.data.scales import Scales
from epsilex.evolution import Cases, Settings
from epsilex.evolution.measuring import RecurrentCases
from epsilex.models.choice.rules import rule_of
from epsilex.programs.fold import Node
from epsilex.programs.numeric import evaluate64
from epsilex.regressor import SymbolicRegressor


class DynamicRegressor(SymbolicRegressor):
    """Find a difference equation for a time series, as in the paper's Wind problem.

    Rows are in time order. The formula may use the features now and up to `lags` rows before, and its *own* outputs up
    to `feedback` rows before, which are 0 before the first row: the model runs free, it never sees a measured y. Rows
    of weight 0 are simulated but do not count.

    Parameters
    ----------
    lags, feedback : int
        How many rows back the features and the outputs reach.

    All others are `SymbolicRegressor`'s, except `noise` and `constants`. The preset is `Settings.dynamic()`: outputs
    are not scaled linearly, because they are fed back unchanged, and constants are tuned by hill climbing.
    """

    _preset: ClassVar[Callable[..., Settings]] = Settings.dynamic

    def __init__(
        self,
        *,
        lags=1,
        feedback=1,
        selection=None,
        time_limit=30.0,
        generations=None,
        target_error=0.0,
        loss=None,
        choose="accuracy",
        operators=None,
        max_length=None,
        population_size=None,
        settings=None,
        polish=False,
        islands=1,
        dask=None,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        progress=False,
        callbacks=(),
        checkpoint=None,
        checkpoint_every=30.0,
        resume=False,
        on_interrupt="raise",
    ):
        super().__init__(
            selection=selection,
            time_limit=time_limit,
            generations=generations,
            target_error=target_error,
            loss=loss,
            choose=choose,
            operators=operators,
            max_length=max_length,
            population_size=population_size,
            settings=settings,
            polish=polish,
            islands=islands,
            dask=dask,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            progress=progress,
            callbacks=callbacks,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            resume=resume,
            on_interrupt=on_interrupt,
        )
        self.lags = lags
        self.feedback = feedback

    def simulate(self, X, y0=0.0) -> np.ndarray:
        """Run `model_` free over the rows of X, (rows,) float64, from the previous outputs `y0` (the latest first)."""
        check_is_fitted(self, "model_")
        X = validate_data(self, X, reset=False, dtype=np.float64)
        past = np.asarray(y0, np.float64)
        if past.shape not in ((), (self.feedback,)) or not np.isfinite(past).all():
            raise ValueError(f"y0: expected a finite number, or {self.feedback} of them, the latest first; got {y0!r}")
        return _run_free(self.model_.nodes, _lagged(X, self.lags), np.broadcast_to(past, self.feedback))

    def predict(self, X) -> np.ndarray:
        """`simulate` from rest."""
        return self.simulate(X)

    def _check_parameters(self, settings: Settings) -> None:
        super()._check_parameters(settings)
        for name in ("lags", "feedback"):
            check(name, getattr(self, name), integer_from(0))
        impossible = {
            "scaling": settings.scaling,
            "tuning": settings.tuning == "levenberg_marquardt",
            "shadow": settings.shadow,
            "polish": self.polish,
            "choose": rule_of(self.choose).holds_back,
        }
        if any(impossible.values()):
            raise ValueError(
                "scaling, tuning, shadow, polish, choose: expected no linear scaling, no Levenberg-Marquardt, no "
                "shadow rows, no polishing and no validation rows in a dynamic model; got "
                + ", ".join(name for name, value in impossible.items() if value)
            )

    def _in_memory(self, X: Any, y: Any, sample_weight: Any, seed: int) -> tuple[Any, Any, Any]:
        if is_lazy(X):
            raise ValueError("X: expected a time series in memory, because its rows have an order; got Dask's")
        return X, y, sample_weight

    def _population_size(self, usual: int) -> int:
        """A free run takes long: the population does not grow with the time."""
        return super()._population_size(usual) if self._continues() or self._resumed() is not None else usual

    def _held_back(self, X, y, weight) -> tuple[Rows, None]:
        return Rows(_lagged(X, self.lags), y, weight), None

    def _units(self, train: Rows, settings: Settings) -> Scales:
        """The target keeps its zero, because fed-back outputs start at 0."""
        return Scales.of(train.X, train.y, always=False, free_target=False)

    def _cases(self, X, y, weight, zero: float, settings: Settings) -> Cases:
        return RecurrentCases.from_series(X, y, weight, settings.loss, self.feedback)

    def _values(self, nodes: list[Node], X: np.ndarray) -> np.ndarray:
        return _run_free(nodes, X, np.zeros(self.feedback))

    def _as_columns(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Features and their past, and the measured past of the target."""
        past = [np.concatenate([np.zeros(min(k, len(y))), y[:-k]]) for k in range(1, self.feedback + 1)]
        return np.column_stack([_lagged(X, self.lags), *past])

    def _report_notes(self) -> list[str]:
        return [
            "Predictions drawn are one step ahead, from the measured past; errors on training rows are of free runs."
        ]

    def _names(self) -> list[str]:
        now = super()._names()
        back = [f"{name}[t-{k}]" for k in range(1, self.lags + 1) for name in now]
        return now + back + [f"y[t-{k}]" for k in range(1, self.feedback + 1)]


def _lagged(X: np.ndarray, lags: int) -> np.ndarray:
    """X (rows, features) with the columns of the previous 1, ..., `lags` rows; the first row replaces missing ones."""
    place = np.arange(len(X))
    return np.hstack([X[np.maximum(place - k, 0)] for k in range(lags + 1)])


def _run_free(nodes, X: np.ndarray, past: np.ndarray) -> np.ndarray:
    """Outputs (rows,) of a program over X and its own `past` outputs; NaN from the first non-finite one on."""
    n_static = X.shape[1]
    if not any(code == 1 and feature >= n_static for code, feature, _ in nodes):
        return evaluate64(nodes, X)
    outputs = np.full(len(X), np.nan)
    past = np.array(past, np.float64)
    row = np.empty((1, n_static + len(past)))
    for t in range(len(X)):
        row[0, :n_static] = X[t]
        row[0, n_static:] = past
        outputs[t] = value = evaluate64(nodes, row)[0]
        if not np.isfinite(value):
            break
        past[1:] = past[:-1]
        past[0] = value
    return outputs
