"""Put what `make bench` measured into the README, between its two `bench` comments: `python docs/readme.py`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README, RESULTS = ROOT / "README.md", ROOT / "benchmarks" / "RESULTS.md"
REGION = re.compile(r"(?<=<!-- bench -->\n).*?(?=<!-- end bench -->)", re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)


def measured(results: str) -> str:
    """The first table of the results page, its summary, and where it is from; nothing where there are no results."""
    found = TABLE.search(results)
    source = "Written by `make bench`; the details are in [RESULTS.md](benchmarks/RESULTS.md)."
    return f"\n{found[0]}\n{source}\n\n" if found else ""


def filled(readme: str, results: str) -> str:
    """The README with the region between its comments made anew."""
    return REGION.sub(lambda _: measured(results), readme)


def results() -> str:
    return RESULTS.read_text(encoding="utf-8") if RESULTS.is_file() else ""


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8"), results()), encoding="utf-8")
