"""Trial time by selection method: what selection costs beside evaluation, in the paper's system with all cases."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from benchmarks.timing import Section, table
from epsilex import SymbolicRegressor, problems, selection
from epsilex.problems.finding import DataMissing

PARTS = ("select", "vary", "evaluate", "tune", "survive")  # history_ adds their seconds up
RULES = ("lex_y", "lex_e", "lex_y_mad", "lex_e_mad")
PROBLEMS = ("housing", "tower", "enh", "enc", "uball5d")
WHOLE, WHOLE_SEEDS = 1000, (1, 2, 3)  # generations, as in the paper
SHORT, SHORT_SEEDS = 300, (1,)
FIRST, FIRST_SEEDS = 100, (1,)
REPEATS = 2
OURS = selection.METHODS[:10]  # the paper's and the study of 2019's; `docs/selection.md` has the others
NOTE = """\
CPU seconds of trials of the paper's system (population 1000, hill climbing), one thread, methods in turns, the best of
{repeats}; ratios are means over trials. Every trial selects by all cases: the options of selection that they ran with
were {options}. The paper reports 1.20 for `lex_e_mad` over `tournament`.

Methods differ in two ways. "Selection" is the time of selection itself over that of the whole trial by `tournament`;
"rest" is all other time over that of `tournament`, which differs because programs grow to other lengths.

"""


@dataclass(frozen=True)
class Trial:
    """CPU seconds, those of selection, the mean length of all programs, and the options selection ran with."""

    seconds: float
    select: float
    length: float
    options: str


def trial(method: str, problem: problems.Problem, seed: int, generations: int) -> Trial:
    train, _ = problem.split(seed)
    est = SymbolicRegressor.paper(selection=method, generations=generations, n_jobs=1, random_state=seed)
    start = time.process_time()
    est.fit(train.X, train.y)
    seconds = time.process_time() - start
    options = dict(est.settings_.selection_options)
    if options:
        raise RuntimeError(f"trials: expected selection by all cases, with no options; {method} ran with {options}")
    spent = {part: float(est.history_[f"seconds_{part}"].iloc[-1]) for part in PARTS}
    # The clock of the parts counts wall time: on a busy machine only their shares are right.
    select = seconds * spent["select"] / sum(spent.values())
    return Trial(seconds, select, float(est.history_["mean_length"].mean()), str(options))


def best_trials(
    methods: tuple[str, ...], name: str, seeds: tuple[int, ...], generations: int
) -> dict[str, list[Trial]]:
    """The fastest of REPEATS equal trials of each method and seed."""
    problem = problems.load(name)
    best: dict[str, list[Trial]] = {method: [] for method in methods}
    for seed in seeds:
        turns = [{method: trial(method, problem, seed, generations) for method in methods} for _ in range(REPEATS)]
        for method in methods:
            best[method].append(min((turn[method] for turn in turns), key=lambda it: it.seconds))
    return best


def ratios(trials: list[Trial], reference: list[Trial]) -> tuple[float, float, float]:
    """Time over the reference's, and its parts: selection and rest, the latter over the reference's rest."""
    pairs = list(zip(trials, reference, strict=True))
    whole = np.mean([a.seconds / b.seconds for a, b in pairs])
    select = np.mean([a.select / b.seconds for a, b in pairs])
    rest = np.mean([(a.seconds - a.select) / (b.seconds - b.select) for a, b in pairs])
    return float(whole), float(select), float(rest)


def line(label: str, trials: list[Trial], reference: list[Trial]) -> list[str]:
    seconds, length = np.mean([t.seconds for t in trials]), np.mean([t.length for t in trials])
    return [label, f"{seconds:.2f}", *(f"{r:.2f}" for r in ratios(trials, reference)), f"{length:.1f}"]


def lines(best: dict[str, list[Trial]]) -> list[list[str]]:
    return [line(f"`{method}`", trials, best["tournament"]) for method, trials in best.items()]


def on_problems() -> tuple[list[list[str]], float, list[str]]:
    """Lines of the epsilon rules on all problems, their mean ratio, and the problems without data."""
    found, means, missing = [], [], []
    for name in PROBLEMS:
        try:
            best = best_trials(("tournament", *RULES), name, SHORT_SEEDS, SHORT)
        except DataMissing:
            missing.append(name)
            continue
        for method in RULES:
            found.append(line(f"{name}, `{method}`", best[method], best["tournament"]))
            means.append(ratios(best[method], best["tournament"]))
    whole, select, rest = (f"{r:.2f}" for r in np.mean(means, axis=0))
    found.append(["mean", "", whole, select, rest, ""])
    return found, float(whole), missing


def run() -> Section:
    warm_up = problems.load("uball5d")
    options = {trial(method, warm_up, 0, 2).options for method in OURS}
    whole = best_trials(("tournament", "lex_e_mad"), "uball5d", WHOLE_SEEDS, WHOLE)
    rules, mean, missing = on_problems()
    first = best_trials(OURS, "uball5d", FIRST_SEEDS, FIRST)
    headers = ["method", "seconds", "over tournament", "selection", "rest", "mean length"]
    text = NOTE.format(repeats=REPEATS, options=" and ".join(sorted(f"`{o}`" for o in options)))
    text += f"UBall5D, 1024 cases, {WHOLE} generations, trials {', '.join(map(str, WHOLE_SEEDS))}:\n\n"
    text += table(headers, lines(whole))
    text += f"\nThe epsilon rules, {SHORT} generations"
    text += f"; left out for want of data: {', '.join(missing)}:\n\n" if missing else ":\n\n"
    text += table(["problem, method", *headers[1:]], rules)
    text += f"\nThe paper's methods and two more, UBall5D, the first {FIRST} generations, where programs are short:\n\n"
    text += table(headers, lines(first))
    ratio = ratios(whole["lex_e_mad"], whole["tournament"])[0]
    figures = [
        ("trial time of `lex_e_mad` over `tournament`, all cases", "<= 1.2", f"{ratio:.2f}"),
        ("trial time of the four epsilon rules over `tournament`, mean over five problems", "<= 1.10", f"{mean:.2f}"),
    ]
    return Section("Trials", text, figures)


if __name__ == "__main__":
    print(run())
