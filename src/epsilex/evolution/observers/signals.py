"""Ctrl-C and SIGTERM as a reason to stop: the generation is finished, and the best so far is the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epsilex.interrupts import Signals

if TYPE_CHECKING:
    from epsilex.evolution.observers.archive import Archive
    from epsilex.evolution.state import State


class Interrupt:
    """The observer of signals. If the fit `returns`, each state is a result."""

    def __init__(self, signals: Signals, returns: bool):
        self.signals, self.returns = signals, returns

    def see(self, state: State, archive: Archive) -> str | None:
        self.signals.result |= self.returns
        self.signals.check()
        return "interrupt" if self.signals.seen else None

    def end(self, state: State, archive: Archive) -> None:
        pass
