"""The observer protocol, and a user's function as an observer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from epsilex.evolution.observers.archive import Archive
    from epsilex.evolution.state import State


class Observer(Protocol):
    """Sees each state of a search and the archive; reads and never writes."""

    def see(self, state: State, archive: Archive) -> str | None:
        """Look at a state; return a reason to stop, or None."""

    def end(self, state: State, archive: Archive) -> None:
        """Look at the last state once more, after the search has ended."""


class Callback:
    """A user's function of (state) as an observer; the search stops when it returns True.

    If the function raises, the search goes on without it and a warning says so.
    """

    def __init__(self, function: Callable[[State], object]):
        self.function = function
        self.name = getattr(function, "__qualname__", repr(function))
        self.failed = False

    def see(self, state: State, archive: Archive) -> str | None:
        if self.failed:
            return None
        try:
            return "callback" if self.function(state) is True else None
        except Exception as error:
            self.failed = True
            warnings.warn(
                f"callback {self.name} raised {type(error).__name__}: {error}; the search goes on without it",
                stacklevel=2,
            )
            return None

    def end(self, state: State, archive: Archive) -> None:
        pass
