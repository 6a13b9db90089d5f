"""Trial time by selection method: what selection costs beside evaluation, in the paper's system."""

from __future__ import annotations

import time

from benchmarks.populations import uball5d
from benchmarks.timing import Section, table
from epsilex import SymbolicRegressor, selection

GENERATIONS, REPEATS = 100, 3
PARTS = ("select", "vary", "evaluate", "tune", "survive")  # history_ adds their seconds up
NOTE = f"""\
CPU seconds of a trial of the paper's system (population 1000, hill climbing) on UBall5D, 1024 cases, {GENERATIONS}
generations, one thread: all methods in turns, best of {REPEATS} trials with seeds of their own. The paper reports 1.20
for `lex_e_mad` over `tournament`. Methods differ also because their programs grow to different lengths; the shares show
what each part costs.

"""


def trial(method: str, seed: int) -> tuple[float, dict[str, float]]:
    """CPU seconds of one trial, and the share of each part."""
    X, y = uball5d(1024, seed)
    est = SymbolicRegressor.paper(selection=method, generations=GENERATIONS, n_jobs=1, random_state=seed)
    start = time.process_time()
    est.fit(X, y)
    seconds = time.process_time() - start
    spent = {part: float(est.history_[f"seconds_{part}"].iloc[-1]) for part in PARTS}
    return seconds, {part: value / sum(spent.values()) for part, value in spent.items()}


def run() -> Section:
    trial("lex_e_mad", 0)
    best: dict[str, tuple[float, dict[str, float]]] = {}
    for seed in range(REPEATS):
        for method in selection.METHODS:
            now = trial(method, seed)
            best[method] = min(best.get(method, now), now, key=lambda it: it[0])
    lines = []
    for method, (seconds, shares) in best.items():
        ratio = seconds / best["tournament"][0]
        lines.append([f"`{method}`", f"{seconds:.2f}", f"{ratio:.2f}", *(f"{shares[part]:.0%}" for part in PARTS)])
    measured = next(line[2] for line in lines if line[0] == "`lex_e_mad`")
    figures = [("trial time of `lex_e_mad` over `tournament`", "<= 1.2", measured)]
    return Section("Trials", NOTE + table(["method", "seconds", "over tournament", *PARTS], lines), figures)


if __name__ == "__main__":
    print(run())
