"""The algebra: textbook formulas and random programs rewritten, and the share of a fit that rewriting takes.

`python -m benchmarks.rewriting` writes benchmarks/REWRITING.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill

import numpy as np

from benchmarks import formulas, random_formulas
from benchmarks.contenders import Ours, timed
from benchmarks.feynman_list import EQUATIONS, ROWS
from benchmarks.timing import Section, page, table

SECONDS = 10
EQUATION_NAMES = ("I.9.18", "I.41.16", "II.6.15a")
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
def watched(*functions: Callable):
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


def problems():
    """Names and data of five fits."""
    from epsilex.problems import load

    rng = np.random.default_rng(0)
    train, _ = load("uball5d").split(0)
    yield "UBall5D", train.X, train.y
    for name in EQUATION_NAMES:
        X = EQUATIONS[name].draw(ROWS, rng)
        yield f"Feynman {name}", X, EQUATIONS[name].values(X)
    X = rng.uniform(0.5, 4.0, (40, 3))
    yield "40 noisy rows", X, X[:, 0] * np.exp(-X[:, 1]) / (1.0 + X[:, 2]) * (1.0 + 0.05 * rng.normal(size=40))


def share(seconds: float = SECONDS) -> Section:
    """CPU time of rewriting within fits."""
    from epsilex.programs.algebra.clearing import cleared
    from epsilex.programs.algebra.gathering import gather
    from epsilex.programs.algebra.shortest import shortest
    from epsilex.programs.algebra.simplify import simplify

    ours = Ours()
    ours.warm_up()  # everything that is watched has been imported then
    rows, shares = [], []
    for name, X, y in problems():
        with watched(shortest) as printing, watched(simplify, gather, cleared) as trying:
            fitted, spent = timed(ours, X, y, seconds, 0)
        shares.append((printing.seconds + trying.seconds) / spent["cpu"])
        figures = [f"{value:.2f}" for value in (spent["cpu"], printing.seconds, trying.seconds)]
        rows.append([name, *figures, f"{shares[-1]:.1%}", f"`{fitted.estimator.model_.formula}`"])
    note = (
        f"Fits of {seconds:g} CPU seconds on one thread; a fit that is exact ends sooner. *printed*: rewriting to the "
        "form that is printed. *tried*: the cheap rules for every form that is tried while the front is made."
    )
    columns = ["fit", "CPU s", "printed, CPU s", "tried, CPU s", "share", "formula"]
    figure = (f"share of rewriting in a {seconds:g} s fit, largest of {len(rows)}", "< 5%", f"{max(shares):.1%}")
    return Section("Share of a fit", f"{fill(note, 120)}\n\n{table(columns, rows)}", [figure])


def main() -> None:
    sections = []
    for measured in (formulas.run, random_formulas.run, share):
        sections.append(measured())
        print(sections[-1], *sections[-1].figures, sep="\n", flush=True)
    PAGE.write_text(page(HEAD, PACKAGES, sections), encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)


if __name__ == "__main__":
    main()
