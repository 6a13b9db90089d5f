"""Small and noisy data: our chosen model beside ridge, and the rules that choose it from the front.

One fit gives the front, and every rule that is a function of it is tried on that same front; holding rows back for
validation needs a fit of its own. Fronts are stored with the results, so that rules can be tried without a search.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks import small_data
from benchmarks.compare import scores
from benchmarks.contenders import CONTENDERS, Ours, timed
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Figure, Section, table
from epsilex.programs.operators import CONSTANT, FEATURE

KEY = ("problem", "seed", "method", "seconds")
METHODS = {"ours": Ours(), "validation": Ours(choose="validation")} | {n: CONTENDERS[n] for n in ("ridge", "forest")}
SECONDS, SPLITS = 5, 10
FLOOR, COLLAPSE = -1.0, 0.3  # the least R2 of a split that is averaged; below ridge by this much is a collapse
LEVEL = 5e-5  # of the mean R2: what is nearer to ridge's is not behind
DEFAULT = "default"  # what the estimator chose itself
ORACLE = "best of the front"  # by the test rows: what a perfect rule would get


def log_mse(front: pd.DataFrame) -> np.ndarray:
    return np.log(np.maximum(front["mse"].to_numpy(float), 1e-24 * front["variance"].to_numpy(float)))


def criterion(per_node: Callable[[int], float], size: str = "length") -> Callable[[pd.DataFrame, int], int]:
    """The rule `n log(mse) + size * per_node(n)`, the least."""

    def rule(front: pd.DataFrame, n: int) -> int:
        return int(np.argmin(n * log_mse(front) + front[size].to_numpy(float) * per_node(n)))

    return rule


def corrected(front: pd.DataFrame, n: int) -> int:
    """Akaike's criterion, corrected for few rows, over the constants and the error's variance."""
    k = front["constants"].to_numpy(float) + 1.0
    with np.errstate(divide="ignore"):
        more = np.where(n > k + 1.0, 2.0 * k * (k + 1.0) / np.maximum(n - k - 1.0, 1e-9), np.inf)
    return int(np.argmin(n * log_mse(front) + 2.0 * k + more))


def shortest_within(share: float) -> Callable[[pd.DataFrame, int], int]:
    """The shortest model whose training error is at most so much above the least."""

    def rule(front: pd.DataFrame, n: int) -> int:
        mse = front["mse"].to_numpy(float)
        return int(np.argmax(mse <= (1.0 + share) * mse.min()))

    return rule


def among_proven(rule: Callable[[pd.DataFrame, int], int]) -> Callable[[pd.DataFrame, int], int]:
    """The rule over models proven to have no pole; over all where none is."""

    def among(front: pd.DataFrame, n: int) -> int:
        places = np.flatnonzero(front["proven"]) if front["proven"].any() else np.arange(len(front))
        return int(places[rule(front.iloc[places], n)])

    return among


RULES: dict[str, Callable[[pd.DataFrame, int], int]] = {
    "accuracy": lambda front, n: int(np.argmin(front["mse"])),
    "AIC, length": criterion(lambda n: 2.0),
    "AICc, constants": corrected,
    "BIC, constants": criterion(np.log, "constants"),
    "BIC, half the length (description)": criterion(lambda n: 0.5 * np.log(n)),
    "BIC, half the length, proven": among_proven(criterion(lambda n: 0.5 * np.log(n))),
    "BIC, length": criterion(np.log),
    "BIC, twice the length": criterion(lambda n: 2.0 * np.log(n)),
    "shortest within 10%": shortest_within(0.1),
    "shortest within 25%": shortest_within(0.25),
}


def tasks(names=small_data.NAMES, splits: int = SPLITS, seconds: float = SECONDS) -> list[Row]:
    return [
        {"problem": name, "seed": seed, "method": method, "seconds": seconds if isinstance(fit, Ours) else 0}
        for seed in range(splits)
        for name in names
        for method, fit in METHODS.items()
    ]


def measure(problem: str, seed: int, method: str, seconds: float) -> Row:
    """One split: the test R2 and the length of what each rule chooses; of the references, the test R2."""
    X, y, X_test, y_test = small_data.load(problem, seed)
    fitted, spent = timed(METHODS[method], X, y, seconds, seed)
    if method not in ("ours", "validation"):
        return {"r2": scores(y_test, fitted.predict(X_test))["r2"]} | spent
    models = fitted.estimator.models_
    r2 = [scores(y_test, m.predict(X_test))["r2"] for m in models]
    front = extended(fitted.estimator.front_, models, y)
    chosen = {DEFAULT: models.index(fitted.estimator.model_)}
    if method == "ours":
        chosen |= {name: rule(front, len(y)) for name, rule in RULES.items()} | {ORACLE: int(np.argmax(r2))}
    told = {"rules": {name: [r2[i], models[i].length] for name, i in chosen.items()}, "models": len(models)}
    return told | {"front": [[list(node) for node in m.nodes] for m in models]} | spent


def extended(front: pd.DataFrame, models, y: np.ndarray) -> pd.DataFrame:
    """`front_` with what the rules need besides: how many constants a model has, and the target's variance."""
    constants = [sum(code == CONSTANT or (code == FEATURE and c != 1.0) for code, _, c in m.nodes) for m in models]
    return front.assign(constants=constants, variance=float(np.var(y)) or 1.0)


def tidy(rows: list[Row]) -> pd.DataFrame:
    """One row a problem, split and rule: r2 (at least -1), length, and ridge's R2 on the same split."""
    ridge = {(row["problem"], row["seed"]): row["r2"] for row in rows if row["method"] == "ridge"}
    lines = []
    for row in rows:
        split = row["problem"], row["seed"]
        if split not in ridge:
            continue
        chosen = row.get("rules") or {row["method"]: [row.get("r2"), np.nan]}
        for rule, (r2, length) in chosen.items():
            name = row["method"] if row["method"] == "validation" else rule
            lines.append((*split, name, max(r2, FLOOR), length, r2 < ridge[split] - COLLAPSE))
    return pd.DataFrame(lines, columns=["problem", "seed", "rule", "r2", "length", "collapsed"])


def section(results: Results) -> Section:
    frame = tidy(results.rows())
    if frame.empty:
        return Section("Small data", "No runs yet.\n")
    splits, seconds = frame["seed"].nunique(), max(row["seconds"] for row in results.rows())
    order = [DEFAULT, *RULES, "validation", ORACLE, "ridge", "forest"]
    rules = [name for name in order if name in set(frame["rule"])]
    over_all = []
    for name in rules:
        part = frame[frame["rule"] == name]
        means = part.groupby("problem")["r2"].mean()
        length = "" if part["length"].isna().all() else f"{part['length'].median():.0f}"
        over_all.append(
            [name, f"{means.mean():.3f}", f"{means.min():.3f}", f"{part['collapsed'].sum()} of {len(part)}", length]
        )
    shown = [name for name in (DEFAULT, "accuracy", "validation", ORACLE, "ridge", "forest") if name in rules]
    by_problem = []
    for name, part in frame.groupby("problem", sort=False):
        means, collapsed = part.groupby("rule")["r2"].mean(), part[part["rule"] == DEFAULT]
        by_problem.append(
            [
                name,
                *(f"{means[rule]:.3f}" if rule in means else "" for rule in shown),
                collapsed["collapsed"].sum(),
                f"{collapsed['length'].median():.0f}",
            ]
        )
    note = (
        f"{splits} random splits, three quarters for training; {seconds} CPU seconds a fit. Mean test R2, a split "
        f"counting {FLOOR:g} at least; a split collapses where it is more than {COLLAPSE} below ridge with built-in "
        "cross-validation on standardised columns. Every rule chooses from the same fronts, but for `validation`, "
        f"which holds a quarter of the rows back; `{DEFAULT}` is what the estimator chose."
    )
    text = (
        f"{fill(note, 120)}\n\n{made(results.rows())}"
        + table(["rule", "mean R2", "least of a set", "collapsed", "median length"], over_all)
        + "\nBy data set, mean test R2, with the collapses and the median length of the default.\n\n"
        + table(["", *shown, "collapsed", "length"], by_problem)
    )
    return Section("Small data", text, figures(frame))


def figures(frame: pd.DataFrame) -> list[Figure]:
    means = frame.pivot_table(index="problem", columns="rule", values="r2", aggfunc="mean")
    ours = frame[frame["rule"] == DEFAULT]
    if ours.empty:
        return []
    gap = means["ridge"] - means[DEFAULT]
    behind = [f"{name} by {gap[name]:.4f}" for name in means.index if gap[name] >= LEVEL]
    said = f"{means[DEFAULT].mean():.3f} against {means['ridge'].mean():.3f}"
    said += f"; behind on {', '.join(behind)}" if behind else "; not behind on any"
    return [
        ("small data: mean test R2 against ridge", "at least, on every set", said),
        ("small data: splits collapsed", "0", f"{ours['collapsed'].sum()} of {len(ours)}"),
        ("small data: median length", "< 20", f"{ours['length'].median():.0f}"),
    ]


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    wanted = tasks(("engel", "statecrime"), splits=2, seconds=2) if options.quick else tasks()
    results = carry_out("small", KEY, wanted, options)
    print(section(results))
    if not options.quick:
        from benchmarks.fit import write_page

        write_page(options.results)


if __name__ == "__main__":
    main()
