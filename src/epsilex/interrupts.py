"""SIGINT and SIGTERM: raised at once while there is nothing to return, recorded once there is."""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

NUMBERS = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """The signals received so far, and whether there is a result by now.

    Without a result a signal raises KeyboardInterrupt; with one, it is only recorded.
    """

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.result = False

    def check(self) -> None:
        """Raise an interrupt that a library has swallowed: finalizers and foreign callbacks drop exceptions."""
        if self.seen and not self.result:
            raise KeyboardInterrupt


_heard: Signals | None = None  # the signals that the main thread records now


@contextmanager
def hearing(*numbers: int, first: Callable[[], object] = lambda: None) -> Iterator[Signals]:
    """Record a signal of one of these numbers. After the first, the handlers that were there before are back.

    `first` is called at the first signal. Inside another `hearing`, its signals are shared. Outside the main thread
    none are recorded, and ignored signals stay ignored.
    """
    global _heard
    if threading.current_thread() is not threading.main_thread():
        yield Signals()
        return
    if _heard is not None:
        yield _heard
        return
    signals = _heard = Signals()
    found = {number: signal.getsignal(number) for number in numbers}
    before = {number: handler for number, handler in found.items() if handler is not signal.SIG_IGN}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: set outside Python

    def record(number: int, frame: object) -> None:
        restore()
        first()
        signals.seen.append(number)
        signals.check()

    try:
        for number in before:
            signal.signal(number, record)
        yield signals
    finally:
        _heard = None
        restore()


def heard() -> Signals:
    """The signals being recorded for this thread."""
    main = threading.current_thread() is threading.main_thread()
    return _heard if main and _heard is not None else Signals()


def interruptible(fit: Callable) -> Callable:
    """Decorate an estimator's `fit` so that no signal is lost, and `on_interrupt` decides what one does."""

    @functools.wraps(fit)
    def heard_fit(self: Any, *arguments: Any, **named: Any) -> Any:
        returns = self.on_interrupt == "return"
        # A handler of the user's own stays, and SIGTERM ends the process as usual, unless the result is to be returned.
        plain = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with hearing(*(NUMBERS if returns else (signal.SIGINT,) if plain else ())) as signals:
            try:
                fit(self, *arguments, **named)
            except Exception as error:
                if signals.seen and not signals.result:  # a library made another error of the interrupt
                    raise KeyboardInterrupt from error
                raise
            signals.check()
        if signals.seen:
            self.stopped_by_ = "interrupt"
        return self

    return heard_fit
