"""Laws from few noisy rows: is the chosen formula the law?

*Found*: its mean squared error against the noiseless law on fresh rows is within ten times what fitting the law's own
constants would leave; where there is nothing but noise, it is a number.

The front of every run is stored with its result, so that rules of choice can be tried without a search.
"""

from __future__ import annotations

from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks.contenders import Ours, timed
from benchmarks.law_list import LAWS, Law
from benchmarks.law_list_held_out import HELD_OUT
from benchmarks.law_list_unseen import UNSEEN
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Figure, Section, table
from epsilex.models.model import Model
from epsilex.programs.operators import FEATURE

KEY = ("problem", "seed", "method", "seconds")
METHODS = ("ours", "before")  # what the choice did before decision 13 is kept for comparison
SECONDS, SEEDS = 5, 3
WITHIN, CLOSE = 10.0, 3.0  # times the squared error that fitting the constants leaves
EIGHT = ("hooke", "ideal gas", "arrhenius", "drag", "michaelis menten", "pendulum", "hall petch", "kepler")


def law_of(name: str) -> Law:
    return (LAWS | HELD_OUT | UNSEEN)[name]


def tasks(names=tuple(LAWS), seeds: int = SEEDS, seconds: float = SECONDS, method: str = "ours") -> list[Row]:
    return [
        {"problem": name, "seed": seed, "method": method, "seconds": seconds} for seed in range(seeds) for name in names
    ]


def measure(problem: str, seed: int, method: str, seconds: float) -> Row:
    """One search: how far the chosen formula is from the law, and the front."""
    import pandas as pd

    law = law_of(problem)
    X, y = law.measured(seed)
    fitted, spent = timed(Ours(), pd.DataFrame(X, columns=law.columns), y, seconds, seed)
    models = fitted.estimator.models_
    told = judged(law, seed, models, models.index(fitted.estimator.model_))
    return told | {"choice": fitted.estimator.choice_.text} | spent


def judged(law: Law, seed: int, models: list[Model], chosen: int) -> Row:
    """What was chosen, and what could have been."""
    limit = law.fitted_error(seed)
    distance = [(error(law, m) / limit) ** 2 for m in models]
    m = models[chosen]
    return {
        "found": is_found(law, m, distance[chosen]),
        "times": distance[chosen],
        "on_front": any(is_found(law, other, times) for other, times in zip(models, distance, strict=True)),
        "length": m.length,
        "law_length": len(law.nodes),
        "formula": m.formula,
        "front": [[list(node) for node in other.nodes] for other in models],
    }


def error(law: Law, m: Model) -> float:
    """Root of the mean squared error against the law on fresh rows."""
    X = law.fresh()
    return float(np.sqrt(np.mean((m.predict(X) - law.values(X)) ** 2)))


def is_found(law: Law, m: Model, times: float) -> bool:
    if not any(code == FEATURE for code, _, _ in law.nodes):
        return not any(code == FEATURE for code, _, _ in m.nodes)
    return bool(times <= WITHIN)


def tidy(rows: list[Row]) -> pd.DataFrame:
    """One row per law, seed and method, without the fronts."""
    columns = ("problem", "seed", "method", "found", "times", "on_front", "length", "law_length", "formula")
    return pd.DataFrame([{name: row[name] for name in columns} for row in rows])


def section(results: Results) -> Section:
    rows = results.rows()
    if not rows:
        return Section("Laws from few noisy rows", "No runs yet.\n")
    frame = tidy(rows)
    known = frame[frame["problem"].isin(LAWS)]
    note = (
        f"{len(LAWS)} laws, lines and pure noise, 8 to 300 rows, noise of 1 to 20%, {SEEDS} seeds, {SECONDS} CPU "
        f"seconds each. Found: the mean squared error against the noiseless law on fresh rows is within {WITHIN:g} "
        "times what fitting the law's own constants leaves; noise is found where the formula is a number. The held-out "
        "laws were kept apart from development; the later laws were written down after the planter of decision 27, "
        "before any of them was fitted."
    )
    summary = [
        _line(f"{name}, {label}", part[part["method"] == name])
        for label, names in (("laws", LAWS), ("held-out laws", HELD_OUT), ("later laws", UNSEEN))
        for part in [frame[frame["problem"].isin(names)]]
        for name in METHODS
        if (part["method"] == name).any()
    ]
    text = (
        f"{fill(note, 120)}\n\n{made(rows)}"
        + table(["", "found", f"within {CLOSE:g} times", "on the front", "median length, over the law's"], summary)
        + "\nBy law: seeds found, median squared error over what fitting the constants leaves, the formula of one "
        + "seed.\n\n"
        + table(["law", "found", "times", "length", "formula"], _by_law(frame[frame["method"] == "ours"]))
    )
    return Section("Laws from few noisy rows", text, figures(known[known["method"] == "ours"]))


def _line(name: str, part: pd.DataFrame) -> list[str]:
    close = part["found"] & (part["times"] <= CLOSE)
    more = (part["length"] - part["law_length"]).median()
    return [name, *(f"{s.sum()} of {len(part)}" for s in (part["found"], close, part["on_front"])), f"{more:+.0f}"]


def _by_law(ours: pd.DataFrame) -> list[list[str]]:
    lines = []
    for name, part in ours.groupby("problem", sort=False):
        first = part.sort_values("seed").iloc[0]
        lines.append(
            [
                name, f"{part['found'].sum()} of {len(part)}", f"{part['times'].median():.2g}",
                f"{first['length']} ({first['law_length']})", f"`{first['formula'][:80]}`",
            ]
        )  # fmt: skip
    return lines


def figures(ours: pd.DataFrame) -> list[Figure]:
    if ours.empty:
        return []
    eight = ours[ours["problem"].isin(EIGHT)]
    noise = ours[ours["problem"].str.startswith("noise")]
    return [
        ("laws from few noisy rows: found", "90%", f"{ours['found'].mean():.0%} of {len(ours)}"),
        ("laws: on the front", "97%", f"{ours['on_front'].mean():.0%}"),
        ("laws: median length over the law's", "2", f"{(ours['length'] - ours['law_length']).median():+.0f}"),
        ("laws: pure noise given a formula", "0", f"{(~noise['found']).sum()} of {len(noise)}"),
        ("laws: the eight of the first trial", "all", f"{eight['found'].sum()} of {len(eight)}"),
    ]


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--held-out", action="store_true", help="the laws kept apart from development")
    parser.add_argument("--unseen", action="store_true", help="the laws that were written down after it")
    options = parser.parse_args()
    names = tuple(HELD_OUT if options.held_out else UNSEEN if options.unseen else LAWS)
    wanted = tasks(("hooke", "noise 15"), seeds=1, seconds=2) if options.quick else tasks(names)
    results = carry_out("laws", KEY, wanted, options)
    print(section(results))
    if not options.quick:
        from benchmarks.fit import write_page

        write_page(options.results)


if __name__ == "__main__":
    main()
