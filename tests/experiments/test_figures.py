"""The paper's figures: what they show, and that drawing them changes nothing global."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import experiments_standin as standin
from epsilex import problems
from epsilex.experiments import figure_data, figures, plots, results, studies
from epsilex.experiments.methods import PAPER, arrange
from epsilex.experiments.store import FILE, Store

SCALE = studies.Scale(trials=4, generations=5, population_size=10)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A study's results and the folder of its figures."""
    out = tmp_path_factory.mktemp("figures")
    loaded = {"uball5d": problems.load("uball5d")}
    asked = ["tournament", "lex", "lex_e_mad", "experiments_standin:my_select"]
    cells = studies.cells("table", ["uball5d"], asked, SCALE)
    with Store.open(out / FILE) as store:
        store.begin("table", SCALE, cells, loaded.values(), "here")
        for trial in studies.plan(cells, SCALE.trials):
            store.add(trial, standin.work(trial, loaded[trial.problem]), 1)
    found = results.read(out, "table")
    return found, out / "figures", figures.draw(found, out / "figures")


# --- what is shown ---


def history(values: dict[str, list[list[float]]], column: str) -> pd.DataFrame:
    """Rows of {method: [trial's values over generations]}."""
    return pd.DataFrame(
        [
            {"method": method, "trial": k, "generation": g, column: value, "training_cases": 50, "target_scale": 2.0}
            for method, trials in values.items()
            for k, trial in enumerate(trials)
            for g, value in enumerate(trial)
        ]
    )


def test_curves_are_means_and_standard_errors_over_trials():
    rows = history({"lex": [[1.0, 2.0], [3.0, 2.0]], "afp": [[5.0, np.nan]]}, "best_mae")
    found = figure_data.curves(rows, "best_mae", "method").set_index(["method", "generation"])
    assert found.loc[("lex", 0), "mean"] == 2
    assert found.loc[("lex", 0), "error"] == pytest.approx(np.std([1, 3], ddof=1) / np.sqrt(2))
    assert found.loc[("lex", 1), "error"] == 0
    assert found.loc[("afp", 0), "error"] == 0  # one trial has none
    assert ("afp", 1) not in found.index


def test_training_curves_are_in_reported_units():
    found = figure_data.training_curves(history({"lex": [[1.5]]}, "best_mae"))
    assert found["mean"].tolist() == [3.0]


def test_case_curves_count_cases_and_leave_out_methods_that_use_none():
    found = figure_data.case_curves(history({"lex": [[0.02, 0.04]], "random": [[0.0, 0.0]]}, "cases_used"), "method")
    assert found["mean"].tolist() == [1.0, 2.0]
    assert set(found["method"]) == {"lex"}


def test_long_curves_are_thinned_and_keep_their_end():
    found = figure_data.curves(history({"lex": [list(range(1001))]}, "best_mae"), "best_mae", "method")
    assert len(found) <= figure_data.POINTS + 2
    assert found["generation"].max() == 1000


def test_curves_of_a_thinned_history_show_what_is_stored():
    rows = history({"lex": [list(range(1001))]}, "best_mae")
    stored = [0, 1, 3, 7, 250, 333, 999, 1000]
    found = figure_data.curves(rows[rows["generation"].isin(stored)], "best_mae", "method")
    assert found["generation"].tolist() == stored


def test_boxes_keep_their_order_and_put_infinite_errors_far_off():
    rows = pd.DataFrame({"method": ["b", "a", "a"], "test_mae": [1.0, np.inf, 2.0]})
    values = figure_data.box_values(rows, "method", ["a", "b", "c"])
    assert [v.tolist() for v in values] == [[figure_data.WILD, 2.0], [1.0], []]


def test_one_wild_trial_does_not_flatten_the_boxes():
    limit = figure_data.box_limit([np.array([1, 1.1, 1.2, 1.3, 1e9]), np.array([0.5])])
    assert 1.3 < limit < 2
    half_infinite = np.array([1.0, 1.1, 1.2, figure_data.WILD, figure_data.WILD])
    assert figure_data.box_limit([half_infinite, np.array([figure_data.WILD])]) < 5
    assert figure_data.box_limit([np.array([])]) == 1.0


# --- how it is drawn ---


def test_every_figure_is_there_in_all_formats(drawn):
    _, folder, found = drawn
    assert [figure.name for figure in found] == ["test_mae", "training_mae", "cases_used", "diversity"]  # one problem
    for figure in found:
        assert (folder / f"{figure.name}.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")
        assert (folder / f"{figure.name}.png").read_bytes().startswith(b"\x89PNG")
        assert (folder / f"{figure.name}.pdf").read_bytes().startswith(b"%PDF")
        assert figure.caption


def test_a_users_method_is_drawn_and_labelled(drawn):
    found, _, _ = drawn
    axes = figures.test_mae(found).axes[0]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["Tourn", "Lex", PAPER[7].math, "my_select"]


def test_cases_used_shows_only_methods_that_use_cases(drawn):
    found, _, _ = drawn
    legend = figures.cases_used(found).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["Lex", PAPER[7].math]


def test_published_medians_are_marked(drawn):
    found, _, _ = drawn
    marks = next(line for line in figures.test_mae(found).axes[0].lines if line.get_label() == "published median")
    assert marks.get_xdata().tolist() == [1, 2, 3]
    assert marks.get_ydata().tolist() == [0.113, 0.142, 0.078]
    low, high = marks.axes.get_ylim()
    assert low < 0.078 < 0.142 < high  # wherever our own trials lie


def test_one_case_is_inside_the_axis_and_labelled(drawn):
    found, _, _ = drawn
    one = found.history.assign(cases_used=lambda rows: (rows["method"] == "lex").map({True: 1.0, False: 300.0}))
    one["cases_used"] /= one["training_cases"]
    axes = figures.cases_used(replace(found, history=one)).axes[0]
    low, high = axes.get_ylim()
    assert low < 1 < 300 < high
    assert 1 in axes.get_yticks()
    lex = next(line for line in axes.lines if line.get_label() == "Lex")
    assert set(lex.get_ydata()) == {1.0}


def test_rebuilt_data_is_named_in_its_panel(drawn):
    found, _, _ = drawn
    marked = replace(found, problems=found.problems.assign(rebuilt=True))
    for figure in (figures.test_mae(marked), figures.training_mae(marked), figures.cases_used(marked)):
        assert figure.axes[0].get_title().endswith("(rebuilt data)")
    assert "rebuilt" not in figures.test_mae(found).axes[0].get_title()


def test_every_method_has_a_look_of_its_own():
    methods = arrange([*(method.id for method in PAPER), "lex_semi", "lex_dynamic", "m:f", "m:g"])
    assert len({plots.style(method, methods) for method in methods}) == len(methods)


def test_a_figure_that_cannot_be_drawn_any_more_is_removed(drawn):
    found, folder, _ = drawn
    stale = folder / "friedman_intervals.svg"
    stale.write_text("old")
    figures.draw(found, folder)
    assert not stale.exists()


def test_drawing_changes_no_setting_and_leaves_the_backend(drawn):
    _, folder, _ = drawn
    code = (
        "import matplotlib\nmatplotlib.use('svg')\n"
        "before = dict(matplotlib.rcParams.copy())\n"
        "from pathlib import Path\n"
        "from epsilex.experiments import figures, results\n"
        f"out = Path({str(folder.parent)!r})\n"
        "figures.draw(results.read(out, 'table'), out / 'again')\n"
        "after = dict(matplotlib.rcParams.copy())\n"
        "assert before == after, [key for key in before if before[key] != after[key]]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
