"""Seconds spent on each part of the loop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """`with clock("select"): ...` adds the time spent inside to that part."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._spent[part] = self._spent.get(part, 0.0) + time.perf_counter() - begin

    def begin_with(self, spent: dict[str, float]) -> None:
        """Start from times spent earlier."""
        self._spent = dict(spent)

    def seconds(self) -> dict[str, float]:
        return dict(self._spent)
