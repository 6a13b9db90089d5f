"""The 100 Feynman equations: are they found from 1000 rows in ten seconds, without noise and with a tenth of noise?

*Exact*, without noise: the root of the mean squared error on fresh rows of a wider range is below a millionth of the
law's standard deviation there. *Found*, with noise: 1 - R2 against the noiseless law on those rows is below a
thousandth.
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks.contenders import Ours, timed
from benchmarks.feynman_list import EQUATIONS, ROWS, WIDER, Formula
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Figure, Section, page, table
from epsilex.models.model import Model
from epsilex.programs.length import length
from epsilex.programs.operators import COMMON
from epsilex.programs.parser import parse

KEY = ("problem", "noise", "seed", "method", "seconds")
NOISES = (0.0, 0.1)  # of the target's standard deviation
SECONDS = 10
EXACT, FOUND = 1e-6, 1e-3  # largest share of the standard deviation, and largest 1 - R2
MORE = 2  # nodes by which a printed formula may be longer than the equation as it is usually written
COMMIT = 7  # digits
OPERATORS = {"arcsin": "asin", "tanh": "tanh"}
PACKAGES = ("epsilex", "numba", "numpy", "scikit-learn", "sympy")
PAGE = Path(__file__).with_name("FEYNMAN.md")
HEAD = """\
# The Feynman equations

Written by `python -m benchmarks.feynman` on {made}.

{figures}"""


def tasks(names=tuple(EQUATIONS), noises=NOISES, seconds: float = SECONDS) -> list[Row]:
    return [
        {"problem": name, "noise": noise, "seed": 0, "method": "ours", "seconds": seconds}
        for noise in noises
        for name in names
    ]


def operators(formula: Formula) -> tuple[str, ...]:
    """The default operators, and those named in the equation."""
    return (*COMMON, *(OPERATORS[name] for name in formula.functions))


def usual_length(name: str) -> int:
    """Nodes of the equation as it is usually written, counted as those of a formula that is found."""
    text = EQUATIONS[name].text
    for usual, ours in OPERATORS.items():
        text = text.replace(usual, ours)
    return length(parse(text, list(EQUATIONS[name].ranges)))


def measure(problem: str, noise: float, seed: int, method: str, seconds: float) -> Row:
    """One search: how far the chosen formula, and the closest of the front, is from the law on a wider range."""
    formula = EQUATIONS[problem]
    rng = np.random.default_rng(seed)
    X = formula.draw(ROWS, rng)
    y = formula.values(X)
    y = y + noise * y.std() * rng.normal(size=ROWS)
    wide = formula.draw_wider(ROWS, rng)
    fitted, spent = timed(Ours(operators=operators(formula)), X, y, seconds, seed)
    est = fitted.estimator
    left = [distance(formula, m, wide) for m in est.models_]
    chosen = est.models_.index(est.model_)
    return {
        "left": left[chosen], "best": min(left), "length": est.model_.length, "formula": est.model_.formula,
        "generations": est.n_generations_,
    } | spent  # fmt: skip


def distance(formula: Formula, m: Model, X: np.ndarray) -> float:
    """1 - R2 of a model against the law, infinite if it is undefined somewhere."""
    y = formula.values(X)
    with np.errstate(all="ignore"):
        left = float(np.mean((m.predict(X) - y) ** 2) / y.var())
    return left if np.isfinite(left) else np.inf


def tidy(rows: list[Row]) -> pd.DataFrame:
    """One row per equation and noise: `hit` if it is exact, or found."""
    frame = pd.DataFrame(rows)
    frame["hit"] = frame["left"] < np.where(frame["noise"] == 0.0, EXACT**2, FOUND)
    frame["usual"] = frame["problem"].map(usual_length)
    frame["on_front"] = frame["best"] < np.where(frame["noise"] == 0.0, EXACT**2, FOUND)
    return frame


def section(results: Results) -> Section:
    title, rows = "The Feynman equations", results.rows()
    if not rows:
        return Section(title, "No runs yet.\n")
    frame = tidy(rows)
    run = "All 100" if frame["problem"].nunique() == len(EQUATIONS) else f"{frame['problem'].nunique()} of the 100"
    note = (
        f"{run} equations of the Feynman database: "
        f"{ROWS} rows, {SECONDS} CPU seconds, one thread, one "
        "seed. Operators are the default ones; `asin` and `tanh` are added where the equation has them, marked *. The "
        f"wider range is the database's, times {WIDER:g} at its upper end and divided by that at its lower end. "
        f"Without noise: exact if the root mean squared error on {ROWS} rows of it is below {EXACT:g} standard "
        f"deviations. With noise of {NOISES[1]:.0%} of the standard deviation: found if 1 - R2 against the noiseless "
        f"law is below {FOUND:g} there. *front*: only another formula of the front is. *usual* is the length of the "
        "equation as it is written here, in printed nodes, as *length* is. *source*: the commits of the runs without "
        "and with noise; an equation of a later commit than the others was run again, alone, because a change was "
        "about its formula."
    )
    for row in results.failures():
        note += f" Failed: {row['problem']} with noise {row['noise']:g}, {row['error']}."
    lines = [_line(name, frame[frame["problem"] == name]) for name in EQUATIONS if name in set(frame["problem"])]
    headers = [
        "equation", "law", "usual", "exact", "1 - R2", "length", "formula", "with noise", "1 - R2", "length",
        "formula with noise", "source",
    ]  # fmt: skip
    text = f"{fill(note, 120)}\n\n{made(rows)}" + table(headers, lines)
    return Section(title, text, figures(frame))


def _line(name: str, part: pd.DataFrame) -> list[str]:
    star = "*" if EQUATIONS[name].functions else ""
    cells: list[str] = [name + star, f"`{EQUATIONS[name].text}`", str(usual_length(name))]
    for noise in NOISES:
        runs = part[part["noise"] == noise]
        if runs.empty:
            cells += [""] * 4
            continue
        run = runs.iloc[-1]
        verdict = "yes" if run["hit"] else "front" if run["on_front"] else "no"
        cells += [verdict, f"{run['left']:.2g}", str(run["length"]), f"`{run['formula'][:80]}`"]
    runs = [part[part["noise"] == noise] for noise in NOISES]
    source = ", ".join("-" if run.empty else str(run.iloc[-1].get("commit", "unknown"))[:COMMIT] for run in runs)
    return [*cells, source]


def figures(frame: pd.DataFrame) -> list[Figure]:
    exact = frame[(frame["noise"] == 0.0) & frame["hit"]]
    printed = int((exact["length"] <= exact["usual"] + MORE).sum())
    textbook = (f"exact ones printed with at most {MORE} nodes more than usual", "90%", f"{printed} of {len(exact)}")
    goals = {0.0: ("exact without noise", 95), 0.1: ("found with 10% noise", 80)}
    found = [
        (f"Feynman equations {label}", f"{goal} of 100", f"{part['hit'].sum()} of {len(part)}")
        for noise, (label, goal) in goals.items()
        if len(part := frame[frame["noise"] == noise])
    ]
    return [*found, textbook] if len(exact) else found


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--noise", type=float, help="only this share of noise")
    options = parser.parse_args()
    noises = NOISES if options.noise is None else (options.noise,)
    wanted = tasks(("I.12.1", "I.26.2"), seconds=2) if options.quick else tasks(noises=noises)
    results = carry_out("feynman", KEY, wanted, options)
    print(section(results))
    if not options.quick:
        PAGE.write_text(page(HEAD, PACKAGES, [section(results)]), encoding="utf-8")
        print(f"wrote {PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
