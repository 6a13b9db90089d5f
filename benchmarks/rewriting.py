"""The algebra: textbook formulas and random programs rewritten, and the share of a fit that rewriting takes.

`python -m benchmarks.rewriting` makes the runs that are missing and writes benchmarks/REWRITING.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill

import numpy as np

from benchmarks import formulas, random_formulas
from benchmarks.contenders import Ours
from benchmarks.feynman_list import EQUATIONS, ROWS
from benchmarks.runs import Results, Row, arguments, carry_out, made
from benchmarks.timing import Section, page, table

KEY = ("problem", "method")
SECONDS = 10
REWRITTEN: dict[str, Callable[[], Section]] = {"textbook": formulas.run, "random": random_formulas.run}
FITS = ("UBall5D", "Feynman I.9.18", "Feynman I.41.16", "Feynman II.6.15a", "40 noisy rows")
PACKAGES = ("epsilex", "numba", "numpy")
PAGE = Path(__file__).with_name("REWRITING.md")
HEAD = """\
# Rewriting formulas

Written by `python -m benchmarks.rewriting` on {made}.

{figures}"""


class Watch:
    """CPU seconds within the outermost call of some functions."""

    def __init__(self):
        self.seconds, self.depth = 0.0, 0

    def timed(self, function: Callable) -> Callable:
        def call(*args, **kwargs):
            start = time.process_time()
            self.depth += 1
            try:
                return function(*args, **kwargs)
            finally:
                self.depth -= 1
                if not self.depth:
                    self.seconds += time.process_time() - start

        return call


@contextmanager
def watched(*functions: Callable) -> Iterator[Watch]:
    """A watch over functions, wherever in the package they have been imported to."""
    watch = Watch()
    changed = []
    for module in [m for name, m in list(sys.modules.items()) if name.startswith("epsilex")]:
        for name, value in list(vars(module).items()):
            if any(value is function for function in functions):
                changed.append((module, name, value))
                setattr(module, name, watch.timed(value))
    try:
        yield watch
    finally:
        for module, name, value in changed:
            setattr(module, name, value)


def tasks() -> list[Row]:
    return [{"problem": name, "method": "rewriting"} for name in REWRITTEN] + [
        {"problem": name, "method": "fit", "seconds": SECONDS} for name in FITS
    ]


def measure(problem: str, method: str, seconds: float = SECONDS) -> Row:
    """The section of a list of formulas, or the share of rewriting in a fit."""
    if method == "rewriting":
        section = REWRITTEN[problem]()
        return {"title": section.title, "text": section.text, "figures": section.figures}
    from epsilex.programs.algebra.clearing import cleared
    from epsilex.programs.algebra.gathering import gather
    from epsilex.programs.algebra.shortest import shortest
    from epsilex.programs.algebra.simplify import simplify

    ours, (X, y) = Ours(), data(problem)
    ours.warm_up()  # everything that is watched has been imported then
    with watched(shortest) as printing, watched(simplify, gather, cleared) as trying:
        start = time.process_time()
        fitted = ours(X, y, seconds, 0)
        spent = time.process_time() - start
    formula = fitted.estimator.model_.formula
    return {"cpu": spent, "printed": printing.seconds, "tried": trying.seconds, "formula": formula}


def data(problem: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and target of a fit."""
    rng = np.random.default_rng(0)
    if problem == "UBall5D":
        from epsilex.problems import load

        train, _ = load("uball5d").split(0)
        return train.X, train.y
    if problem.startswith("Feynman "):
        equation = EQUATIONS[problem.removeprefix("Feynman ")]
        X = equation.draw(ROWS, rng)
        return X, equation.values(X)
    X = rng.uniform(0.5, 4.0, (40, 3))
    return X, X[:, 0] * np.exp(-X[:, 1]) / (1.0 + X[:, 2]) * (1.0 + 0.05 * rng.normal(size=40))


def sections(results: Results) -> list[Section]:
    rows = {row["problem"]: row for row in results.rows()}
    lists = [rows[name] for name in REWRITTEN if name in rows]
    found = [Section(row["title"], row["text"], [tuple(figure) for figure in row["figures"]]) for row in lists]
    fits = [rows[name] for name in FITS if name in rows]
    return [*found, share(fits)] if fits else found


def share(fits: list[Row]) -> Section:
    """CPU time of rewriting within fits."""
    shares = [(row["printed"] + row["tried"]) / row["cpu"] for row in fits]
    lines = [
        [row["problem"], *(f"{row[name]:.2f}" for name in ("cpu", "printed", "tried")), f"{part:.1%}", f"`{formula}`"]
        for row, part, formula in zip(fits, shares, (row["formula"] for row in fits), strict=True)
    ]
    note = (
        f"Fits of {SECONDS} CPU seconds on one thread; a fit that is exact ends sooner. *printed*: rewriting to the "
        "form that is printed. *tried*: the cheap rules for every form that is tried while the front is made."
    )
    columns = ["fit", "CPU s", "printed, CPU s", "tried, CPU s", "share", "formula"]
    figure = (f"share of rewriting in a {SECONDS} s fit, largest of {len(fits)}", "< 5%", f"{max(shares):.1%}")
    return Section("Share of a fit", f"{fill(note, 120)}\n\n{made(fits)}{table(columns, lines)}", [figure])


def main() -> None:
    options = arguments(__doc__.splitlines()[0]).parse_args()
    results = carry_out("rewriting", KEY, tasks()[-1:] if options.quick else tasks(), options)
    for section in sections(results):
        print(section)
    if not options.quick:
        PAGE.write_text(page(HEAD, PACKAGES, sections(results)), encoding="utf-8")
        print(f"wrote {PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
