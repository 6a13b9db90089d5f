"""CPU time of several contenders in one run, interleaved, and Markdown to show it."""

from __future__ import annotations

import datetime
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

TURN = 0.1  # seconds: a call of a few milliseconds has to be seen more often than a long one
Figure = tuple[str, str, str]  # what, the aim, what was measured


@dataclass
class Section:
    """One benchmark's part of the results page, and its lines in the summary on top."""

    title: str
    text: str
    figures: list[Figure] = field(default_factory=list)

    def __str__(self) -> str:
        return f"## {self.title}\n\n{self.text}"


def best_cpu_seconds(
    contenders: dict[str, Callable[[], object]], repeats: int = 7, budget: float = 20.0
) -> dict[str, float]:
    """Least CPU time of each contender, all threads of the process counted.

    Contenders take turns, so that a slow spell of the machine hits all of them. Each warms up once, then has `repeats`
    turns, fewer (but at least one) once it has used `budget` seconds. A turn has as many calls as fit into TURN.
    """
    best = dict.fromkeys(contenders, float("inf"))
    used = dict.fromkeys(contenders, 0.0)
    for turn in range(repeats + 1):
        for name, function in contenders.items():
            if turn > 1 and used[name] > budget:
                continue
            left = TURN
            while left > 0:
                start = time.process_time()
                function()
                seconds = time.process_time() - start
                used[name] += seconds
                left -= seconds
                if turn > 0:
                    best[name] = min(best[name], seconds)
    return best


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; all columns but the first are aligned right."""
    lines = [list(headers), ["---"] + ["---:"] * (len(headers) - 1), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def page(head: str, packages: Sequence[str], sections: Sequence[Section]) -> str:
    """A results page: `head` with how it was made and the figures to reach, then every section."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    made = f"{datetime.date.today()}, {processor()}, Python {platform.python_version()}; {versions}"
    figures = [figure for section in sections for figure in section.figures]
    return "\n".join(
        [head.format(made=made, figures=table(["figure", "aim", "measured"], figures)), *map(str, sections)]
    )


def processor() -> str:
    """The processor's model, as the system calls it."""
    if Path("/proc/cpuinfo").exists():
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
