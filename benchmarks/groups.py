"""Groups: one law for eight data sets of ten noisy rows each, every set with constants of its own.

`groups` fits all rows with `groups="sample"`. For comparison, `alone` fits the ten rows of the first set. A law is
found if the formula's constants, tuned to noiseless fresh rows, make it exact, and it has as many constants per group
as the law and at most two nodes more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks.contenders import Ours
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import table
from epsilex.data.noise import Noise
from epsilex.data.rows import Rows
from epsilex.models.grouped.bench import fitted
from epsilex.models.grouped.program import Grouped
from epsilex.models.grouped.tuning import Cells, tuned, values
from epsilex.models.model import Model

KEY = ("problem", "seed", "method", "seconds")
METHODS = ("groups", "alone")
PAGE = Path(__file__).with_name("GROUPS.md")
GROUPS, ROWS, FRESH, NOISE = 8, 10, 60, 0.05  # sets, rows of each, noiseless rows; noise over the spread within sets
SECONDS, SEEDS, STEPS, EXACT, MORE = 10, 2, 300, 1e-5, 2


@dataclass(frozen=True)
class Law:
    """A law of features `x` and of the constants of a group.

    text    as a person writes it
    length  of its formula
    ranges  of the features
    own     ranges of the constants of a group
    value   function of the features and these constants
    """

    text: str
    length: int
    ranges: dict[str, tuple[float, float]]
    own: tuple[tuple[float, float], ...]
    value: Callable[..., np.ndarray]


LAWS = {
    "decay, own amplitude": Law(
        "a*exp(-0.45*t) + 0.7", 6, {"t": (0, 8)}, ((1, 5),), lambda x, a: a * np.exp(-0.45 * x["t"]) + 0.7
    ),
    "decay, own rate": Law("3.2*exp(-a*t)", 4, {"t": (0, 8)}, ((0.15, 1),), lambda x, a: 3.2 * np.exp(-a * x["t"])),
    "decay, own both": Law(
        "a*exp(-b*t)", 6, {"t": (0, 8)}, ((1, 5), (0.15, 1)), lambda x, a, b: a * np.exp(-b * x["t"])
    ),
    "titration, own pK": Law(
        "a + 0.434*log(q/(1 - q))", 8, {"q": (0.03, 0.97)}, ((3, 10),), lambda x, a: a + np.log10(x["q"] / (1 - x["q"]))
    ),
    "spring, own stiffness": Law("a*F", 3, {"F": (0.5, 10)}, ((0.2, 3),), lambda x, a: a * x["F"]),
    "enzyme, own rate": Law("a*S/(2.3 + S)", 7, {"S": (0.2, 12)}, ((1, 6),), lambda x, a: a * x["S"] / (2.3 + x["S"])),
    "enzyme, own affinity": Law(
        "5.1*S/(a + S)", 5, {"S": (0.2, 12)}, ((0.5, 6),), lambda x, a: 5.1 * x["S"] / (a + x["S"])
    ),
    "logistic, own midpoint": Law(
        "4/(1 + a*exp(-1.3*x))", 7, {"x": (0, 10)}, ((2.5, 7.5),), lambda x, a: 4 / (1 + np.exp(-1.3 * (x["x"] - a)))
    ),
}


def rows(law: Law, seed: int, n: int, noise: float) -> pd.DataFrame:
    """`n` rows of each group; the constants of the groups depend on the seed alone."""
    own = np.random.default_rng([seed, 1])
    rng = np.random.default_rng([seed, 2, n])
    parts = []
    for group in range(GROUPS):
        constants = [own.uniform(*ends) for ends in law.own]
        x = {name: rng.uniform(*ends, n) for name, ends in law.ranges.items()}
        parts.append(pd.DataFrame(x).assign(sample=f"s{group}", y=law.value(x, *constants)))
    within = float(np.sqrt(np.mean([part["y"].var(ddof=0) for part in parts])))
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(y=frame["y"] + noise * within * rng.normal(size=len(frame)))


def measure(problem: str, seed: int, method: str, seconds: float) -> Row:
    """The formula by one method, and whether it is the law."""
    law = LAWS[problem]
    train, clean = rows(law, seed, ROWS, NOISE), rows(law, seed, FRESH, 0.0)
    if method == "alone":
        train, clean = (frame[frame["sample"] == "s0"] for frame in (train, clean))
    if method != "groups":
        train = train.drop(columns="sample")
    Ours().warm_up()
    fit = Ours(groups="sample") if method == "groups" else Ours()
    est = fit(train.drop(columns="y"), train["y"], seconds, seed).estimator
    found = [is_law(m, law, clean, method) for m in est.models_]
    chosen = est.models_.index(est.model_)
    return {"found": found[chosen], "on_front": any(found), "formula": est.model_.formula}


def is_law(m: Model, law: Law, clean: pd.DataFrame, method: str) -> bool:
    """Whether some constants make the formula exact on noiseless rows, and it is no more than the law."""
    wanted = len(law.own) if method == "groups" else 0
    n_own = 0 if m.own is None else len(m.own.names)
    if n_own != wanted or m.length > law.length + MORE:
        return False
    clean = clean.sort_values("sample", kind="stable")
    X, y = clean[list(m.feature_names)].to_numpy(float), clean["y"].to_numpy(float)
    code = np.unique(clean["sample"], return_inverse=True)[1] if n_own else np.zeros(len(y), np.int64)
    table_ = np.empty((0, 1)) if m.own is None else m.own.values
    program, cells = Grouped(m.nodes, table_, X.shape[1]), Cells.of(X, code)
    noise = Noise.of("additive", Rows(X, y, np.ones(len(y))))
    best = tuned(program, cells, noise, fitted(program, exact=False), STEPS)
    with np.errstate(all="ignore"):
        left = float(np.sqrt(np.mean((values(best, cells) - y) ** 2)))
    return bool(left <= EXACT * float(y.std()))


def page(results: Results) -> str:
    stored = results.rows()
    lines = []
    for name, law in LAWS.items():
        mine = {method: [r for r in stored if r["problem"] == name and r["method"] == method] for method in METHODS}
        found = [f"{sum(r['found'] for r in part)} of {len(part)}" for part in mine.values()]
        first = min(mine["groups"], key=lambda r: r["seed"], default={"formula": ""})
        lines.append([name, f"`{law.text}`", *found, f"`{first['formula']}`"])
    total = {m: [r["found"] for r in stored if r["method"] == m] for m in METHODS}
    lines.append(["all", "", *(f"{sum(part)} of {len(part)}" for part in total.values()), ""])
    note = (
        f"{len(LAWS)} laws, {GROUPS} sets of {ROWS} rows each, noise of {NOISE:.0%} of the spread within a set, "
        f"{SEEDS} seeds (one alone), {SECONDS} CPU seconds of search each. Found: the constants of the "
        "chosen formula, tuned to noiseless fresh rows, make it exact, with as many constants per group as the law "
        "and at most two nodes more. `alone`: the rows of the first set only. "
        "The formula is that of the first seed."
    )
    head = ["set", "law, `a` and `b` per group", *METHODS, "formula with groups"]
    return (
        "# Groups\n\nWritten by `python -m benchmarks.groups`; kill it at any moment, it goes on.\n\n"
        f"{fill(note, 120)}\n\n{made(stored)}{table(head, lines)}"
    )


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    seeds, seconds = (1, 2) if options.quick else (SEEDS, SECONDS)
    tasks = [
        {"problem": problem, "seed": seed, "method": method, "seconds": seconds}
        for method in METHODS for seed in range(seeds if method == "groups" else 1) for problem in LAWS
    ]  # fmt: skip
    results = carry_out("groups", KEY, tasks, options)
    text = page(results)
    print(text)
    if not options.quick:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
