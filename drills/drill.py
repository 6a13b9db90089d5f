"""The registry of drills, and what one of them reports."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

SHOWN = 5  # failures that are printed in full


@dataclass
class Outcome:
    """What a drill saw.

    count     attempts made
    failures  one line for each attempt that broke a promise
    figures   further figures by name, for people to read
    """

    count: int = 0
    failures: list[str] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)

    def expect(self, holds: object, failure: str) -> None:
        """Count a failure unless the promise holds."""
        if not holds:
            self.failures.append(" ".join(failure.split())[:400])

    def add(self, name: str, amount: float = 1) -> None:
        """Add to a figure."""
        self.figures[name] = self.figures.get(name, 0) + amount  # type: ignore[operator]

    def highest(self, name: str, value: float) -> None:
        """Keep the highest value of a figure."""
        self.figures[name] = round(max(float(self.figures.get(name, 0.0)), value), 2)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Drill:
    """A drill: its name, its promise, its full count and of what, the least count, and the function that runs it."""

    name: str
    promise: str
    full: int
    unit: str
    least: int
    run: Callable[[Outcome, int, random.Random, Path], None]


DRILLS: dict[str, Drill] = {}


def drill(promise: str, full: int, unit: str, least: int = 1) -> Callable:
    """Register a function of (outcome, n, rng, folder) under its name."""

    def register(function: Callable) -> Callable:
        name = function.__name__
        DRILLS[name] = Drill(name, promise, full, unit, least, function)
        return function

    return register


def carry_out(one: Drill, share: float, seed: int) -> dict:
    """Run a share of a drill; its record for figures.json. What it raises is a failure too."""
    outcome, began = Outcome(), time.monotonic()
    n = max(one.least, round(one.full * share))
    with tempfile.TemporaryDirectory(prefix=f"drill-{one.name}-") as folder:
        try:
            one.run(outcome, n, random.Random(f"{seed} {one.name}"), Path(folder))
        except Exception as error:
            outcome.failures.append(f"the drill itself ended with {type(error).__name__}: {error}")
    return {
        "count": outcome.count,
        "full": one.full,
        "unit": one.unit,
        "failures": outcome.failures,
        "figures": outcome.figures,
        "seconds": round(time.monotonic() - began, 1),
        "seed": seed,
        "when": datetime.now(UTC).strftime("%Y-%m-%d"),
    }
