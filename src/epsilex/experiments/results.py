"""Results read back as tidy rows. Statistics, tables and figures see nothing else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from epsilex.experiments import compact, published
from epsilex.experiments.methods import Method, arrange
from epsilex.experiments.store import FILE, ResultsError, check_version, explained, restored
from epsilex.selection import spelling

# The cells of a study at the scale and with the engine of its last run: a quick run and the full run may share one
# file, and engines never mix.
_REPORTED = """
    FROM trials JOIN cells USING (problem, method, settings, engine) JOIN (
        SELECT engine, generations, population_size FROM runs WHERE study = :study ORDER BY run DESC LIMIT 1
    ) AS last ON last.engine = cells.engine AND last.generations = cells.generations
             AND last.population_size = cells.population_size
    WHERE cells.study = :study AND trials.trial <= cells.trials
"""


@dataclass(frozen=True)
class Results:
    """One study's results.

    trials    one row per finished trial: problem, method, epsilon, trial, test_mae, ...
    failures  one row per failed trial: problem, method, trial, attempts, error
    history   one row per trial and generation: problem, method, epsilon, trial, generation, best_mae, ...
    run       the last run of the study: trials, generations, population_size, started, finished
    problems  one row per problem, indexed by name
    """

    study: str
    trials: pd.DataFrame
    failures: pd.DataFrame
    history: pd.DataFrame
    run: dict[str, Any]
    problems: pd.DataFrame
    environments: list[dict[str, Any]]

    @property
    def methods(self) -> list[Method]:
        """The methods that have trials, the paper's first."""
        return arrange(list(self.trials["method"].unique()))

    @property
    def problem_names(self) -> list[str]:
        """The problems that have trials, in the paper's order."""
        present = set(self.trials["problem"])
        known = [name for name in published.PROBLEMS if name in present]
        return known + sorted(present - set(known))

    def title(self, problem: str) -> str:
        return str(self.problems.loc[problem, "title"])


def read(out: Path, study: str) -> Results | None:
    """A study's results from the results file in the folder `out`; None if the study was never run."""
    with _connected(out) as db:
        run = pd.read_sql_query("SELECT * FROM runs WHERE study = ? ORDER BY run DESC LIMIT 1", db, params=(study,))
        if run.empty:
            return None
        trials = pd.read_sql_query(
            f"SELECT trials.*, cells.name {_REPORTED} ORDER BY problem, name, trial", db, params={"study": study}
        )
        history = pd.read_sql_query(
            "SELECT trials.problem, cells.name, trials.trial, trials.training_cases, trials.target_scale, "
            "generations.generation, best_mae, cases_used, cases_used_mean, diversity, mean_length, "
            "generations.evaluations, generations.seconds, seconds_select "
            + _REPORTED.replace("FROM trials", "FROM trials JOIN generations ON generations.trial = trials.id")
            + " AND trials.status = 'done'",
            db,
            params={"study": study},
        )
        problems = pd.read_sql_query("SELECT * FROM problems", db).set_index("problem")
        problems["notes"] = problems["notes"].map(json.loads)
        used = {int(number) for number in trials["environment"].dropna()}
        environments = [json.loads(text) for number, text in db.execute("SELECT * FROM environments") if number in used]
    trials, history = _by_column(trials, study), _by_column(history, study)
    done = trials[trials["status"] == "done"].drop(columns=["status", "error"])
    failures = trials.loc[trials["status"] == "failed", ["problem", "method", "epsilon", "trial", "attempts", "error"]]
    return Results(
        study, done.reset_index(drop=True), failures.reset_index(drop=True), history,
        run.iloc[0].to_dict(), problems, environments,
    )  # fmt: skip


def _by_column(rows: pd.DataFrame, study: str) -> pd.DataFrame:
    """Rows with the columns `method`, as the study names it, and `epsilon`, which distinguishes the epsilon study's."""
    names = rows.pop("name")
    if study != "epsilon":
        return rows.assign(method=names, epsilon=-1.0)
    parsed = {name: spelling.parse(name) for name in names.unique()}
    return rows.assign(
        method=names.map(lambda name: parsed[name][0]), epsilon=names.map(lambda name: parsed[name][1]["epsilon"])
    )


def keep(out: Path, folder: Path) -> None:
    """Write a compact copy of the results in `out` into `folder`."""
    with _connected(out) as db:
        compact.write(db, folder / compact.FOLDER)


def found_in(folder: Path) -> bool:
    """Whether a folder has results: the results file, or a compact copy of it."""
    return (folder / FILE).is_file() or compact.found_in(folder)


@contextmanager
def _connected(out: Path) -> Iterator[sqlite3.Connection]:
    path = Path(out) / FILE
    if not found_in(Path(out)):
        raise ResultsError(f"out: expected a folder with a {FILE}; got {out}")
    with explained(path):
        if path.is_file():
            db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
        else:
            db = restored(Path(out) / compact.FOLDER)
        try:
            db.execute("PRAGMA query_only = ON")
            check_version(db, path)
            yield db
        finally:
            db.close()
