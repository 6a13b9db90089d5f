"""The observer protocol, and a user's function as an observer."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from epsilex.evolution.observers.archive import Archive
    from epsilex.evolution.observers.live import LiveFront
    from epsilex.evolution.state import State


class Observer(Protocol):
    """Sees each state of a search and the archive; reads and never writes."""

    def see(self, state: State, archive: Archive) -> str | None:
        """Look at a state; return a reason to stop, or None."""

    def end(self, state: State, archive: Archive) -> None:
        """Look at the last state once more, after the search has ended."""


class Callback:
    """A user's function of (state), or of (state, front), as an observer; the search stops when it returns True.

    A function with a parameter called `front` gets the front, made of the archive by the function `front`. If the
    function raises, the search goes on without it and a warning says so.
    """

    def __init__(self, function: Callable[..., object], front: Callable[[Archive], LiveFront] | None = None):
        self.function = function
        self.name = getattr(function, "__qualname__", repr(function))
        self.failed = False
        self.front = front if _takes_front(function) else None

    def see(self, state: State, archive: Archive) -> str | None:
        if self.failed:
            return None
        try:
            given = {} if self.front is None else {"front": self.front(archive)}
            return "callback" if self.function(state, **given) is True else None
        except Exception as error:
            self.failed = True
            warnings.warn(
                f"callback {self.name} raised {type(error).__name__}: {error}; the search goes on without it",
                stacklevel=2,
            )
            return None

    def end(self, state: State, archive: Archive) -> None:
        pass


def _takes_front(function: Callable[..., object]) -> bool:
    """Whether a function has a parameter called `front`."""
    try:
        return "front" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some functions written in C do not tell
        return False
