"""The Feynman equations with units: how many of the laws that are missed at a tenth of noise are found with them?

`plain` is the search of `benchmarks.feynman`; `units` knows the units of the variables and of the target. *Found*:
1 - R2 against the noiseless law on fresh rows of a wider range is below a thousandth. *Wrong*: formulas of the front
that change when the units of measurement do. A formula of consistent dimensions does not, so this check needs no rule
of dimensions.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks.contenders import Ours
from benchmarks.feynman import FOUND, SECONDS, distance, operators
from benchmarks.feynman_list import EQUATIONS, ROWS
from benchmarks.feynman_unit_list import TARGET, units_of
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Section, table
from epsilex import SymbolicRegressor
from epsilex.dimensions.units import dimension
from epsilex.models.choice.description import is_number
from epsilex.models.model import Model

KEY = ("problem", "seed", "method", "seconds")
METHODS = ("plain", "units")
NOISE = 0.1  # of the target's standard deviation
SLOWER = 1.3  # the most that a generation may take longer
CHANGED = 1e-6  # relative change of a value that is more than rounding
PAGE = Path(__file__).with_name("FEYNMAN_UNITS.md")


def tasks(names=tuple(EQUATIONS), seconds: float = SECONDS) -> list[Row]:
    return [{"problem": name, "seed": 0, "method": method, "seconds": seconds} for name in names for method in METHODS]


def measure(problem: str, seed: int, method: str, seconds: float) -> Row:
    """One search of so many CPU seconds, on the rows of `benchmarks.feynman`."""
    formula = EQUATIONS[problem]
    rng = np.random.default_rng(seed)
    X = formula.draw(ROWS, rng)
    y = formula.values(X)
    y = y + NOISE * y.std() * rng.normal(size=ROWS)
    wide = formula.draw_wider(ROWS, rng)
    known = {"units": units_of(problem), "target_unit": TARGET[problem]} if method == "units" else {}
    rows = pd.DataFrame(X, columns=list(formula.ranges))
    SymbolicRegressor(generations=3, time_limit=None, **known).fit(rows, y)  # compiles, outside of the clock
    begin = time.process_time()
    est = Ours(operators=operators(formula), **known)(rows, y, seconds, seed).estimator
    spent = time.process_time() - begin
    left = [distance(formula, m, wide) for m in est.models_]
    chosen = est.models_.index(est.model_)
    return {
        "left": left[chosen], "best": min(left), "length": est.model_.length, "formula": est.model_.formula,
        "front": len(est.models_), "wrong": sum(not consistent(m, problem, X) for m in est.models_),
        "generations": est.n_generations_, "cpu": spent,
    }  # fmt: skip


def consistent(m: Model, problem: str, X: np.ndarray) -> bool:
    """Whether a formula gives the same quantity whatever the units of measurement are; a number alone is a quantity
    in the target's unit."""
    if is_number(m.nodes):
        return True
    known = [dimension(unit, "") for unit in (*units_of(problem).values(), TARGET[problem])]
    bases = sorted({base for one in known for base in one})
    rng = np.random.default_rng(1)
    size = dict(zip(bases, rng.uniform(0.7, 1.4, len(bases)), strict=True))
    *columns, whole = (float(np.prod([size[base] ** float(power) for base, power in one.items()])) for one in known)
    with np.errstate(all="ignore"):
        before, after = m.predict(X), m.predict(X * np.array(columns))
    both = np.isfinite(before) & np.isfinite(after)  # other units may leave the range where a formula is defined
    return bool((np.abs(after - whole * before)[both] <= CHANGED * np.abs(whole * before)[both]).all())


def found(row: Row) -> bool:
    return bool(row["left"] < FOUND)


def each(row: Row) -> float:
    """CPU seconds per generation."""
    return row["cpu"] / max(row["generations"], 1)


def section(results: Results) -> Section:
    title, rows = "The Feynman equations with units", results.rows()
    plain, units = ({row["problem"]: row for row in rows if row["method"] == method} for method in METHODS)
    both = [name for name in EQUATIONS if name in plain and name in units]
    if not both:
        return Section(title, "No runs yet.\n")
    missed = [name for name in both if not found(plain[name])]
    note = (
        f"{ROWS} rows, noise of {NOISE:.0%} of the standard deviation, {SECONDS} CPU seconds, one thread, one seed; "
        "without units, and with those of the variables and of the target. Found: 1 - R2 against the noiseless law is "
        f"below {FOUND:g} on a wider range; *front*: only for another formula of the front. Wrong: formulas of the "
        "front that are no longer the same if the units of measurement change."
    )
    slower = float(np.median([each(units[name]) / each(plain[name]) for name in both]))
    front = sum(units[name]["front"] for name in both)
    summary = table(["", "measured", "aim"], [
        ["found without units", f"{len(both) - len(missed)} of {len(both)}", ""],
        ["found with units", f"{sum(found(units[name]) for name in both)} of {len(both)}", ""],
        ["missed without, found with", f"{sum(found(units[name]) for name in missed)} of {len(missed)}", "half"],
        ["wrong formulas on fronts with units", f"{sum(units[name]['wrong'] for name in both)} of {front}", "0"],
        ["CPU time per generation, with units over without", f"{slower:.2f}", f"{SLOWER:g} at most"],
    ])  # fmt: skip
    lines = [_line(name, plain[name], units[name]) for name in both]
    heads = ["equation", "law", "plain", "1 - R2", "units", "1 - R2", "wrong", "formula with units"]
    return Section(title, f"{fill(note, 120)}\n\n{made(rows)}{summary}\n{table(heads, lines)}")


def _line(name: str, plain: Row, units: Row) -> list[str]:
    cells = [name, f"`{EQUATIONS[name].text}`"]
    for row in (plain, units):
        cells += ["yes" if found(row) else "front" if row["best"] < FOUND else "no", f"{row['left']:.2g}"]
    return [*cells, str(units["wrong"]), f"`{units['formula'][:80]}`"]


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    names, seconds = (("I.12.1",), 1) if options.quick else (tuple(EQUATIONS), SECONDS)
    results = carry_out("feynman_units", KEY, tasks(names, seconds), options)
    text = section(results)
    print(text)
    if not options.quick:
        PAGE.write_text(
            f"# Units\n\nWritten by `python -m benchmarks.feynman_units`; kill it at any moment, it goes on.\n\n{text}",
            encoding="utf-8",
        )
        print(f"wrote {PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
