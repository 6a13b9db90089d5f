"""Forms: are the unknown functions inside a known form found, and what does the same search find without the form?

*Recovered*: every inner function agrees with the true one to 1e-3 on fresh rows of its arguments, up to what the form
leaves open. Without a form there are no inner functions, so there the whole formula is compared, for both.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

import numpy as np

from benchmarks.contenders import Ours
from benchmarks.form_list import FRESH, NOISE, PROBLEMS, ROWS, Inner
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Section, table
from epsilex.models.model import Model
from epsilex.programs.numeric import evaluate64

KEY = ("problem", "seed", "method", "seconds")
METHODS = ("form", "plain")
SECONDS, SEEDS = 10, 1
BEYOND = 0.25  # of the range of an argument
CLOSE = 1e-3  # relative error of a recovered function
PAGE = Path(__file__).with_name("FORMS.md")


def tasks(names=tuple(PROBLEMS), seeds: int = SEEDS, seconds: float = SECONDS) -> list[Row]:
    return [
        {"problem": name, "seed": seed, "method": method, "seconds": seconds}
        for seed in range(seeds) for name in names for method in METHODS
    ]  # fmt: skip


def measure(problem: str, seed: int, method: str, seconds: float) -> Row:
    """One search of so many CPU seconds."""
    import pandas as pd

    from epsilex import SymbolicRegressor

    known = PROBLEMS[problem]
    X, y = known.measured(seed)
    rows = pd.DataFrame(X, columns=list(known.columns))
    parameters = {"form": known.form} if method == "form" else {}
    SymbolicRegressor(generations=2, time_limit=None, **parameters).fit(rows, y)  # compiles, outside of the clock
    fitted = Ours(**parameters)(rows, y, seconds, seed)
    m = fitted.estimator.model_
    fresh, truth = known.rows(FRESH, 1_000_000 + seed)
    error = relative(m.predict(fresh), truth - truth.mean(), truth)
    found = {name: distance(m, name, inner) for name, inner in known.inner.items()} if method == "form" else {}
    beyond = [distance(m, name, inner, BEYOND) for name, inner in known.inner.items()] if method == "form" else []
    recovered = bool(found) and all(value <= CLOSE for value in found.values())
    return {
        "recovered": recovered, "close": bool(error <= CLOSE), "whole": error, "inner": found,
        "beyond": max(beyond, default=None),
        "length": m.length, "formula": m.formula, "functions": m.functions,
        "generations": fitted.estimator.n_generations_, "stopped": fitted.estimator.stopped_by_,
    }  # fmt: skip


def distance(m: Model, name: str, inner: Inner, beyond: float = 0.0) -> float:
    """Relative error of an inner function on fresh rows of its arguments, up to its freedom; their ranges extend beyond
    the data's upper end by this share."""
    rng = np.random.default_rng(7)
    U = np.column_stack([rng.uniform(low, high + beyond * (high - low), FRESH) for low, high in inner.ranges])
    truth, own = inner.values(*U.T), evaluate64(m.form.functions[name][1], U)
    if inner.freedom == "offset":
        return relative(own - own.mean(), truth - truth.mean(), truth - truth.mean())
    if inner.freedom == "factor":
        own = own * float(own @ truth) / float(own @ own)
    return relative(own, truth, truth)


def relative(own: np.ndarray, size: np.ndarray, truth: np.ndarray) -> float:
    """Root of the mean squared difference of `own` and `truth`, over that of `size`."""
    value = float(np.sqrt(np.mean((own - truth) ** 2) / np.mean(size**2)))
    return value if np.isfinite(value) else 1e300


def section(results: Results) -> Section:
    rows = results.rows()
    if not rows:
        return Section("Unknown functions in known forms", "No runs yet.\n")
    with_form, without = ([row for row in rows if row["method"] == method] for method in METHODS)
    note = (
        f"{len(PROBLEMS)} forms, {ROWS} rows, noise of {NOISE:g} of the target's standard deviation, {SECONDS} CPU "
        "seconds, one thread. Recovered: every inner function agrees with the true one to "
        f"{CLOSE:g} on {FRESH} fresh rows, up to what the form leaves open (an offset or a factor). "
        f"Beyond: the same, with arguments up to {BEYOND:.0%} beyond their range. Whole formula: its "
        "root mean squared error on fresh rows, over the target's standard deviation; *close* if below the same limit."
    )
    summary = [
        ["inner functions recovered", f"{sum(row['recovered'] for row in with_form)} of {len(with_form)}", ""],
        [
            f"also {BEYOND:.0%} beyond the data",
            f"{sum(row['beyond'] <= CLOSE for row in with_form)} of {len(with_form)}",
            "",
        ],
        [
            "whole formula close",
            *(f"{sum(row['close'] for row in part)} of {len(part)}" for part in (with_form, without)),
        ],
    ]
    other = {(row["problem"], row["seed"]): row for row in without}
    lines = []
    for row in with_form:
        plain = other.get((row["problem"], row["seed"]))
        worst = max(row["inner"].values())
        inner = "; ".join(f"`{name} = {text[:60]}`" for name, text in row["functions"].items())
        lines.append([
            row["problem"], f"`{PROBLEMS[row['problem']].form}`", "yes" if row["recovered"] else "no", f"{worst:.1e}",
            f"{row['beyond']:.1e}",
            f"{row['whole']:.1e}", "" if plain is None else f"{plain['whole']:.1e}", inner,
        ])  # fmt: skip
    heads = ["problem", "form", "recovered", "error inside", "beyond", "whole", "whole, no form", "found"]
    text = f"{fill(note, 120)}\n\n{made(rows)}{table(['', 'with the form', 'without'], summary)}\n{table(heads, lines)}"
    return Section("Unknown functions in known forms", text)


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    wanted = tasks(("sum",), seconds=1) if options.quick else tasks()
    results = carry_out("forms", KEY, wanted, options)
    found = section(results)
    print(found)
    if not options.quick:
        command = "python -m benchmarks.forms"
        PAGE.write_text(f"# Forms\n\nWritten by `{command}`.\n\n{found}", encoding="utf-8")


if __name__ == "__main__":
    main()
