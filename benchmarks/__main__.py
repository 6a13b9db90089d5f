"""`python -m benchmarks` runs all of them and writes benchmarks/RESULTS.md; with names, prints those alone."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.timing import page

NAMES = ("evaluation", "selecting", "trials", "scaling", "startup")
PACKAGES = ("epsilex", "numba", "numpy", "pyoperon", "lexicase", "deap", "gplearn")
RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = """\
# Benchmarks

Written by `make bench` on {made}.

All contenders run in one process, one thread unless said, in turns; a figure is the best of several, in CPU time unless
said. Ratios travel between machines better than the figures themselves.

{figures}"""


def main(names: list[str]) -> None:
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        sys.exit(f"benchmarks: expected names among {', '.join(NAMES)}; got {', '.join(unknown)}")
    sections = []
    for name in names or NAMES:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        sections.append(import_module(f"benchmarks.{name}").run())
        print(sections[-1], flush=True)
    if not names:
        RESULTS.write_text(page(HEAD, PACKAGES, sections), encoding="utf-8")
        print(f"wrote {RESULTS}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
