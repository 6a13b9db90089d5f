"""`python -m benchmarks.fit` runs the long benchmarks one after another and writes benchmarks/FIT.md; started again, it
goes on where it was stopped.

`python -m benchmarks.fit --quick` makes a few short runs of each and prints what the page would say.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.runs import ROOT, Results
from benchmarks.timing import page

NAMES = ("compare", "small", "laws", "coverage", "ablation", "rows")
OWN_PAGES = ("feynman", "many_rows")  # benchmarks that write a page of their own
PACKAGES = ("epsilex", "numba", "numpy", "scikit-learn", "pyoperon", "gplearn", "sympy", "statsmodels")
PAGE = Path(__file__).with_name("FIT.md")
HEAD = """\
# Fits

Written by `make bench-fit` on {made}.

Every run is a process of its own with one thread; budgets are CPU time. Figures first, then the tables they come from.

{figures}"""


def write_page(folder: Path) -> None:
    """Write the page from all the results there are."""
    sections = [import_module(f"benchmarks.{name}").section(results(folder, name)) for name in NAMES]
    PAGE.write_text(page(HEAD, PACKAGES, sections), encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)


def results(folder: Path, name: str) -> Results:
    return Results(folder / f"{name}.jsonl", import_module(f"benchmarks.{name}").KEY)


def main(options: list[str]) -> None:
    for name in (*NAMES, *OWN_PAGES):
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *options], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
