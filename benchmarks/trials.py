"""Trial time by selection method: what selection costs beside evaluation, in the paper's system."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.populations import uball5d
from benchmarks.timing import Section, table
from epsilex import SymbolicRegressor, problems, selection
from epsilex.experiments.trials import HISTORY, encode, run_trial
from epsilex.experiments.trials import Trial as Key

GENERATIONS, REPEATS = 100, 3
WHOLE, WHOLE_TRIALS = ("tournament", "lex_e_mad"), 5
OPTIONS = {"generations": 1000, "population_size": 1000}
PARTS = ("select", "vary", "evaluate", "tune", "survive")  # history_ adds their seconds up
NOTE = f"""\
CPU seconds of a trial of the paper's system (population 1000, hill climbing) on UBall5D, 1024 cases, one thread,
methods in turns. The paper reports 1.20 for `lex_e_mad` over `tournament`, for whole trials of 1000 generations: the
first table has the medians of {WHOLE_TRIALS} such trials, the first of `epsilex reproduce`. The second has all methods
over their first {GENERATIONS} generations, best of {REPEATS}; there programs are short and selection weighs more.
Methods differ also because their programs grow to different lengths; the shares show what each part costs.

"""
Trial = tuple[float, dict[str, float]]  # CPU seconds, and the share of each part


def trial(method: str, seed: int, generations: int) -> Trial:
    X, y = uball5d(1024, seed)
    est = SymbolicRegressor.paper(selection=method, generations=generations, n_jobs=1, random_state=seed)
    start = time.process_time()
    est.fit(X, y)
    seconds = time.process_time() - start
    spent = {part: float(est.history_[f"seconds_{part}"].iloc[-1]) for part in PARTS}
    return seconds, {part: value / sum(spent.values()) for part, value in spent.items()}


def whole_trial(method: str, number: int) -> Trial:
    """A trial of the paper's table."""
    outcome = run_trial(Key("table", "uball5d", method, encode(OPTIONS), number), problems.load("uball5d"))
    if outcome.error is not None:
        raise RuntimeError(outcome.error)
    last = dict(zip(HISTORY, outcome.history[-1], strict=True))
    spent = {part: last.get(f"seconds_{part}", 0.0) for part in PARTS}
    return outcome.row["cpu_seconds"], {part: value / sum(spent.values()) for part, value in spent.items()}


def median(trials: list[Trial]) -> Trial:
    seconds, shares = zip(*trials, strict=True)
    return float(np.median(seconds)), {part: float(np.mean([s[part] for s in shares])) for part in PARTS}


def lines(measured: dict[str, Trial]) -> list[list[str]]:
    return [
        [f"`{method}`", f"{seconds:.2f}", f"{seconds / measured['tournament'][0]:.2f}"]
        + [f"{shares[part]:.0%}" for part in PARTS]
        for method, (seconds, shares) in measured.items()
    ]


def run() -> Section:
    trial("lex_e_mad", 0, 2)
    whole: dict[str, list[Trial]] = {method: [] for method in WHOLE}
    for number in range(1, WHOLE_TRIALS + 1):
        for method in WHOLE:
            whole[method].append(whole_trial(method, number))
    first: dict[str, list[Trial]] = {method: [] for method in selection.METHODS}
    for seed in range(REPEATS):
        for method in first:
            first[method].append(trial(method, seed, GENERATIONS))
    whole_lines = lines({method: median(trials) for method, trials in whole.items()})
    first_lines = lines({method: min(trials, key=lambda it: it[0]) for method, trials in first.items()})
    headers = ["method", "seconds", "over tournament", *PARTS]
    text = NOTE + table(headers, whole_lines) + "\n" + table(headers, first_lines)
    figures = [("trial time of `lex_e_mad` over `tournament`", "<= 1.2", whole_lines[-1][2])]
    return Section("Trials", text, figures)


if __name__ == "__main__":
    print(run())
