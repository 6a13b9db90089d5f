"""A stand-in for `run_trial`: instant, deterministic, with numbers like the paper's. Workers import it by name."""

from __future__ import annotations

import io
import os
import sqlite3
import time
from pathlib import Path

import numpy as np
from rich.console import Console

from epsilex import problems
from epsilex.experiments import published, runner, studies
from epsilex.experiments.progress import Progress
from epsilex.experiments.store import FILE, Store
from epsilex.experiments.trials import HISTORY, Outcome, Trial
from epsilex.pools import ProcessPool
from epsilex.problems import Problem

CASES = {"lex": 0.003, "lex_y": 0.05, "lex_e": 0.1, "lex_y_mad": 0.03, "lex_e_mad": 0.03}


def work(trial: Trial, problem: Problem) -> Outcome:
    """A trial whose numbers depend on its seed alone."""
    rng = np.random.default_rng(trial.seed)
    method = trial.method.partition("(")[0]
    level = published.median(problem.name, method) or 0.3
    epsilon = trial.setting("selection_options").get("epsilon", 1.0)
    if method in ("lex_e", "lex_y"):
        level *= 1 + 0.4 * abs(np.log10(epsilon / (5.0 if method == "lex_e" else 0.1)))
    generations = trial.setting("generations")
    steps = np.arange(1, generations + 1)
    best = level * (0.9 + 1.5 * np.exp(-steps / generations * 6)) * rng.lognormal(0, 0.03) / problem.target_scale
    share = CASES.get(method, np.nan) * (1 + epsilon / 10)
    history = {name: steps * 0.01 for name in HISTORY}
    history |= {"generation": steps, "best_mae": best, "median_mae": 2 * best, "evaluations": 2000 * steps}
    history |= {"cases_used": np.full(generations, share), "cases_used_mean": np.full(generations, share)}
    history |= {"diversity": 0.9 - 0.3 * np.exp(-steps / 10) * rng.random()}
    row = {
        "test_mae": float(level * rng.lognormal(0, 0.03)),
        "train_mae": float(best[-1] * problem.target_scale),
        "target_scale": problem.target_scale,
        "training_cases": 700,
        "test_cases": 300,
        "length": 21,
        "formula": "x1 + 1",
        "generations": generations,
        "evaluations": 2000 * generations,
        "seconds": 1.0,
        "cpu_seconds": float(rng.lognormal(0, 0.1)) * (1.2 if "mad" in trial.method else 1.0),
    }
    columns = [[None if value != value else value for value in history[name].tolist()] for name in HISTORY]
    return Outcome(row, list(zip(*columns, strict=True)), {"stand-in": True})


def slow_work(trial: Trial, problem: Problem) -> Outcome:
    """The same, long enough to be killed in the middle of."""
    time.sleep(0.15)
    return work(trial, problem)


def failing_work(trial: Trial, problem: Problem) -> Outcome:
    """Tournament fails always, the rest never."""
    return (
        Outcome(error="Traceback ...\nValueError: out of luck")
        if trial.method == "tournament"
        else work(trial, problem)
    )


def deadly_work(trial: Trial, problem: Problem) -> Outcome:
    """The first trial of tournament takes its worker down with it."""
    if trial.method == "tournament" and trial.trial == 1:
        os._exit(9)
    return work(trial, problem)


METHODS = ["random", "tournament", "lex"]
SCALE = studies.Scale(trials=4, generations=3, population_size=10)


def cells():
    return studies.cells("table", ["uball5d"], METHODS, SCALE)


def plan():
    return studies.plan(cells(), SCALE.trials)


def carry_out(out: Path, work, jobs=2, console=None) -> int:
    """Run what is left of the plan; how many failed."""
    loaded = {"uball5d": problems.load("uball5d")}
    console = console or Console(file=io.StringIO())
    with Store.open(out / FILE) as store:
        pool = ProcessPool(jobs)
        try:
            store.begin("table", SCALE, cells(), loaded.values(), pool.description)
            done = store.done()
            left = [trial for trial in plan() if trial not in done]
            with Progress(console, plan(), done, jobs) as progress:
                return runner.run(left, loaded, store, pool, progress, work)
        finally:
            pool.close()


def stored(out: Path, columns: str = "problem, method, settings, trial, seed, status, test_mae") -> list[tuple]:
    with sqlite3.connect(f"{(out / FILE).as_uri()}?mode=ro", uri=True) as db:
        return sorted(db.execute(f"SELECT {columns} FROM trials").fetchall())


def histories(out: Path) -> list[tuple]:
    with sqlite3.connect(f"{(out / FILE).as_uri()}?mode=ro", uri=True) as db:
        return db.execute(
            "SELECT t.method, t.trial, g.generation, g.best_mae FROM generations g JOIN trials t ON t.id = g.trial "
            "ORDER BY 1, 2, 3"
        ).fetchall()


def my_select(errors, n, rng):
    """A user's own method: anyone."""
    return rng.integers(0, len(errors), n)


def bad_select(errors, n, rng):
    """A user's own method that does not work."""
    raise RuntimeError("no parents today")
