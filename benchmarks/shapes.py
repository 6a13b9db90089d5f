"""Shapes: ten laws from few noisy rows, with what is known of their shape and without.

Whether a constraint holds is seen from predictions alone, on 100,000 points of the box, for every formula of the front:
differences between two points for a slope, the middle of two points for the slope of a slope.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks.contenders import Ours
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.shape_list import BEYOND, LAWS, NOISE, ROWS, Shaped
from benchmarks.timing import table
from epsilex import SymbolicRegressor
from epsilex.models.model import Model
from epsilex.shapes.statements import Statement, statements

KEY = ("problem", "seed", "method", "seconds")
METHODS = ("shapes", "plain")
PAGE = Path(__file__).with_name("SHAPES.md")
SECONDS, SEEDS, FRESH, POINTS = 5, 2, 2000, 100_000
ROUNDING = 1e-9  # of the largest value: violations that are rounding
WORST = 1.0  # error of the law's own mean: no model counts as worse


def tasks(names=tuple(LAWS), seeds: int = SEEDS, seconds: float = SECONDS) -> list[Row]:
    return [
        {"problem": name, "seed": seed, "method": method, "seconds": seconds}
        for seed in range(seeds) for name in names for method in METHODS
    ]  # fmt: skip


def measure(problem: str, seed: int, method: str, seconds: float) -> Row:
    """One search of so many CPU seconds."""
    law = LAWS[problem]
    train = law.measured(seed)
    known = {"constraints": law.constraints, "domain": law.box} if method == "shapes" else {}
    X, y = train.drop(columns="y"), train["y"]
    SymbolicRegressor(generations=2, time_limit=None, **known).fit(X, y)  # compiles, outside of the clock
    est = Ours(**known)(X, y, seconds, seed).estimator
    points = law.rows(POINTS, 1_000_000 + seed, beyond=True)
    violated = [violations(m, law, points) for m in est.models_]
    chosen = est.models_.index(est.model_)
    return {
        "within": error(est.model_, law.rows(FRESH, 2_000_000 + seed)),
        "beyond": error(est.model_, law.rows(FRESH, 3_000_000 + seed, beyond=True)),
        "violated": violated[chosen], "front": len(est.models_), "front_violates": sum(map(bool, violated)),
        "shape": est.model_.metrics.get("shape", ""), "length": est.model_.length, "formula": est.model_.formula,
        "generations": est.n_generations_,
    }  # fmt: skip


def error(m: Model, fresh: pd.DataFrame) -> float:
    """Root mean squared error against the noiseless law, over the standard deviation of its values."""
    with np.errstate(all="ignore"):
        found = float(np.sqrt(np.mean((m.predict(fresh) - fresh["y"]) ** 2)) / fresh["y"].std(ddof=0))
    return found if np.isfinite(found) else 1e300


def violations(m: Model, law: Shaped, points: pd.DataFrame) -> list[str]:
    """The constraints that the model's predictions violate somewhere."""
    known = statements(law.constraints, list(law.ranges))
    return [one.text for one in known if not holds(m, one, law, points)]


def holds(m: Model, one: Statement, law: Shaped, points: pd.DataFrame) -> bool:
    names = list(law.ranges)
    at = points[names].copy()
    for column, value in one.pins:
        at[names[column]] = value
    with np.errstate(all="ignore"):
        value = m.predict(at)
        least = -ROUNDING * max(float(np.abs(value).max()), float(points["y"].abs().max()))
        if one.order == 0:
            left = one.sign * value - one.value
            return bool((np.abs(left) <= -least if one.equal else left >= least).all())
        name = names[one.feature]
        other = at.assign(**{name: at[name].to_numpy()[::-1]})
        rise = np.sign(other[name] - at[name]).to_numpy() * (m.predict(other) - value)
        if one.order == 1:
            return bool((one.sign * rise >= least).all())
        middle = at.assign(**{name: (at[name] + other[name]) / 2})
        bend = value + m.predict(other) - 2 * m.predict(middle)
        return bool((one.sign * bend >= 4 * least).all())


def page(results: Results) -> str:
    rows = results.rows()
    shaped, plain = ({(r["problem"], r["seed"]): r for r in rows if r["method"] == method} for method in METHODS)
    both = [key for key in shaped if key in plain]
    note = (
        f"{len(LAWS)} laws, {ROWS} rows, noise of {NOISE:.0%} of the standard deviation of the law, "
        f"{len({seed for _, seed in both})} of {SEEDS} seeds so far, "
        f"{SECONDS} CPU seconds, one thread. The box of the constraints exceeds the data by {BEYOND:.0%} of its range "
        f"at the upper end of each column. Error: root mean squared, on {FRESH} noiseless fresh rows, over the "
        f"standard deviation of the law; {WORST:g} at most. Violated: on {POINTS:,} points of the box, seen from "
        "predictions alone."
    )

    def average(part: dict, name: str) -> str:
        return f"{np.mean([min(part[key][name], WORST) for key in both]):.3f}" if both else ""

    def better(name: str) -> str:
        return f"{sum(shaped[key][name] < plain[key][name] for key in both)} of {len(both)}"

    def violating(part: dict) -> str:
        return f"{sum(bool(part[key]['violated']) for key in both)} of {len(both)}"

    def on_front(part: dict) -> str:
        return f"{sum(part[key]['front_violates'] for key in both)} of {sum(part[key]['front'] for key in both)}"

    lines = [
        ["mean error within the data", average(shaped, "within"), average(plain, "within"), better("within")],
        ["mean error in the whole box", average(shaped, "beyond"), average(plain, "beyond"), better("beyond")],
        ["chosen formulas that violate a constraint", violating(shaped), violating(plain), ""],
        ["formulas of the front that do", on_front(shaped), on_front(plain), ""],
    ]
    summary = table(["", "with shapes", "without", "smaller with shapes"], lines)
    detail = []
    for name, law in LAWS.items():
        keys = [key for key in both if key[0] == name]
        for part, label in ((shaped, "with"), (plain, "without")):
            if not keys:
                continue
            means = [f"{np.mean([min(part[key][what], WORST) for key in keys]):.3f}" for what in ("within", "beyond")]
            bad = sorted({text for key in keys for text in part[key]["violated"]})
            first = part[min(keys)]
            detail.append([
                f"{name}, {label}", f"`{law.text}`" if part is shaped else "", *means,
                ", ".join(bad) or "none", first["shape"], f"`{first['formula'][:90]}`",
            ])  # fmt: skip
    head = ["set", "law", "error", "in the box", "violated", "shape", "formula of the first seed"]
    return (
        "# Shapes\n\nWritten by `python -m benchmarks.shapes`; kill it at any moment, it goes on.\n\n"
        f"{fill(note, 120)}\n\n{made(rows)}{summary}\n{table(head, detail)}"
    )


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    wanted = tasks(("cooling",), 1, 1) if options.quick else tasks()
    text = page(carry_out("shapes", KEY, wanted, options))
    print(text)
    if not options.quick:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
