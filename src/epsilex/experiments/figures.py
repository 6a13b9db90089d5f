"""The paper's figures, drawn from tidy rows, off screen and without changing global state.

Each figure is a function of a study's results; it returns None if there is nothing to draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from epsilex.experiments import figure_data, laboratory, measures, plots, published, statistics
from epsilex.experiments.results import Results
from epsilex.experiments.studies import EPSILONS

FORMATS: dict[str, dict[str, None] | None] = {"svg": {"Date": None}, "png": None, "pdf": {"CreationDate": None}}


@dataclass(frozen=True)
class Drawn:
    """A figure on disk: `name` with each suffix of `FORMATS`."""

    name: str
    caption: str


def draw(results: Results, folder: Path) -> list[Drawn]:
    """Write every figure of a study into `folder`; a figure that can no longer be drawn is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    with matplotlib.rc_context(plots.LOOK):
        for name, caption, make in FIGURES.get(results.study, []):
            figure = make(results)
            for kind, metadata in FORMATS.items():
                path = folder / f"{name}.{kind}"
                if figure is None:
                    path.unlink(missing_ok=True)
                else:
                    figure.savefig(path, dpi=150, metadata=metadata)
                    figure.set_layout_engine("none")  # the next format keeps this one's layout
            if figure is not None:
                drawn.append(Drawn(name, caption))
    return drawn


def test_mae(results: Results) -> Figure:
    """Box plots of the test errors, one panel per problem, the published medians marked."""
    methods = results.methods
    figure, panels = plots.panels(len(results.problem_names), height=2.8)
    for axes, problem in zip(panels, results.problem_names, strict=True):
        rows = results.trials[results.trials["problem"] == problem]
        values = figure_data.box_values(rows, "method", [method.id for method in methods])
        plots.boxes(axes, values, [plots.style(method, methods)[0] for method in methods])
        marks = pd.Series({place: published.median(problem, m.id) for place, m in enumerate(methods, 1)}).dropna()
        axes.plot(marks.index, marks, "D", ms=4, mfc="white", mec="black", mew=0.9, zorder=5, label="published median")
        low, high = axes.get_ylim()
        axes.set_ylim(min([low, *(0.98 * marks)]), max([high, *(1.08 * marks)]))
        plots.turned_labels(axes, [method.math for method in methods])
        axes.set(title=_title(results, problem), ylabel="MAE on the test set")
    plots.legend_below(figure, panels[0])
    return figure


def training_mae(results: Results) -> Figure:
    """Best training error over generations, one panel per problem."""
    figure, panels = plots.panels(len(results.problem_names))
    for axes, problem in zip(panels, results.problem_names, strict=True):
        rows = results.history[results.history["problem"] == problem]
        plots.method_curves(axes, figure_data.training_curves(rows), results.methods)
        plots.plain_log(axes)
        axes.set(title=_title(results, problem), xlabel="generation", ylabel="best training MAE")
    plots.legend_below(figure, panels[0])
    return figure


def cases_used(results: Results) -> Figure | None:
    """Cases used in a selection event over generations, for methods that select by cases."""
    counted = results.history[results.history["cases_used"] > 0]
    methods = [method for method in results.methods if method.id in set(counted["method"])]
    problems = [problem for problem in results.problem_names if problem in set(counted["problem"])]
    if not methods:
        return None
    figure, panels = plots.panels(len(problems))
    for axes, problem in zip(panels, problems, strict=True):
        rows = results.history[results.history["problem"] == problem]
        plots.method_curves(axes, figure_data.case_curves(rows, "method"), methods)
        plots.plain_log(axes)
        cases = int(rows["training_cases"].iloc[0])
        axes.set(title=_title(results, problem), xlabel="generation", ylabel=f"cases used, of {cases}")
    plots.legend_below(figure, panels[0])
    return figure


def diversity(results: Results) -> Figure:
    """Distinct outputs over generations, over all problems."""
    figure, (axes,) = plots.panels(1, width=6.5, height=3.6)
    plots.method_curves(axes, figure_data.diversity_curves(results.history, "method"), results.methods)
    axes.set(xlabel="generation", ylabel="distinct output vectors (%)", ylim=(0, 102))
    plots.legend_beside(axes)
    return figure


def _friedman(results: Results) -> statistics.Friedman | None:
    """The test over the problems with the paper's data."""
    medians = statistics.medians(results.trials)
    return statistics.friedman(statistics.counted_medians(medians, statistics.rebuilt(results.problems)))


def friedman_intervals(results: Results) -> Figure | None:
    """Mean ranks with their intervals of significance."""
    test = _friedman(results)
    if test is None:
        return None
    methods = results.methods[::-1]
    chosen = "lex_e_mad" if "lex_e_mad" in test.mean_ranks.index else test.mean_ranks.idxmin()
    figure, (axes,) = plots.panels(1, width=6.0, height=0.32 * len(methods) + 0.9)
    for place, method in enumerate(methods):
        rank = test.mean_ranks[method.id]
        apart = abs(rank - test.mean_ranks[chosen]) > test.difference
        color = "#0072B2" if method.id == chosen else "#D55E00" if apart else "#777777"
        axes.plot(test.intervals.loc[method.id], [place, place], color=color, lw=2)
        axes.plot(rank, place, "o", color=color, ms=6)
    axes.axvspan(*test.intervals.loc[chosen], color="#0072B2", alpha=0.08, lw=0)
    axes.set_yticks(range(len(methods)), [method.math for method in methods])
    axes.set(xlabel=f"mean rank over {test.problems} problems (Friedman test: p = {test.p:.2g})")
    return figure


def critical_difference(results: Results) -> Figure | None:
    """Demsar's diagram: methods joined by a bar do not differ significantly."""
    from scikit_posthocs import critical_difference_diagram

    test = _friedman(results)
    if test is None:
        return None
    names = {method.id: method.math for method in results.methods}
    figure, (axes,) = plots.panels(1, width=6.8, height=0.2 * len(names) + 1.4)
    axes.grid(False)
    critical_difference_diagram(
        test.mean_ranks.rename(names),
        test.p_pairs.rename(index=names, columns=names),
        ax=axes,
        label_fmt_left="{label} ({rank:.2f}) ",
        label_fmt_right=" ({rank:.2f}) {label}",
        text_h_margin=0.3,
        color_palette={method.math: plots.style(method, results.methods)[0] for method in results.methods},
        marker_props={"s": 18},
        crossbar_props={"color": "#555555", "linewidth": 2.5},
    )
    axes.set_title(f"mean rank over {test.problems} problems; critical difference {test.difference:.2f}", pad=12)
    return figure


def epsilon_boxes(results: Results, method: str, symbol: str) -> Figure | None:
    """Box plots of the test errors by the value of epsilon."""
    rows = results.trials[results.trials["method"] == method]
    if rows.empty:
        return None
    figure, (axes,) = plots.panels(1, width=5.2, height=3.2)
    plots.boxes(axes, figure_data.box_values(rows, "epsilon", EPSILONS), plots.graded_colors(len(EPSILONS)))
    axes.set_xticks(range(1, len(EPSILONS) + 1), [f"{epsilon:g}" for epsilon in EPSILONS])
    axes.set(xlabel=symbol, ylabel="MAE on the test set", title=_where(results))
    return figure


def epsilon_cases_used(results: Results) -> Figure | None:
    """Cases used over generations by the value of epsilon_e."""
    figure = _epsilon_curves(results, figure_data.case_curves, "cases used")
    if figure is not None:
        plots.plain_log(figure.axes[0])
    return figure


def epsilon_diversity(results: Results) -> Figure | None:
    """Distinct outputs over generations by the value of epsilon_e."""
    return _epsilon_curves(results, figure_data.diversity_curves, "distinct output vectors (%)")


def _epsilon_curves(results: Results, curves: Callable, label: str) -> Figure | None:
    rows = results.history[results.history["method"] == "lex_e"]
    if rows.empty:
        return None
    figure, (axes,) = plots.panels(1, width=6.0, height=3.4)
    found = curves(rows, "epsilon")
    for place, (epsilon, color) in enumerate(zip(EPSILONS, plots.graded_colors(len(EPSILONS)), strict=True)):
        width = 1.2 + 0.4 * (len(EPSILONS) - 1 - place)  # curves of one case coincide: wider lines show below
        plots.curve(axes, found[found["epsilon"] == epsilon], color, "-", rf"$\epsilon_e$ = {epsilon:g}", width)
    axes.set(xlabel="generation", ylabel=label, title=_where(results))
    plots.legend_beside(axes)
    return figure


def laboratory_ranks(results: Results) -> Figure:
    """Mean ranks of all methods with their intervals, best on top."""
    found = measures.ranks(results.trials).sort_values("rank", ascending=False, kind="stable")
    figure, (axes,) = plots.panels(1, width=6.4, height=0.2 * len(found) + 0.9)
    axes.hlines(range(len(found)), found["low"], found["high"], color="#0072B2", lw=1.6)
    axes.plot(found["rank"], range(len(found)), "o", color="#0072B2", ms=4)
    axes.axvspan(found["low"].iloc[-1], found["high"].iloc[-1], color="#0072B2", alpha=0.08, lw=0)
    axes.set_yticks(range(len(found)), _labels(results, found.index), fontsize=7)
    axes.set(xlabel=f"mean rank over {len(results.problem_names)} problems", ylim=(-0.7, len(found) - 0.3))
    return figure


def laboratory_measures(results: Results) -> Figure:
    """Share of the time for selection, cases used, diversity and length of all methods, in the order of their ranks."""
    order = measures.ranks(results.trials).sort_values("rank", ascending=False, kind="stable").index
    found = measures.costs(results).loc[order]
    columns = {"share": "share of selection", "cases": "share of cases used", "diversity": "distinct outputs",
               "length": "mean length"}  # fmt: skip
    figure = Figure(figsize=(9.0, 0.2 * len(found) + 0.9), layout="constrained")
    for axes, (column, label) in zip(figure.subplots(1, len(columns), sharey=True), columns.items(), strict=True):
        axes.plot(found[column], range(len(found)), "o", color="#009E73", ms=4)
        axes.set(xlabel=label, ylim=(-0.7, len(found) - 0.3))
    figure.axes[0].set_yticks(range(len(found)), _labels(results, order), fontsize=7)
    return figure


def laboratory_error_time(results: Results) -> Figure:
    """Test error relative to the best against CPU time, one point per method."""
    error, seconds = measures.relative_errors(results.trials), measures.costs(results)["seconds"]
    figure, (axes,) = plots.panels(1, width=7.0, height=4.6)
    axes.plot(seconds.loc[error.index], error, "o", color="#0072B2", ms=4)
    for method, label in zip(error.index, _labels(results, error.index), strict=True):
        place = (seconds[method], error[method])
        axes.annotate(label, place, fontsize=6, xytext=(3, 2), textcoords="offset points")
    axes.set(xscale="log", xlabel="CPU seconds of a trial", ylabel="median test MAE over that of the best method")
    plots.plain_log(axes)
    return figure


def _labels(results: Results, ids: Iterable) -> list[str]:
    labels = {method.id: method.math for method in results.methods}
    return [labels[str(id)] for id in ids]


def _title(results: Results, problem: str) -> str:
    marked = problem in statistics.rebuilt(results.problems)
    return f"{results.title(problem)} (rebuilt data)" if marked else results.title(problem)


def _where(results: Results) -> str:
    return ", ".join(results.title(name) for name in results.problem_names)


def _arm(study: str, words: str) -> Figures:
    """The figures of one arm of the laboratory."""
    where = f"{words[0].lower()}{words[1:]}"
    return [
        (f"{study}_ranks", f"Mean ranks with 95% bootstrap intervals over trials: {where}.", laboratory_ranks),
        (
            f"{study}_measures",
            f"What selection costs and does, in the order of the ranks: {where}.",
            laboratory_measures,
        ),
        (
            f"{study}_error_time",
            f"Geometric mean over problems of the test error relative to the best, against time: {where}.",
            laboratory_error_time,
        ),
    ]


Figures = list[tuple[str, str, Callable[[Results], Figure | None]]]

FIGURES: dict[str, Figures] = {
    "table": [
        ("test_mae", "Best-of-run MAE on the test sets. Diamonds: the published medians.", test_mae),
        ("training_mae", "Best MAE on the training sets each generation; bands: standard error.", training_mae),
        ("cases_used", "Median number of cases used in a selection event; bands: standard error.", cases_used),
        (
            "diversity",
            "Distinct output vectors in the population, mean over problems and trials; bands: standard error.",
            diversity,
        ),
        (
            "friedman_intervals",
            "Mean ranks over the problems. Methods differ significantly where their intervals do not overlap; blue: "
            "the method held against the others, vermilion: significantly different from it.",
            friedman_intervals,
        ),
        (
            "critical_difference",
            "Mean ranks; methods joined by a bar do not differ significantly (Nemenyi, 5%).",
            critical_difference,
        ),
    ],
    "epsilon": [
        (
            "epsilon_e_test_mae",
            "Best-of-run MAE on the test set by ε_e.",
            partial(epsilon_boxes, method="lex_e", symbol=r"$\epsilon_e$"),
        ),
        (
            "epsilon_e_cases_used",
            "Median number of cases used in a selection event by ε_e; bands: standard error. Lines that coincide are "
            "drawn one inside the other.",
            epsilon_cases_used,
        ),
        (
            "epsilon_e_diversity",
            "Distinct output vectors in the population by ε_e; bands: standard error.",
            epsilon_diversity,
        ),
        (
            "epsilon_y_test_mae",
            "Best-of-run MAE on the test set by ε_y.",
            partial(epsilon_boxes, method="lex_y", symbol=r"$\epsilon_y$"),
        ),
    ],
    **{study: _arm(study, words) for study, words in laboratory.TITLES.items()},
}
