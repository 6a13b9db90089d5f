"""What the runs of `compare` say: figures beside their aims, and a table a question."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

import numpy as np
import pandas as pd

from benchmarks.datasets import PAPER, REAL
from benchmarks.feynman_list import FORMULAS
from benchmarks.runs import Results, made
from benchmarks.timing import Figure, Section, table
from epsilex.experiments import published

Column = tuple[str, float]  # method, seconds

PLAIN, BEST = ("operon", "operon-lm"), ("operon-nsga", "operon-nsga-lm")  # pyoperon's own objective, and two
OPERON = (*PLAIN, *BEST)
SOLVED = 1e-10  # of 1 - R2: the formula was found, in numbers
NOTE = """\
CPU seconds, one thread; test R2, medians over the seeds ({seeds}). The paper's problems, diabetes and Friedman-1 are
parted 70/30 by the seed. A formula of the Feynman database has 1000 training and 1000 test rows; `+ noise` adds a
tenth of the target's standard deviation to the training target. `operon` is pyoperon without local search,
`operon-lm` with three steps of Levenberg-Marquardt on every child, both with its own objective, R2; `operon-nsga` and
`operon-nsga-lm`, where they were run, have a second objective, length, and choose by BIC: the best setting that a
pilot found (see `contenders.py`). All have the same functions (gplearn has no square) and, but for gplearn, at most
50 nodes. Populations are of 1000, ours at 60 s of 3300, its default for that time; pyoperon was not tried with so
many. Runs that were not started together may have had the machine at another speed. pyoperon's own limit is
wall-clock time; here it is stopped by CPU time, as ours is, by taking its budget of evaluations away. Compiling is
not counted, choosing and polishing is. The random forest and ridge have scikit-learn's settings and no budget.
"""


def section(results: Results) -> Section:
    """The part of the page that is about the comparison."""
    frame = pd.DataFrame(results.rows())
    if frame.empty:
        return Section("Comparison", "No runs yet.\n")
    frame["problem"] += np.where(frame["noise"] > 0, " + noise", "")
    text = (
        fill(NOTE.format(seeds=seeds_of(frame)), 120, break_on_hyphens=False)
        + "\n\n"
        + made([row for row in results.rows() if row["method"] == "ours"])
        + "\n".join(
            f"### {title}\n\n{part}"
            for title, part in (
                ("Test R2", accuracy(frame)),
                ("Test MAE", absolute_errors(frame)),
                ("Length", lengths(frame)),
                ("Formulas recovered", recovery(frame)),
                ("CPU seconds", seconds_used(frame)),
            )
        )
    )
    failed = [f"- {row['problem']}, {row['method']}, seed {row['seed']}: {row['error']}" for row in results.failures()]
    if failed:
        text += "\n### Failed runs\n\n" + "\n".join(failed) + "\n"
    return Section("Comparison", text, figures(frame))


def seeds_of(frame: pd.DataFrame) -> str:
    """How many seeds the cells have: three, and two of the formulas, when all is done."""
    runs = frame.groupby(["problem", "method", "seconds"])["seed"].nunique()
    least, most = int(runs.min()), int(runs.max())
    return f"{least} each" if least == most else f"{least} to {most} each"


def medians(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """Medians over the seeds: index problem, in the order of the suite, columns (method, seconds)."""
    cells = frame.assign(**{value: pd.to_numeric(frame[value])})
    wide = cells.pivot_table(index="problem", columns=["method", "seconds"], values=value, aggfunc="median", sort=False)
    order = [*REAL, *FORMULAS, *(f"{name} + noise" for name in FORMULAS)]
    return wide.loc[[name for name in order if name in wide.index]]


def columns(frame: pd.DataFrame, methods: Sequence[str]) -> list[Column]:
    """The methods' budgets, short ones first."""
    found = set(zip(frame["method"], frame["seconds"], strict=True))
    return sorted((column for column in found if column[0] in methods), key=lambda it: (methods.index(it[0]), it[1]))


def heading(column: Column) -> str:
    method, seconds = column
    return f"{method} {seconds:g} s" if seconds else method


def grid(frame: pd.DataFrame, value: str, shown: Sequence[Column], form, rows: Sequence[str] | None = None) -> str:
    """Medians of `value` as Markdown, one line a problem."""
    cells = medians(frame, value).reindex(columns=pd.MultiIndex.from_tuples(shown))
    cells = cells if rows is None else cells.loc[[name for name in rows if name in cells.index]]
    lines = [[name, *("" if np.isnan(x) else form(x) for x in cells.loc[name])] for name in cells.index]
    return table(["", *map(heading, shown)], lines)


def accuracy(frame: pd.DataFrame) -> str:
    every = list(dict.fromkeys(["ours", *OPERON, "gplearn", "forest", "ridge"]))
    return grid(frame, "unexplained", columns(frame, every), r2_text)


def r2_text(unexplained: float) -> str:
    """R2 from 1 - R2, with digits where they matter."""
    if unexplained < 5e-4:
        return f"1 - {unexplained:.0e}"
    return f"{1.0 - unexplained:.3f}" if unexplained < 1e3 else "below -999"


def absolute_errors(frame: pd.DataFrame) -> str:
    every = ["ours", *OPERON, "gplearn", "forest", "ridge"]
    best = published.medians().min()
    note = ", ".join(f"{name} {best[name]:.3f}" for name in PAPER)
    text = grid(frame, "mae", columns(frame, every), "{:.3f}".format, REAL)
    return f"{text}\nThe paper's best: {note}. UBall5D and Friedman-1 are in raw units, the others normalised.\n"


def lengths(frame: pd.DataFrame) -> str:
    formulas = frame[frame["length"].notna()]
    shown = columns(formulas, ["ours", *OPERON, "gplearn"])
    own = grid(formulas, "length", shown, "{:.0f}".format)
    common = grid(formulas[formulas["sympy_length"].notna()], "sympy_length", shown, "{:.0f}".format)
    return (
        "Nodes as each counts its own (a variable with its coefficient is one, for us as for pyoperon).\n\n"
        f"{own}\nNodes of the same formulas as SymPy expressions, where each number is a node.\n\n{common}"
    )


def recovery(frame: pd.DataFrame) -> str:
    exact = frame[frame["problem"].isin(FORMULAS) & frame["length"].notna()].copy()
    if exact.empty:
        return "No runs yet.\n"
    shown = columns(exact, ["ours", *OPERON, "gplearn"])
    lines = []
    for name in dict.fromkeys(exact["problem"]):
        cells = []
        for column in shown:
            runs = exact[(exact["problem"] == name) & of(exact, column)]
            found, solved = (runs["recovered"] == True).sum(), (runs["unexplained"] < SOLVED).sum()  # noqa: E712
            cells.append(f"{found} / {solved} of {len(runs)}" if len(runs) else "")
        lines.append([name, *cells])
    note = (
        "Without noise: runs whose difference to the formula SymPy reduces to zero, constants rounded to four digits / "
        f"runs with 1 - R2 below {SOLVED:g} on the test rows.\n\n"
    )
    return note + table(["", *map(heading, shown)], lines)


def seconds_used(frame: pd.DataFrame) -> str:
    shown = columns(frame, ["ours", *OPERON, "gplearn", "forest", "ridge"])
    lines = []
    for column in shown:
        cpu = frame.loc[of(frame, column), "cpu"]
        lines.append([heading(column), f"{cpu.median():.1f}", f"{cpu.max():.1f}", len(cpu)])
    return table(["", "median", "largest", "runs"], lines)


def of(frame: pd.DataFrame, column: Column) -> pd.Series:
    return (frame["method"] == column[0]) & (frame["seconds"] == column[1])


def against_operon(frame: pd.DataFrame, seconds: float, modes: Sequence[str]) -> pd.DataFrame:
    """One row a problem where all have run: 1 - R2 and length, ours after so many seconds, pyoperon's after 60 s in the
    best of these modes; and the `outcome` for us: better, worse, or level where both have solved it."""
    unexplained, length = medians(frame, "unexplained"), medians(frame, "length")
    theirs = [(mode, 60) for mode in modes]
    needed = [("ours", seconds), *theirs]
    if not set(needed) <= set(unexplained.columns):
        return pd.DataFrame()
    cells = unexplained[needed].dropna()
    best = cells[theirs].idxmin(axis=1)
    pairs = pd.DataFrame(
        {
            "ours": cells[("ours", seconds)],
            "theirs": cells[theirs].min(axis=1),
            "our_length": length.loc[cells.index, ("ours", seconds)],
            "their_length": [length.loc[name, mode] for name, mode in best.items()],
        }
    )
    level = (pairs["ours"] < SOLVED) & (pairs["theirs"] < SOLVED)
    pairs["outcome"] = np.where(level, "level", np.where(pairs["ours"] < pairs["theirs"], "better", "worse"))
    return pairs


def figures(frame: pd.DataFrame) -> list[Figure]:
    """What was promised, and what came of it."""
    found: list[Figure] = []
    aims = {2: "two thirds better", 10: "two thirds better", 60: "nine tenths better"}
    for modes, name in ((PLAIN, "better of two modes"), (OPERON, "best of four modes")):
        for seconds, aim in aims.items():
            pairs = against_operon(frame, seconds, modes)
            if len(pairs):
                counts = pairs["outcome"].value_counts()
                said = ", ".join(f"{word} on {counts.get(word, 0)}" for word in ("better", "level", "worse"))
                what = f"test R2, our {seconds} s against pyoperon's 60 s, {name}"
                found.append((what, aim, f"{said} of {len(pairs)}"))
        if len(pairs):
            shorter = (pairs["our_length"] <= pairs["their_length"]).sum()
            ours, theirs = (f"{pairs[column].median():.0f}" for column in ("our_length", "their_length"))
            said = f"{ours} against {theirs}; no longer on {shorter} of {len(pairs)}"
            found.append((f"length, our 60 s against pyoperon's 60 s, {name}", "no longer", said))
    return found + paper_figures(frame) + forest_figures(frame) + recovery_figures(frame)


def paper_figures(frame: pd.DataFrame) -> list[Figure]:
    mae, best = medians(frame, "mae"), published.medians().min()
    if ("ours", 2) not in mae.columns:
        return []
    ours = mae[("ours", 2)].reindex(PAPER).dropna()
    said = ", ".join(f"{name} {ours[name]:.3f} ({best[name]:.3f})" for name in ours.index)
    return [("test MAE after 2 s (the paper's best)", "better on all", said)] if said else []


def forest_figures(frame: pd.DataFrame) -> list[Figure]:
    mae, length = medians(frame, "mae"), medians(frame, "length")
    if not {("ours", 60), ("forest", 0)} <= set(mae.columns):
        return []
    names = [name for name in ("housing", "tower", "enh", "enc") if name in mae.index]
    ratio = (mae[("ours", 60)] / mae[("forest", 0)]).reindex(names).dropna()
    said = ", ".join(f"{name} {ratio[name]:.2f} ({length.loc[name, ('ours', 60)]:.0f} nodes)" for name in ratio.index)
    return [("test MAE after 60 s over a random forest's", "<= 1.10, 50 nodes", said)] if said else []


def recovery_figures(frame: pd.DataFrame) -> list[Figure]:
    found: list[Figure] = []
    for column in columns(frame, ["ours", *OPERON]):
        runs = frame[of(frame, column) & frame["problem"].isin(FORMULAS)]
        if column[1] == 60 and len(runs):
            by_formula = (runs["recovered"] == True).groupby(runs["problem"])  # noqa: E712
            said = f"{by_formula.all().sum()} with every seed, {by_formula.any().sum()} with some, of {len(by_formula)}"
            aim = ">= 8 of 10" if column[0] == "ours" else ""
            found.append((f"formulas recovered exactly, {heading(column)}", aim, said))
    return found
