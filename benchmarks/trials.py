"""Trial time by selection method: what selection costs beside evaluation, in the paper's system."""

from __future__ import annotations

import time

from benchmarks.populations import uball5d
from benchmarks.timing import Section, table
from epsilex import SymbolicRegressor, selection

GENERATIONS, REPEATS = 100, 3
WHOLE, WHOLE_GENERATIONS, WHOLE_REPEATS = ("tournament", "lex_e_mad"), 1000, 3
PARTS = ("select", "vary", "evaluate", "tune", "survive")  # history_ adds their seconds up
NOTE = f"""\
CPU seconds of a trial of the paper's system (population 1000, hill climbing) on UBall5D, 1024 cases, one thread,
methods in turns. The paper reports 1.20 for `lex_e_mad` over `tournament`, for whole trials of 1000 generations: the
first table has the mean of {WHOLE_REPEATS} of these, with seeds of their own. The second has all methods over their
first {GENERATIONS} generations, best of {REPEATS}; there programs are short and selection weighs more. Methods differ
also because their programs grow to different lengths; the shares show what each part costs.

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


def mean(trials: list[Trial]) -> Trial:
    seconds, shares = zip(*trials, strict=True)
    return sum(seconds) / len(trials), {part: sum(s[part] for s in shares) / len(trials) for part in PARTS}


def lines(measured: dict[str, Trial]) -> list[list[str]]:
    return [
        [f"`{method}`", f"{seconds:.2f}", f"{seconds / measured['tournament'][0]:.2f}"]
        + [f"{shares[part]:.0%}" for part in PARTS]
        for method, (seconds, shares) in measured.items()
    ]


def run() -> Section:
    trial("lex_e_mad", 0, 2)
    whole: dict[str, list[Trial]] = {method: [] for method in WHOLE}
    for seed in range(WHOLE_REPEATS):
        for method in WHOLE:
            whole[method].append(trial(method, seed, WHOLE_GENERATIONS))
    first: dict[str, list[Trial]] = {method: [] for method in selection.METHODS}
    for seed in range(REPEATS):
        for method in first:
            first[method].append(trial(method, seed, GENERATIONS))
    whole_lines = lines({method: mean(trials) for method, trials in whole.items()})
    first_lines = lines({method: min(trials, key=lambda it: it[0]) for method, trials in first.items()})
    headers = ["method", "seconds", "over tournament", *PARTS]
    text = NOTE + table(headers, whole_lines) + "\n" + table(headers, first_lines)
    figures = [("trial time of `lex_e_mad` over `tournament`", "<= 1.2", whole_lines[-1][2])]
    return Section("Trials", text, figures)


if __name__ == "__main__":
    print(run())
