"""`python -m benchmarks` runs all of them and writes benchmarks/RESULTS.md; with names, prints those alone."""

from __future__ import annotations

import datetime
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks.timing import Section, table

NAMES = ("evaluation", "selecting", "trials", "scaling", "startup")
PACKAGES = ("epsilex", "numba", "numpy", "pyoperon", "lexicase", "deap", "gplearn")
RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = """\
# Benchmarks

Written by `make bench` on {made}.

All contenders run in one process, one thread unless said, in turns; a figure is the best of several, in CPU time unless
said. Ratios travel between machines better than the figures themselves.

{figures}"""


def processor() -> str:
    """The processor's model, as the system calls it."""
    if Path("/proc/cpuinfo").exists():
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def page(sections: list[Section]) -> str:
    """The results page: how it was made, the figures to reach, then every section."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    made = f"{datetime.date.today()}, {processor()}, Python {platform.python_version()}; {versions}"
    figures = [figure for section in sections for figure in section.figures]
    head = HEAD.format(made=made, figures=table(["figure", "aim", "measured"], figures))
    return "\n".join([head, *map(str, sections)])


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
        RESULTS.write_text(page(sections), encoding="utf-8")
        print(f"wrote {RESULTS}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
