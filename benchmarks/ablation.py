"""What each modern part is worth: it is switched off alone, everything else as it is; and all of them together, by the
paper's settings."""

from __future__ import annotations

from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks import datasets
from benchmarks.compare import scores
from benchmarks.comparison import r2_text
from benchmarks.contenders import Ours, timed
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Section, table
from epsilex.evolution import Settings
from epsilex.evolution.survival import SURVIVALS
from epsilex.regressor import SymbolicRegressor

KEY = ("problem", "noise", "seed", "method", "seconds")
SECONDS, SEEDS = 10, 3
PROBLEMS = (
    ("housing", 0.0), ("tower", 0.0), ("enh", 0.0), ("enc", 0.0), ("friedman1", 0.0), ("I.9.18", 0.1),
    ("uball5d", 0.0), ("I.27.6", 0.0), ("I.50.26", 0.0),
)  # the first six are left to evolution, the start solves the others  # fmt: skip
DEFAULT = "default"


def variants() -> dict[str, dict]:
    """Name of each variant and how its parameters differ from the default's; what equals the default is left out."""
    paper = SymbolicRegressor.paper()
    found: dict[str, dict] = {
        DEFAULT: {},
        "no linear scaling": {"scaling": False},
        "no coefficients": {"coefficients": False},
        "no tuning": {"tuning": "none"},
        "tuning: hill climbing": {"tuning": "hill_climbing"},
        "a tenth of the children tuned": {"tuning_share": 0.1},
        "no grafts": {"variations": {}},
        "point mutation alone": {"mutations": {"point": 1.0}},
        "no crossover": {"crossover": 0.0},
        "no polish": {"polish": False},
        "no shadow rows": {"shadow": False},
        "no sums at the start": {"planters": ()},
        "no school of short programs": {"short_share": 0.0},
        "the paper's settings": paper.settings.get_params() | {"choose": paper.choose, "polish": paper.polish},
    }
    for survival in SURVIVALS:
        found[f"survival: {survival}"] = {"survival": survival}
    for method in ("random", "tournament", "lex", "lex_e_mad", "lex_semi", "lex_dynamic"):
        options = "(downsample=100)" if method.startswith("lex") else ""
        found[f"selection: {method}"] = {"selection": method + options}
    for cases in (30, 300):
        found[f"{cases} cases per generation"] = {"selection": f"lex_e_mad(downsample={cases})"}
    found["all cases per generation"] = {"selection": "lex_e_mad"}
    return {name: changes for name, changes in found.items() if not changes or differs(changes)}


def differs(changes: dict) -> bool:
    """Whether the settings are others than the default's; parameters of the estimator alone always are."""
    settings = {name: value for name, value in changes.items() if name in Settings.__dataclass_fields__}
    return len(settings) < len(changes) or Settings(**settings) != Settings()


VARIANTS = variants()


def tasks(problems=PROBLEMS, names=tuple(VARIANTS), seeds: int = SEEDS, seconds: float = SECONDS) -> list[Row]:
    return [
        dict(zip(KEY, (problem, noise, seed, name, seconds), strict=True))
        for seed in range(seeds)
        for problem, noise in problems
        for name in names
    ]


def measure(problem: str, noise: float, seed: int, method: str, seconds: float) -> Row:
    data = datasets.load(problem, noise, seed)
    fitted, spent = timed(Ours(**VARIANTS[method]), data.X, data.y, seconds, seed)
    more = {"length": fitted.length, "generations": fitted.estimator.n_generations_}
    return scores(data.y_test, fitted.predict(data.X_test), data.mae_unit) | more | spent


def section(results: Results) -> Section:
    frame = pd.DataFrame(results.rows())
    if frame.empty:
        return Section("Ablation", "No runs yet.\n")
    frame["problem"] += np.where(frame["noise"] > 0, " + noise", "")
    unexplained = median(frame, "unexplained")
    names = [name for name in VARIANTS if name in unexplained.index]
    problems = list(dict.fromkeys(frame["problem"]))
    ranks = unexplained.loc[names].rank(axis=0).mean(axis=1)
    worse = ratio(unexplained)
    length, generations = (frame.groupby("method")[value].median() for value in ("length", "generations"))
    lines = [
        [
            name, f"{ranks[name]:.1f}", f"{worse[name]:.2f}", f"{length[name]:.0f}", f"{generations[name]:.0f}",
            *("" if np.isnan(x) else r2_text(x) for x in unexplained.loc[name, problems]),
        ]
        for name in names
    ]  # fmt: skip
    seeds, seconds = frame["seed"].nunique(), frame["seconds"].max()
    note = (
        f"Median test R2 over {seeds} seed{'s' * (seeds > 1)}, {seconds} CPU seconds a fit. The rank is the mean over "
        "the problems, 1 the best; `1 - R2` is the geometric mean over the problems of its ratio to the default's, "
        "above 1 where the change does harm (values below 1e-10 count as that)."
    )
    headers = ["", "rank", "1 - R2", "length", "generations", *problems]
    return Section("Ablation", f"{fill(note, 120)}\n\n{made(results.rows())}{table(headers, lines)}")


def median(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """Medians over the seeds, index variant, columns problem."""
    return frame.pivot_table(index="method", columns="problem", values=value, aggfunc="median")


def ratio(unexplained: pd.DataFrame) -> pd.Series:
    """By variant: geometric mean of its 1 - R2 over the default's."""
    logs = np.log(unexplained.clip(1e-10, 1e10))
    if DEFAULT not in logs.index:
        return pd.Series(np.nan, logs.index)
    return np.exp((logs - logs.loc[DEFAULT]).mean(axis=1))


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    quick = tasks((("friedman1", 0.0), ("I.27.6", 0.0)), (DEFAULT, "no tuning", "no linear scaling"), 1, 2)
    results = carry_out("ablation", KEY, quick if options.quick else tasks(), options)
    print(section(results))
    if not options.quick:
        from benchmarks.fit import write_page

        write_page(options.results)


if __name__ == "__main__":
    main()
