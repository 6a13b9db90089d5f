"""SIGINT and SIGTERM as a reason to stop: the generation is finished, and the best so far is the result."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epsilex.evolution.observers.archive import Archive
    from epsilex.evolution.state import State


class Signals:
    """The signals received so far."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def see(self, state: State, archive: Archive) -> str | None:
        return "interrupt" if self.seen else None

    def end(self, state: State, archive: Archive) -> None:
        pass


@contextmanager
def interrupts() -> Iterator[Signals]:
    """An observer that records signals; a second SIGINT acts as usual. Outside the main thread it records none."""
    signals = Signals()
    if threading.current_thread() is not threading.main_thread():
        yield signals
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number, frame):
        if signals.seen and number == signal.SIGINT:
            raise KeyboardInterrupt
        signals.seen.append(number)

    for number in before:
        signal.signal(number, note)
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: set outside Python
