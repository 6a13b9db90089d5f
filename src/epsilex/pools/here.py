"""The pool that needs no other process: work runs when it is submitted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class HerePool:
    """This process, one task at a time."""

    slots = 1
    description = "this process"

    def __init__(self) -> None:
        self._done: list[Future] = []

    @property
    def free(self) -> bool:
        return not self._done

    def submit(self, work: Callable, *arguments: Any) -> Future:
        future: Future = Future()
        try:
            future.set_result(work(*arguments))
        except Exception as error:
            future.set_exception(error)
        self._done.append(future)
        return future

    def collect(self, timeout: float) -> list[Future]:
        """Futures that are done and were not collected before."""
        done, self._done = self._done, []
        return done

    def everywhere(self, work: Callable, *arguments: Any) -> None:
        work(*arguments)

    def close(self) -> None:
        self._done = []
