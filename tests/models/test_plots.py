"""Figures of fits, fronts and histories."""

from __future__ import annotations

import base64

import numpy as np
import pandas as pd
import pytest

from epsilex.models.model import model
from epsilex.models.plots import plot_fit, plot_front, plot_history
from epsilex.programs.parser import parse

FRONT = pd.DataFrame({"length": [1, 3, 7], "mae": [2.0, 1.0, 0.1], "chosen": [False, True, False]})
HISTORY = pd.DataFrame(
    {"generation": [0, 1], "best_mae": [2.0, 1.0], "median_mae": [np.inf, 3.0], "cases_used": [0.1, 0.2],
     "cases_used_mean": [0.2, 0.3], "diversity": [1.0, 0.9], "mean_length": [9.0, 8.0]}
)  # fmt: skip


def points(axes, label=None):
    return [line.get_xydata() for line in axes.lines if label is None or line.get_label() == label]


def test_a_fit_shows_predictions_and_residuals():
    X = np.linspace(-1.0, 2.0, 10).reshape(-1, 1)
    y = X[:, 0] ** 2
    left, right = plot_fit(model(parse("2*log(x0)"), ["a"]), X, y).axes
    finite = X[:, 0] > 0
    np.testing.assert_allclose(points(left)[0], np.column_stack([y, 2 * np.log(np.where(finite, X[:, 0], 1))])[finite])
    assert points(right)[0].shape == (finite.sum(), 2)
    with pytest.raises(ValueError, match="y: expected shape"):
        plot_fit(model(parse("x0"), ["a"]), X, y[:3])


def test_a_front_marks_the_chosen_model():
    (axes,) = plot_front(FRONT).axes
    np.testing.assert_allclose(points(axes, "training rows")[0], FRONT[["length", "mae"]])
    np.testing.assert_allclose(points(axes, "chosen")[0], [[3, 1.0]])
    assert axes.get_yscale() == "log"
    (axes,) = plot_front(FRONT.assign(validation_mae=[3.0, np.inf, 1.0])).axes
    assert len(points(axes, "validation rows")) == 1


def test_a_history_has_four_panels():
    figure = plot_history(HISTORY)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "mean absolute error", "share of cases used", "diversity", "mean length",
    ]  # fmt: skip
    np.testing.assert_allclose(points(figure.axes[0], "best")[0], [[0, 2.0], [1, 1.0]])


def test_nothing_global_is_touched_and_a_notebook_shows_the_figure():
    from matplotlib import _pylab_helpers

    before = len(_pylab_helpers.Gcf.figs)
    shown = plot_history(HISTORY)._repr_html_()
    assert len(_pylab_helpers.Gcf.figs) == before
    picture = base64.b64decode(shown.partition("base64,")[2].partition('"')[0])
    assert picture.startswith(b"\x89PNG")


def test_the_estimators_and_models_figures_are_these():
    from epsilex import SymbolicRegressor

    X = np.linspace(1.0, 2.0, 30).reshape(-1, 1)
    est = SymbolicRegressor(generations=1, time_limit=None, population_size=20, random_state=0).fit(X, X[:, 0])
    assert len(est.plot_front().axes) == 1
    assert len(est.plot_history().axes) == 4
    assert len(est.model_.plot(X, X[:, 0]).axes) == 2
