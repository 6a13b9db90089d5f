"""One trial: its key, the seeds derived from the key, and the run itself."""

from __future__ import annotations

import hashlib
import json
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any

from epsilex import selection
from epsilex.evolution import Settings, State
from epsilex.experiments import environment, methods
from epsilex.problems import Problem, Split

if TYPE_CHECKING:
    import pandas as pd

    from epsilex.regressor import SymbolicRegressor

HISTORY = (
    "generation", "best_mae", "median_mae", "cases_used", "cases_used_mean", "diversity", "mean_length", "evaluations",
    "seconds", "seconds_select", "seconds_vary", "seconds_evaluate", "seconds_tune", "seconds_survive",
)  # fmt: skip
BUDGETS = ("evaluations", "seconds")  # what may end a trial before its generations do
ENDLESS = 10**6  # generations
DYNAMIC = {"lags": 1, "feedback": 1}  # y(t) = f(x(t), x(t-1), y(t-1)), the paper's Wind


@dataclass(frozen=True)
class Trial:
    """The key of a trial: everything that determines its result.

    method    the selection method with all of its options, as one text
    settings  settings of the search, as JSON with sorted keys (see `effective_settings`)
    engine    version of the engine
    trial     number of the trial, from 1
    """

    problem: str
    method: str
    settings: str
    engine: int
    trial: int

    @property
    def seed(self) -> int:
        """Seed of the search. Trials that differ only in a setting share it."""
        return _hashed("search", self.problem, self.method, self.trial)

    @property
    def split_seed(self) -> int:
        """Seed of the partition. All methods of one trial see the same partition, for a fair comparison."""
        return _hashed("split", self.problem, self.trial)

    def setting(self, name: str) -> Any:
        return json.loads(self.settings)[name]


@dataclass
class Outcome:
    """The result of a trial: the columns of its row, its history and its environment; or its error."""

    row: dict[str, Any] = field(default_factory=dict)
    history: list[tuple] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)
    error: str | None = None


def effective_settings(
    method: str, generations: int, budget: Mapping[str, float] | None = None, **changes: Any
) -> dict[str, Any]:
    """Table 1 with `changes`, with every field spelled out: the requested settings of a trial.

    With a `budget` of evaluations or seconds, the modern default with `changes`; it ends the trial.
    """
    name, options = methods.parts(method)
    chosen: dict[str, Any] = {"selection": methods.load(name), "selection_options": options}
    if not budget:
        return _described(Settings.paper(**chosen, **changes), generations, name, methods.code_mark(name))
    rule = selection.method(chosen["selection"])
    survival = {"survival": rule.survival} if rule.survive is not None else {}
    described = _described(Settings(**chosen, **survival | changes), generations, name, methods.code_mark(name))
    return described | dict(budget)


def _described(settings: Settings, generations: int, method: str, code: str | None) -> dict[str, Any]:
    """`method` names a user's own method, which has no text form."""
    described = {field.name: getattr(settings, field.name) for field in fields(settings)} | {"generations": generations}
    del described["seed"]  # it follows from the trial's key
    if not isinstance(settings.selection, str):
        described["selection"] = method
    if code:
        described["code"] = code
    return json.loads(json.dumps(described, default=_name))


def encode(settings: dict[str, Any]) -> str:
    """Settings as text; equal settings give equal texts."""
    return json.dumps(settings, sort_keys=True, separators=(",", ":"))


@cache
def completed(text: str) -> str:
    """The settings of a stored trial, with those that did not exist then: they had no effect, as in their preset."""
    stored = json.loads(text)
    if "code" in stored:  # a method of the user's own, which may be gone
        return text
    spelled = selection.spelling.spell(stored["selection"], stored["selection_options"])
    budget = {name: stored[name] for name in BUDGETS if name in stored}
    return encode(effective_settings(spelled, stored["generations"], budget) | stored)


def run_trial(trial: Trial, problem: Problem) -> Outcome:
    """Fit and test one model. Never raises, because a failure is an outcome too."""
    try:
        return _run(trial, problem)
    except Exception:
        return Outcome(environment=environment.describe(), error=traceback.format_exc())


def _run(trial: Trial, problem: Problem) -> Outcome:
    train, test = problem.split(trial.split_seed)
    X = _named(train, problem)
    estimator = _estimator(trial, problem.dynamic)
    estimator.rehearse()  # the paper's times include no compiling
    wall, cpu = time.perf_counter(), time.thread_time()
    estimator.fit(X, train.y, sample_weight=train.weight)
    wall, cpu = time.perf_counter() - wall, time.thread_time() - cpu

    history = estimator.history_
    generations = int(history["generation"].max())
    asked = json.loads(trial.settings)
    ran = _described(estimator.settings_, generations, asked["selection"], asked.get("code"))
    ends = BUDGETS if not any(name in asked for name in BUDGETS) else (*BUDGETS, "generations")
    if differing := sorted(name for name in asked if name not in ends and ran.get(name) != asked[name]):
        raise RuntimeError(f"the search did not run with the settings asked for: {', '.join(differing)}")
    prediction = estimator.predict(_named(test, problem))
    row = {
        "test_mae": test.mae(prediction) * problem.target_scale,
        "test_mae_measured": None if test.measured is None else test.mae(prediction, only_measured=True),
        "train_mae": train.mae(estimator.predict(X)) * problem.target_scale,
        "target_scale": problem.target_scale,
        "training_cases": train.cases,
        "test_cases": test.cases,
        "length": len(estimator.model_.nodes),  # of the program, as the paper counts
        "formula": estimator.model_.formula,
        "generations": generations,
        "evaluations": int(history["evaluations"].iloc[-1]),
        "seconds": wall,
        "cpu_seconds": cpu,
    }
    return Outcome(row, _plain(history), environment.describe())


def _estimator(trial: Trial, dynamic: bool) -> SymbolicRegressor:
    from epsilex.dynamic import DynamicRegressor
    from epsilex.regressor import SymbolicRegressor

    settings = json.loads(trial.settings)
    settings.pop("code", None)
    settings["selection"] = methods.load(settings["selection"])
    fixed: dict[str, Any] = {"n_jobs": 1, "random_state": trial.seed}
    evaluations, seconds = (settings.pop(name, None) for name in BUDGETS)
    if evaluations is not None or seconds is not None:
        settings["generations"] = ENDLESS
        fixed |= {"time_limit": seconds, "callbacks": [] if evaluations is None else [_Spent(evaluations)]}
    if dynamic:
        return DynamicRegressor.paper(**DYNAMIC, **settings, **fixed)
    return SymbolicRegressor.paper(**settings, **fixed)


class _Spent:
    """A callback that ends a search once it has run this many programs."""

    def __init__(self, evaluations: int):
        self.evaluations = evaluations

    def __call__(self, state: State) -> bool:
        return state.evaluations >= self.evaluations


def _named(side: Split, problem: Problem) -> pd.DataFrame:
    """Inputs with column names, which then appear in the formula."""
    import pandas as pd

    return pd.DataFrame(side.X, columns=list(problem.feature_names))


def _plain(history: pd.DataFrame) -> list[tuple]:
    """History rows as plain Python numbers, in the order of `HISTORY`; None for columns that a method does not have."""
    columns = [history[name].tolist() if name in history else [None] * len(history) for name in HISTORY]
    return [
        tuple(None if value is None or value != value else value for value in row) for row in zip(*columns, strict=True)
    ]


def _name(thing: Callable) -> str:
    """Functions in the settings by name, because their addresses differ between runs."""
    return f"{thing.__module__}:{thing.__qualname__}"


def _hashed(*parts: Any) -> int:
    """31 bits of the SHA-256 of the parts: stable across machines and versions, unlike `hash`."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
