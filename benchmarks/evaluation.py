"""Evaluation: node evaluations per second beside pyoperon, gplearn and DEAP, the same programs for all."""

from __future__ import annotations

import numpy as np

from benchmarks.peers import Deap, Gplearn, Operon
from benchmarks.timing import Section, best_cpu_seconds, table
from epsilex import programs
from epsilex.kernels.evaluating import in_blocks
from epsilex.programs.evaluation import evaluate_blocks

ROWS = (354, 1000, 10_000, 100_000)
FUNCTION_SETS = {
    "the paper's": ("add", "sub", "mul", "div", "sin", "cos", "exp", "log"),
    "arithmetic": ("add", "sub", "mul", "div"),
}
N_PROGRAMS = 1000
N_FOR_SLOW = 200  # programs for gplearn and DEAP, the first of the same list; their rate does not depend on it
N_FEATURES = 8
NOTE = f"""\
Node evaluations per second, in units of 10^9: {N_PROGRAMS} random programs of 3 to 50 nodes over {N_FEATURES} features,
float32, one thread. "epsilex" is `programs.evaluate`, which checks the programs, lays out the data and allocates the
outputs at every call; "prepared" is the same as the search calls it, and as pyoperon's `EvaluateTrees` is called: data
laid out before, outputs written to an array that is there. The ratio is of these two. gplearn and DEAP run the first
{N_FOR_SLOW} of the programs. Outputs of pyoperon and DEAP were checked against ours first; gplearn computes with its
own protected division and logarithm. DEAP's programs are Python expressions, in which a subtree of constants alone
costs almost nothing.

"""


def check_agreement(name: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Refuse to time a peer that computes something else (long float32 chains differ in unstable places)."""
    both = np.isfinite(ours) & np.isfinite(theirs)
    close = np.isclose(ours[both], theirs[both], rtol=1e-3, atol=1e-5).mean()
    as_defined = (np.isfinite(ours) == np.isfinite(theirs)).mean()
    if both.mean() < 0.25 or close < 0.99 or as_defined < 0.99:
        raise AssertionError(f"{name} disagrees: {close:.4f} of the values are close, {as_defined:.4f} finite alike")


def measure(operators: tuple[str, ...], n_rows: int) -> dict[str, float]:
    """Node evaluations per second (in units of 1e9) of each contender."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    p = programs.random_programs(N_PROGRAMS, N_FEATURES, rng, min_length=3, max_length=50, operators=operators)
    few = p.take(np.arange(N_FOR_SLOW))
    operon, gplearn, deap = Operon(p, X), Gplearn(few, X), Deap(few, X)

    ours = programs.evaluate(p, X, n_jobs=1)
    check_agreement("pyoperon", ours, operon.run())
    with np.errstate(over="ignore"):
        check_agreement("DEAP", ours[:N_FOR_SLOW], deap.outputs())
    del ours

    blocks = in_blocks(X)
    room = evaluate_blocks(p, blocks)
    seconds = best_cpu_seconds(
        {
            "epsilex": lambda: programs.evaluate(p, X, n_jobs=1),
            "prepared": lambda: evaluate_blocks(p, blocks, 1, room),
            "pyoperon": operon.run,
            "gplearn": gplearn.run,
            "DEAP": deap.run,
            "DEAP with compile": deap.compile_and_run,
        },
        repeats=9,
        budget=8.0,
    )
    all_nodes = dict.fromkeys(("epsilex", "prepared", "pyoperon"), p.length.sum())
    nodes = dict.fromkeys(seconds, few.length.sum()) | all_nodes
    return {name: nodes[name] * n_rows / seconds[name] / 1e9 for name in seconds}


def run() -> Section:
    lines, figures = [], []
    for title, operators in FUNCTION_SETS.items():
        for n_rows in ROWS:
            rate = measure(operators, n_rows)
            ratio = rate["prepared"] / rate["pyoperon"]
            lines.append([title, f"{n_rows:,}", *(f"{value:.2f}" for value in rate.values()), f"{ratio:.1f} x"])
            if title == "the paper's" and n_rows == 1000:
                figures.append(("node evaluations against pyoperon, 1000 rows", ">= 4 x", lines[-1][-1]))
    headers = ["functions", "rows", *rate, "prepared / pyoperon"]
    return Section("Evaluation", NOTE + table(headers, lines), figures)


if __name__ == "__main__":
    print(run())
