"""Selection: 1000 parents from 1000 individuals, beside the `lexicase` package and DEAP; and where its time goes."""

from __future__ import annotations

import random
from functools import partial

import numpy as np

from benchmarks.populations import EARLY, LATE, errors_early_and_late
from benchmarks.timing import Section, best_cpu_seconds, table
from epsilex import selection
from epsilex.selection.rules import pass_bits

CASES = (354, 1024, 4200)
N_PARENTS = 1000
OURS = ("lex_e_mad", "lex_semi", "lex_dynamic")
SPLIT = ("lex_y", "lex_e", "lex_y_mad", "lex_e_mad")
SPLIT_NOTE = """
CPU milliseconds of the parts of selection, on the same errors: bits are errors turned case by case, their best found,
compared with thresholds and packed; widths are the MADs; events are the draws of cases and the filtering.

"""
DEAP_EVENTS = {"DEAP": 5, "DEAP, bare": 50}
NOTE = f"""\
CPU milliseconds for {N_PARENTS} parents of 1000 individuals, thresholds included, on the errors of populations at
generations {EARLY} (early) and {LATE} (late) of a trial of the paper's system on UBall5D with that many cases. The
`lexicase` package takes best error over the pool and MAD over the population, as `lex_semi` does; DEAP's automatic
epsilon-lexicase takes both over the pool, as `lex_dynamic` does. DEAP's times are those of {DEAP_EVENTS["DEAP"]} events
with its own Fitness class, and of {DEAP_EVENTS["DEAP, bare"]} with a bare object in its place, which spares it
dividing all values at every look, multiplied to {N_PARENTS}.

"""


class Bare:
    """As much of DEAP's Fitness as its selection looks at."""

    def __init__(self, values: tuple[float, ...], weights: tuple[float, ...]):
        self.values, self.weights = values, weights


class Individual:
    def __init__(self, fitness):
        self.fitness = fitness


def deap_individuals(errors: np.ndarray, bare: bool) -> list[Individual]:
    from deap import base

    weights = (-1.0,) * errors.shape[1]
    if bare:
        return [Individual(Bare(tuple(row.tolist()), weights)) for row in errors]
    fitness_class = type("Fitness", (base.Fitness,), {"weights": weights})  # as deap.creator makes it
    return [Individual(fitness_class(tuple(row.tolist()))) for row in errors]


def measure(errors: np.ndarray) -> dict[str, float]:
    """CPU seconds of each contender for `N_PARENTS` parents."""
    import lexicase
    from deap import tools

    rng = np.random.default_rng(0)
    finite = np.where(np.isfinite(errors), errors, np.finfo(np.float32).max)  # the peers ask for finite numbers
    fitness = -finite.astype(np.float64)
    contenders = {id: partial(selection.select, id, errors, N_PARENTS, rng) for id in OURS}
    contenders["lexicase"] = partial(lexicase.epsilon_lexicase_selection, fitness, N_PARENTS, seed=0)
    seconds = best_cpu_seconds(contenders, repeats=9, budget=5.0)
    random.seed(0)
    for name, events in DEAP_EVENTS.items():
        individuals = deap_individuals(finite, bare=name != "DEAP")
        select = partial(tools.selAutomaticEpsilonLexicase, individuals, events)
        seconds[name] = best_cpu_seconds({name: select}, repeats=1)[name] * N_PARENTS / events
    return seconds


def split(id: str, errors: np.ndarray) -> dict[str, float]:
    """CPU seconds of the parts of one selection: bits, widths, events."""
    measures = selection.Measures.of(errors, np.nan_to_num(errors, nan=np.inf).mean(axis=1, dtype=np.float64))
    everyone, cases = np.arange(len(errors)), np.arange(errors.shape[1])
    rule, fixed = (selection.method(m).parents.keywords["rule"] for m in (id, "lex_y"))  # `lex_y` has only a constant
    seconds = best_cpu_seconds(
        {
            "bits": partial(pass_bits, errors, everyone, cases, fixed, 1),
            "thresholds": partial(pass_bits, errors, everyone, cases, rule, 1),
            "all": partial(selection.method(id).parents, measures, N_PARENTS, selection.Address(0, 0)),
        }
    )
    return {
        "bits": seconds["bits"],
        "widths": max(0.0, seconds["thresholds"] - seconds["bits"]),
        "events": seconds["all"] - seconds["thresholds"],
    }


def in_milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.1f}" if seconds < 0.1 else f"{1e3 * seconds:,.0f}"


def run() -> Section:
    lines, parts = [], []
    ratios: dict[str, list[str]] = {"lexicase": [], "DEAP": []}  # at 1024 cases, early and late
    for n_cases in CASES:
        for when, errors in errors_early_and_late(n_cases).items():
            seconds = measure(errors)
            for id in SPLIT:
                spent = split(id, errors)
                parts.append([f"{n_cases}, {when}, `{id}`", *(f"{1e3 * s:.2f}" for s in spent.values())])
            line = [f"{n_cases}, {when}", *map(in_milliseconds, seconds.values())]
            for peer in ratios:
                line.append(f"{seconds[peer] / seconds['lex_e_mad']:,.0f} x")
                if n_cases == 1024:
                    ratios[peer].append(line[-1])
            lines.append(line)
    figures = [
        (f"selection against {peer}, 1024 cases, early and late", aim, " and ".join(ratios[peer]))
        for peer, aim in {"lexicase": ">= 100 x", "DEAP": ">= 10,000 x"}.items()
    ]
    headers = ["cases", *seconds, *(f"{peer} / lex_e_mad" for peer in ratios)]
    text = NOTE + table(headers, lines) + SPLIT_NOTE + table(["cases, rule", *spent], parts)
    return Section("Selection", text, figures)


if __name__ == "__main__":
    print(run())
