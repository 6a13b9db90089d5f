"""Draw the pictures of the documentation and of the README, and keep what a fit prints: `python docs/figures.py`.

Everything comes from the package itself and from fixed seeds. What was drawn lies in docs/_static, and is drawn anew by
hand when the engine or a picture changes; `make docs` only shows it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from epsilex import SymbolicRegressor, problems, selection
from epsilex.models.plots import plot_front

STATIC = Path(__file__).parent / "_static"
LOOK = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "epsilex",  # the same picture is the same file
    "svg.fonttype": "path",
}
COLORS = {"lex": "#555555", "lex_y": "#cc79a7", "lex_e": "#e69f00", "lex_y_mad": "#009e73", "lex_e_mad": "#0072b2"}
DRAWS = 20_000
# Options that fit six cases, for methods whose defaults are meant for hundreds.
FITTING: dict[str, dict[str, float]] = {
    "batch": {"batch": 2},
    "bts": {"batch": 2, "tournament_size": 3},
    "cohort": {"cohorts": 2},
    "toggle": {"toggle": 0.5},
    "truncated": {"truncate": 0.34},
    "dss": {"share": 0.34},
    "predictors": {"cases": 2},
    "doc": {"clusters": 3},
}
PAPER = ("random", "tournament", "lex", "lex_y", "lex_e", "lex_y_mad", "lex_e_mad", "lex_semi", "lex_dynamic")

# Rows are individuals: a generalist, and three specialists with a near copy each.
INDIVIDUALS = ("A", "B", "B′", "C", "C′", "D", "D′")
ERRORS = np.array([
    [1.5, 1.5, 1.5, 1.5, 1.5, 1.5],
    [0.1, 0.1, 2.4, 2.2, 2.3, 2.5],
    [0.3, 0.2, 2.5, 2.3, 2.2, 2.4],
    [2.4, 2.3, 0.1, 0.1, 2.5, 2.2],
    [2.3, 2.5, 0.2, 0.3, 2.4, 2.3],
    [2.2, 2.4, 2.3, 2.5, 0.1, 0.1],
    [2.5, 2.2, 2.2, 2.4, 0.2, 1.0],
])  # fmt: skip
ORDER = (4, 1, 5, 0, 3, 2)  # of the cases, in the event that is drawn


@cache
def _passing(id: str, errors: bytes) -> np.ndarray:
    column = np.frombuffer(errors)
    parents = selection.select(id, column[:, None], DRAWS, np.random.default_rng(0))
    return column <= column[parents].max()


def passing(id: str, errors: np.ndarray) -> np.ndarray:
    """Who passes one case, (individuals,) bool: those at least as good as the worst that is selected on it alone."""
    return _passing(id, np.asarray(errors, np.float64).tobytes())


def pools(id: str, errors: np.ndarray, order: Sequence[int]) -> Iterator[np.ndarray]:
    """The pool after each case of one selection event, (individuals,) bool, for the paper's lexicase rules."""
    pool = np.ones(len(errors), bool)
    for case in order:
        passed = np.zeros(len(errors), bool)
        judged = pool if id == "lex" else np.ones(len(errors), bool)  # the best of the pool, or of the population
        passed[judged] = passing(id, errors[judged, case])
        if (pool & passed).any():  # where nobody passes, nobody leaves
            pool = pool & passed
        yield pool


def population_errors() -> np.ndarray:
    """Errors (individuals, cases) of a real population on UBall5D: the paper's settings, ten generations on."""
    train, _ = problems.load("uball5d").split(seed=0)
    kept = []
    est = SymbolicRegressor.paper(population_size=500, generations=10, random_state=0, callbacks=[kept.append])
    est.fit(train.X, train.y)
    return kept[-1].population.errors


def pool_sizes(id: str, errors: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """Median size of the pool at the start and after each case, over events with the given orders of the cases."""
    sizes = [[int(pool.sum()) for pool in pools(id, errors, order)] for order in orders]
    return np.array([len(errors), *np.median(sizes, axis=0)])


def draw_pool(population: np.ndarray) -> Figure:
    """One selection event on the small table, case by case; and the size of the pool in a real population."""
    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(4, 5))
    members = [np.ones(len(ERRORS), bool), *pools("lex_e_mad", ERRORS, ORDER)]
    for column, pool in enumerate(members):
        for row, name in enumerate(INDIVIDUALS):
            _disc(left, column, row, name, inside=bool(pool[row]))
    labels = ["start", *(f"case {case + 1}" for case in ORDER)]
    left.set(xlim=(-0.6, len(labels) - 0.4), ylim=(len(ERRORS) - 0.4, -0.6), title="the pool of one event, lex_e_mad")
    left.set_xticks(range(len(labels)), labels)
    left.set_yticks([])
    left.spines[:].set_visible(False)
    cases = np.random.default_rng(0).choice(population.shape[1], size=12, replace=False)
    orders = np.array([np.random.default_rng(event).permutation(cases) for event in range(40)])
    for id, color in COLORS.items():
        right.step(range(len(cases) + 1), pool_sizes(id, population, orders), where="post", color=color, label=id)
    right.set(yscale="log", xlabel="cases seen", ylabel="individuals in the pool")
    right.set_title(f"median of {len(orders)} events, {len(population)} individuals")
    right.legend(frameon=False, fontsize="small")
    return figure


def _disc(axes, x: float, y: float, name: str, inside: bool) -> None:
    axes.plot(x, y, "o", markersize=17, color=COLORS["lex_e_mad"] if inside else "#eeeeee")
    axes.text(x, y, name, ha="center", va="center_baseline", color="white" if inside else "#bbbbbb")


def draw_thresholds(population: np.ndarray) -> Figure:
    """One case of a real population: each rule's row shows who passes, and where its threshold lies."""
    spread = np.ptp(np.quantile(population, (0.25, 0.75), axis=0), axis=0)
    errors = population[:, int(np.argsort(spread)[len(spread) // 2])]  # a case as they commonly are
    figure = Figure(figsize=(9.0, 3.0), layout="constrained")
    axes = figure.subplots()
    jitter = np.random.default_rng(0).uniform(-0.28, 0.28, len(errors))
    for row, (id, color) in enumerate(COLORS.items()):
        passed = passing(id, errors)
        axes.plot(errors[~passed], row + jitter[~passed], ".", color="#cccccc", markersize=3)
        axes.plot(errors[passed], row + jitter[passed], ".", color=color, markersize=4)
        axes.plot([errors[passed].max()] * 2, [row - 0.4, row + 0.4], color=color)
        axes.annotate(f"{passed.sum()} pass", (1.0, row), xycoords=("axes fraction", "data"), ha="right", va="center",
                      color=color, bbox={"color": "white", "pad": 1})  # fmt: skip
    axes.set_yticks(range(len(COLORS)), COLORS)
    axes.set(xlabel="absolute error on one case", ylim=(len(COLORS) - 0.5, -0.5))
    axes.set_xlim(-0.02 * np.quantile(errors, 0.97), np.quantile(errors, 0.97))
    return figure


def probabilities(ids: Sequence[str]) -> np.ndarray:
    """How often each individual of the small table is selected, (methods, individuals)."""
    parents = [selection.select(id, ERRORS, DRAWS, np.random.default_rng(0)) for id in ids]
    return np.array([np.bincount(chosen, minlength=len(ERRORS)) / DRAWS for chosen in parents])


def draw_probabilities() -> Figure:
    """The small table, and who becomes a parent by each method."""
    ids = PAPER
    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 2))
    _numbers(left, ERRORS, "{:.1f}", "Oranges", vmax=6.0)
    left.set_xticks(range(ERRORS.shape[1]), [f"case {case + 1}" for case in range(ERRORS.shape[1])])
    left.set_yticks(range(len(ERRORS)), INDIVIDUALS)
    left.set_title("errors")
    _numbers(right, probabilities(ids).T, "{:.2f}", "Blues", vmax=0.7)
    right.set_xticks(range(len(ids)), ids, rotation=30, ha="right")
    right.set_yticks(range(len(ERRORS)), INDIVIDUALS)
    right.set_title("probability of being selected")
    return figure


def first_generation(id: str) -> np.ndarray:
    """How often each individual of the small table is selected in the first generation, (individuals,); over many
    selections, because some methods draw cases or cohorts once for all of a selection."""
    rng, options = np.random.default_rng(0), FITTING.get(id, {})
    parents = [selection.select(id, ERRORS, 100, rng, **options) for _ in range(DRAWS // 100)]
    return np.bincount(np.concatenate(parents), minlength=len(ERRORS)) / DRAWS


def draw_method(id: str) -> Figure:
    """Whom one method selects from the small table."""
    figure = Figure(figsize=(2.6, 1.1), layout="constrained")
    axes = figure.subplots()
    shares = first_generation(id)
    axes.bar(range(len(ERRORS)), shares, color=["#e69f00", *["#0072b2"] * 6], width=0.8)
    for place, share in enumerate(shares):
        axes.text(place, share + 0.02, f"{100 * share:.0f}", ha="center", va="bottom", fontsize=6)
    axes.set_xticks(range(len(ERRORS)), INDIVIDUALS, fontsize=7)
    axes.set(ylim=(0.0, max(0.35, 1.25 * shares.max())), yticks=[])
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0)
    return figure


def _numbers(axes, values: np.ndarray, form: str, colors: str, vmax: float) -> None:
    axes.imshow(values, cmap=colors, vmin=0.0, vmax=vmax, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        axes.text(column, row, form.format(value), ha="center", va="center")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def pendulum(n: int = 200) -> pd.DataFrame:
    """The tutorial's data: simulated pendulums, their periods with noise of a hundredth of a second."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame({
        "length": rng.uniform(0.2, 2.0, n),  # m
        "mass": rng.uniform(0.05, 0.5, n),  # kg
        "angle": rng.uniform(0.05, 1.2, n),  # rad, at release
    })  # fmt: skip
    period = 2 * np.pi * np.sqrt(data["length"] / 9.81) * (1 + data["angle"] ** 2 / 16)
    return data.assign(period=period + rng.normal(0.0, 0.01, n))


def fit_pendulum() -> tuple[SymbolicRegressor, pd.DataFrame, pd.DataFrame]:
    """A fit of three quarters of the rows, the front with its error on the rest, and the rest."""
    data = pendulum()
    train, test = data[:150], data[150:]
    operators = ("add", "sub", "mul", "div", "sqrt", "square")
    est = SymbolicRegressor(operators=operators, generations=100, time_limit=None, random_state=0)
    est.fit(train.drop(columns="period"), train["period"])
    errors = [np.abs(model.predict(test) - test["period"]).mean() for model in est.models_]
    return est, est.front_.assign(test_mae=errors), test


def draw_front(front: pd.DataFrame) -> Figure:
    """The front of a real fit."""
    figure = plot_front(front)
    figure.axes[0].set_title(
        "Period of a pendulum from length, mass and angle of release", loc="left", fontsize="medium"
    )
    return figure


def printed_fit() -> str:
    """What the tutorial's `epsilex fit` prints on standard output."""
    command = ["epsilex", "fit", "pendulum.csv", "--target", "period", "--generations", "100", "--out", "results"]
    with tempfile.TemporaryDirectory() as folder:
        pendulum().to_csv(Path(folder) / "pendulum.csv", index=False)
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=folder, stdout=subprocess.PIPE, text=True, check=True,
            env=os.environ | {"COLUMNS": "90", "NO_COLOR": "1"},
        )  # fmt: skip
    return f"$ {' '.join(command)}\n{done.stdout}"


def save(figure: Figure, folder: Path, name: str) -> None:
    figure.savefig(folder / name, dpi=150, metadata={"Date": None} if name.endswith(".svg") else None)


def draw_selection(folder: Path) -> None:
    """The pictures of `how it works`."""
    population = population_errors()
    save(draw_probabilities(), folder, "probabilities.svg")
    draw_methods(folder)
    save(draw_pool(population), folder, "pool.svg")
    save(draw_thresholds(population), folder, "thresholds.png")


def draw_methods(folder: Path) -> None:
    """One picture per method, of `all selection methods`."""
    for id in selection.METHODS:
        save(draw_method(id), folder, f"method-{id}.svg")


def draw_fit(folder: Path) -> None:
    """The pictures of the tutorial and of the README."""
    est, front, test = fit_pendulum()
    save(draw_front(front), folder, "front.png")
    save(est.model_.plot(test, test["period"]), folder, "fit.svg")
    save(est.plot_history(), folder, "history.svg")


if __name__ == "__main__":
    STATIC.mkdir(exist_ok=True)
    with matplotlib.rc_context(LOOK):
        draw_selection(STATIC)
        draw_fit(STATIC)
    (STATIC / "fit.txt").write_text(printed_fit(), encoding="utf-8")
