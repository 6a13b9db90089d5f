"""Put what the benchmarks measured into the README, between its comments: `python docs/readme.py`."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = {"bench": "RESULTS.md", "bench-fit": "FIT.md"}  # what `make` is asked for, and the page it writes
TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)


def region(command: str) -> re.Pattern:
    """What stands between the two comments of a command."""
    return re.compile(rf"(?<=<!-- {command} -->\n).*?(?=<!-- end {command} -->)", re.DOTALL)


def measured(command: str, page: str) -> str:
    """The first table of a page, its summary, and where it is from; nothing where there is no page."""
    found = TABLE.search(page)
    source = f"Written by `make {command}`; the details are in [{PAGES[command]}](benchmarks/{PAGES[command]})."
    return f"\n{found[0]}\n{source}\n\n" if found else ""


def filled(readme: str, pages: dict[str, str]) -> str:
    """The README with the regions between its comments made anew."""
    for command in PAGES:
        readme = region(command).sub(lambda _, c=command: measured(c, pages.get(c, "")), readme)
    return readme


def pages() -> dict[str, str]:
    """The pages that there are."""
    paths = {command: ROOT / "benchmarks" / name for command, name in PAGES.items()}
    return {command: path.read_text(encoding="utf-8") for command, path in paths.items() if path.is_file()}


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8"), pages()), encoding="utf-8")
