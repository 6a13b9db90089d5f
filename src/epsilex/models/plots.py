"""Figures of fits, fronts and histories.

Each function returns a new matplotlib figure made without pyplot, so no global state changes and no window opens.
A notebook shows the returned figure; elsewhere use `savefig`.
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from epsilex.models.marks import shown_range

if TYPE_CHECKING:
    import pandas as pd

    from epsilex.models.model import Model

TRAIN, TEST, QUIET = "#0072b2", "#d55e00", "#8a929b"
MAX_POINTS = 5000
HELD = {"validation_mae": "validation rows", "test_mae": "held-back rows"}
LABEL, BETTER = 44, 0.8  # characters of a formula, and the share of the error before below which it is shown


def plot_fit(model: Model, X, y) -> Figure:
    """Predictions against targets, and residuals over predictions; rows without a finite prediction are left out."""
    y = np.asarray(y, np.float64)
    prediction = model.predict(X)
    if prediction.shape != y.shape:
        raise ValueError(f"y: expected shape {prediction.shape}, one value per row of X; got {y.shape}")
    rows = np.flatnonzero(np.isfinite(prediction))
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), MAX_POINTS)).astype(int)]
    figure = _figure(9.0, 4.0)
    left, right = figure.subplots(1, 2)
    left.plot(y[rows], prediction[rows], ".", color=TRAIN, alpha=0.5)
    left.axline((float(np.mean(y)), float(np.mean(y))), slope=1.0, color=QUIET, linestyle="--", linewidth=1.0)
    left.set(xlabel="measured", ylabel="predicted")
    right.plot(prediction[rows], (y - prediction)[rows], ".", color=TRAIN, alpha=0.5)
    right.axhline(0.0, color=QUIET, linestyle="--", linewidth=1.0)
    right.set(xlabel="predicted", ylabel="measured − predicted")
    return figure


def plot_front(front: pd.DataFrame) -> Figure:
    """Error against length for each model of a front, such as `SymbolicRegressor.front_`; the chosen one is ringed.

    Formulas stand at the chosen model and at those much better than the ones before. Errors of formulas through every
    row, or far off, are drawn at the end of the axis.
    """
    figure = _figure(8.0, 4.5)
    axes = figure.subplots()
    lengths, errors = front["length"].to_numpy(), front["mae"].to_numpy(np.float64)
    held = {label: front[name].to_numpy(np.float64) for name, label in HELD.items() if name in front}
    marked = "chosen" in front and bool(front["chosen"].any())
    chosen = int(front["chosen"].argmax()) if marked else len(front) - 1
    low, high = shown_range(errors.tolist(), np.concatenate([errors, *held.values()]).tolist(), chosen) or (0.0, 1.0)
    for label, values in {**held, "training rows": errors}.items():
        color = TEST if label in held else TRAIN
        shown = np.where(np.isfinite(values), np.clip(values, low, high), np.nan)
        axes.plot(lengths, shown, "o-", color=color, label=label)
        for sign, beyond in (("v", values < low), ("^", values > high)):
            axes.plot(lengths[beyond], shown[beyond], sign, color=color, markersize=9)
    if marked:
        place = (lengths[chosen], np.clip(errors[chosen], low, high))
        axes.plot(*place, "o", markersize=13, fillstyle="none", color="black", label="chosen")
    if low > 0.0 and high / low > 10.0:
        axes.set_yscale("log")
    if "formula" in front:
        _label(axes, front, np.clip(errors, low, high), chosen)
    axes.set(xlabel="length", ylabel="mean absolute error")
    axes.legend(frameon=False)
    return figure


def _label(axes: Any, front: pd.DataFrame, errors: np.ndarray, chosen: int) -> None:
    """Formulas beside their points: the chosen one, and those much better than the ones before."""
    told, middle = np.inf, float(front["length"].min() + front["length"].max()) / 2.0
    for i, (length, formula) in enumerate(zip(front["length"], front["formula"], strict=True)):
        if i != chosen and errors[i] >= BETTER * told:
            continue
        told = min(told, errors[i])
        short = formula if len(formula) <= LABEL else formula[: LABEL - 1] + "…"
        side = 1 if length <= middle else -1
        axes.annotate(
            short.replace("$", r"\$"), (length, errors[i]), xytext=(9 * side, 6), textcoords="offset points",
            ha="left" if side > 0 else "right", fontsize=8, family="monospace", weight="bold" if i == chosen else None,
        )  # fmt: skip


def plot_history(history: pd.DataFrame) -> Figure:
    """Error, cases used, diversity and length over generations, from a history such as `SymbolicRegressor.history_`."""
    panels: tuple[tuple[str, dict[str, str | None]], ...] = (
        ("mean absolute error", {"best_mae": "best", "median_mae": "median"}),
        ("share of cases used", {"cases_used": "median", "cases_used_mean": "mean"}),
        ("diversity", {"diversity": None}),
        ("mean length", {"mean_length": None}),
    )
    figure = _figure(9.0, 5.5)
    for axes, (title, columns) in zip(figure.subplots(2, 2, sharex=True).flat, panels, strict=True):
        for (column, label), color in zip(columns.items(), (TRAIN, TEST), strict=False):
            values = history[column].where(np.isfinite(history[column]))
            axes.plot(history["generation"], values, color=color, label=label)
        axes.set_title(title, fontsize="medium", loc="left")
        if len(columns) > 1:
            axes.legend(frameon=False)
    errors = history["best_mae"]
    if errors.min() > 0:
        figure.axes[0].set_yscale("log")
    for axes in figure.axes[2:]:
        axes.set_xlabel("generation")
    return figure


class _Shown(Figure):
    """A figure that a notebook shows without pyplot."""

    def _repr_html_(self) -> str:
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=100)
        return f'<img alt="figure" src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}">'


def _figure(width: float, height: float) -> Figure:
    return _Shown(figsize=(width, height), layout="constrained")
