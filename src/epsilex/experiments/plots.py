"""Drawing tools of the figures: panels, boxes, curves, and one style per method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from epsilex.experiments import figure_data
from epsilex.experiments.methods import Method

Line = str | tuple[float, tuple[float, ...]]

# Okabe and Ito's colours, which colour-blind readers can distinguish; the baselines are dashed. The two adaptive
# methods often coincide, so long dashes let the lower one show through.
_STYLES: dict[str, tuple[str, Line]] = {
    "random": ("#999999", "--"),
    "tournament": ("#000000", "--"),
    "afp": ("#CC79A7", "--"),
    "lex": ("#E69F00", "-"),
    "lex_y": ("#56B4E9", "-"),
    "lex_e": ("#009E73", "-"),
    "lex_y_mad": ("#D55E00", "-"),
    "lex_e_mad": ("#0072B2", (0.0, (6.0, 2.5))),
}
_MORE_STYLES: tuple[tuple[str, Line], ...] = (
    ("#882255", "-."),
    ("#44AA99", "-."),
    ("#999933", "-."),
    ("#332288", "-."),
    ("#AA4499", ":"),
    ("#117733", ":"),
)
LOOK: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "epsilex",  # equal figures give equal files
}


def style(method: Method, methods: Sequence[Method]) -> tuple[str, Line]:
    """Colour and line of a method: the same in every figure."""
    if method.id in _STYLES:
        return _STYLES[method.id]
    others = [other.id for other in methods if other.id not in _STYLES]
    return _MORE_STYLES[others.index(method.id) % len(_MORE_STYLES)]


def graded_colors(n: int) -> list:
    """Colours from dark to bright, for the values of a parameter."""
    return list(matplotlib.colormaps["plasma"](np.linspace(0, 0.9, n)))


def panels(n: int, width: float = 3.4, height: float = 2.6) -> tuple[Figure, list[Axes]]:
    """A figure with `n` panels, at most three in a row."""
    columns = min(n, 3)
    lines = -(-n // columns)
    figure = Figure(figsize=(width * columns, height * lines), layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False).ravel()
    for unused in axes[n:]:
        unused.remove()
    return figure, list(axes[:n])


def boxes(axes: Axes, values: Sequence[np.ndarray], colors: Sequence) -> None:
    """Box plots at the places 1, 2, ..; trials far above all boxes are counted at the upper edge, not drawn."""
    flier = {"marker": ".", "markersize": 4, "alpha": 0.6}
    drawn = axes.boxplot(values, widths=0.6, patch_artist=True, flierprops=flier)
    for box, median, color in zip(drawn["boxes"], drawn["medians"], colors, strict=True):
        box.set(facecolor=(*matplotlib.colors.to_rgb(color), 0.35), edgecolor=color)
        median.set(color="black", linewidth=1.4)
    limit = figure_data.box_limit(values)
    for place, group in enumerate(values, 1):
        if beyond := int((group > limit).sum()):
            axes.text(place, 1, f"↑{beyond}", transform=axes.get_xaxis_transform(), ha="center", va="top", fontsize=7)
    axes.set_ylim(top=limit)
    axes.grid(axis="x", visible=False)


def turned_labels(axes: Axes, labels: Sequence[str]) -> None:
    """Labels below the places 1, 2, .., slanted so that they do not overlap."""
    axes.set_xticks(range(1, len(labels) + 1), labels, rotation=40, ha="right", rotation_mode="anchor")


def curve(axes: Axes, rows: pd.DataFrame, color: Any, line: Line, label: str, width: float = 1.4) -> None:
    """A mean over generations with a band of its standard error; rows of `figure_data.curves`."""
    axes.plot(rows["generation"], rows["mean"], linestyle=line, color=color, lw=width, label=label)
    low, high = rows["mean"] - rows["error"], rows["mean"] + rows["error"]
    axes.fill_between(rows["generation"], low, high, color=color, alpha=0.18, lw=0)


def method_curves(axes: Axes, rows: pd.DataFrame, methods: Sequence[Method]) -> None:
    for method in methods:
        curve(axes, rows[rows["method"] == method.id], *style(method, methods), method.math)


def plain_log(axes: Axes) -> None:
    """A logarithmic vertical axis with plain numbers."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    ratio = high / low
    marks = (1, 1.5, 2, 3, 4, 5, 6, 8) if ratio <= 8 else (1, 2, 3, 5) if ratio <= 50 else (1, 2, 5)
    axes.yaxis.set_major_locator(LogLocator(subs=marks))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def legend_beside(axes: Axes) -> None:
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))


def legend_below(figure: Figure, axes: Axes) -> None:
    """One legend for all panels of a figure."""
    handles, labels = axes.get_legend_handles_labels()
    fit = max(1, int(figure.get_figwidth() / 1.25))
    lines = -(-len(labels) // fit)
    figure.legend(handles, labels, loc="outside lower center", ncols=-(-len(labels) // max(1, lines)))
