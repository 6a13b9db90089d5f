"""SIGINT and SIGTERM: raised at once while there is nothing to return, recorded once there is."""

from __future__ import annotations

import _thread
import ctypes
import functools
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

NUMBERS = (signal.SIGINT, signal.SIGTERM)
AGAIN = 0.02  # seconds after which an interrupt that was dropped is raised again


class Signals:
    """The signals received so far, and whether there is a result by now.

    Without a result a signal raises KeyboardInterrupt; with one, it is only recorded. What was raised is kept, and with
    it the frames it went through: half-made objects of a compiler that is interrupted may crash when they are freed.
    """

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.result = False
        self.raised: list[KeyboardInterrupt] = []

    @property
    def raises(self) -> bool:
        """Whether a signal has come that is to end the work."""
        return bool(self.seen) and not self.result

    def check(self) -> None:
        """Raise an interrupt that a library has swallowed."""
        if self.raises:
            raise self.interrupt()

    def interrupt(self) -> KeyboardInterrupt:
        self.raised.append(KeyboardInterrupt())
        return self.raised[-1]


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
        with _raised_again(signals):
            yield signals
    finally:
        _heard = None
        restore()


@contextmanager
def _raised_again(signals: Signals) -> Iterator[None]:
    """Raise an interrupt again that was dropped: Python does so with exceptions in finalizers and foreign callbacks,
    of which there are many while kernels compile."""
    usual, main, over = sys.unraisablehook, _thread.get_ident(), False

    class Again(KeyboardInterrupt):
        def __init__(self) -> None:
            signals.raised.append(self)

    def raise_in_main(error: type[BaseException] | None) -> None:
        told = None if error is None else ctypes.py_object(error)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), told)

    def raise_soon() -> None:
        time.sleep(AGAIN)
        if signals.raises and not over:
            raise_in_main(Again)

    def hook(dropped: Any) -> None:
        if not signals.raises:
            usual(dropped)
        elif issubclass(dropped.exc_type, KeyboardInterrupt):  # other errors follow from it, and matter to nobody
            _thread.start_new_thread(raise_soon, ())  # without the locks of `threading`, which may be held here

    sys.unraisablehook = hook
    try:
        yield
    finally:
        over = True
        if signals.raises:
            raise_in_main(None)  # forget one that is on its way
        sys.unraisablehook = usual


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
                if signals.raises:  # a library made another error of the interrupt
                    raise signals.interrupt() from error
                raise
            signals.check()
        if signals.seen:
            self.stopped_by_ = "interrupt"
        return self

    return heard_fit
