"""The progress bar of a search: a consumer of the loop that reads and never steers."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from epsilex.data.scales import Scales
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.stopping import Stop
from epsilex.evolution.state import State
from epsilex.programs.formula import text

DRAW_EVERY = 0.2  # seconds
LINE_EVERY = 10.0  # where nothing can be redrawn, as in a log file
BAR = 20  # columns
WIDTH = 100  # of a line in a notebook
LOG_WIDTH = 200  # of a line of a log
DIGITS = 3  # of the constants in the formula shown


class Progress:
    """The progress of a search: how far it is, how long it will take, what it has found."""

    def __init__(self, stop: Stop, names: Sequence[str], scales: Scales, crew: Callable[[], str] | None = None):
        self.stop, self.names, self.scales, self.crew = stop, names, scales, crew
        self.at_work = ""
        self.began = self._last = time.monotonic()
        self._evaluations: int | None = None
        self.first: int | None = None
        self.generation = 0
        self.error = np.inf
        self.formula = ""

    def update(self, state: State, archive: Archive) -> None:
        """Record a state; the formula is rewritten only when it has changed."""
        self.first = state.generation if self.first is None else self.first
        self.generation = state.generation
        if self.crew is not None:
            self._watch(self.crew(), state.evaluations)
        front = archive.front
        if not len(front):
            return
        best = front[-1]
        error = float(archive.fitness[best]) * self.scales.y_scale
        if error != self.error:
            self.error = error
            self.formula = printable(text(archive.formula(best, [self.scales]), self.names, DIGITS))

    def _watch(self, crew: str, evaluations: int) -> None:
        """Record who is at work, and how fast since the last state."""
        now, before = time.monotonic(), self._evaluations
        self.at_work = crew
        if before is not None and now > self._last:
            self.at_work += f", {(evaluations - before) / (now - self._last):.3g} evaluations/s"
        self._last, self._evaluations = now, evaluations

    @property
    def seconds_left(self) -> float | None:
        """Until the first limit; None if that is not known yet."""
        elapsed = time.monotonic() - self.began
        left = [] if self.stop.seconds is None else [self.stop.seconds - elapsed]
        done = self.generation - (self.first or 0)
        if self.stop.generations is not None and done > 0:
            left.append(elapsed / done * (self.stop.generations - self.generation))
        return max(0.0, min(left)) if left else None

    @property
    def share_done(self) -> float:
        """From 0 to 1."""
        shares = [0.0]
        if self.stop.seconds:
            shares.append((time.monotonic() - self.began) / self.stop.seconds)
        if self.stop.generations:
            shares.append(self.generation / self.stop.generations)
        return min(1.0, max(shares))

    def line(self, width: int) -> str:
        """How far it is, what is left and what it has found, in one line; the formula shortened to fit."""
        left = self.seconds_left
        return self._line(f"generation {self.generation}", "" if left is None else f"{left:.0f} s left", width)

    def log(self, width: int) -> str:
        """The same for a log, beginning with the time since the start."""
        seconds = int(time.monotonic() - self.began)
        clock = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        return self._line(clock, f"generation {self.generation}", width)

    def _line(self, first: str, second: str, width: int) -> str:
        error = f"error {self.error:.4g}" if np.isfinite(self.error) else ""
        head = "  ".join(filter(None, (first, second, error, self.at_work)))
        room = width - len(head) - 2
        if room < 8 or not self.formula:
            return head[:width]
        return f"{head}  {self.formula if len(self.formula) <= room else self.formula[: room - 1] + '…'}"


def printable(text: str) -> str:
    """Text safe for a terminal: a column's name may contain control characters."""
    return "".join(character if character.isprintable() else "�" for character in text)


class ProgressBar:
    """The observer behind a progress bar: it records every state and redraws every so often."""

    def __init__(self, progress: Progress, draw: Callable[[], None]):
        self._progress, self._draw = progress, draw
        self._last = -np.inf

    def see(self, state: State, archive: Archive) -> None:
        self._progress.update(state, archive)
        if time.monotonic() - self._last >= DRAW_EVERY:
            self._last = time.monotonic()
            self._draw()

    def end(self, state: State, archive: Archive) -> None:
        pass


@contextmanager
def progress_bar(
    stop: Stop, names: Sequence[str], scales: Scales, crew: Callable[[], str] | None = None
) -> Iterator[list[ProgressBar]]:
    """Show the progress of a search on standard error, and yield a list with the observer that updates it.

    It is a bar in a terminal, one changing line in a notebook, and an occasional new line elsewhere. `crew` tells who
    is at work, if that is not this process alone.
    """
    from rich.console import Console

    console = Console(stderr=True)
    show = _notebook if console.is_jupyter else _terminal if console.is_terminal else _log
    progress = Progress(stop, names, scales, crew)
    with show(progress, console) as draw:
        yield [ProgressBar(progress, draw)]


@contextmanager
def _terminal(progress: Progress, console) -> Iterator[Callable[[], None]]:
    from rich.live import Live
    from rich.progress_bar import ProgressBar as Bar
    from rich.table import Table
    from rich.text import Text

    def render() -> Table:
        grid = Table.grid(padding=(0, 1))
        bar = Bar(total=1.0, completed=progress.share_done, width=BAR)
        # Leave room for the ^C that a terminal echoes: a wrapped line would not be erased.
        grid.add_row(bar, Text(progress.line(console.width - BAR - 5), no_wrap=True, overflow="ellipsis"))
        return grid

    with Live(console=console, get_renderable=render, refresh_per_second=5, transient=True):
        yield lambda: None  # the live display redraws itself


@contextmanager
def _notebook(progress: Progress, console) -> Iterator[Callable[[], None]]:
    from IPython.display import display

    handle = display({"text/plain": ""}, raw=True, display_id=True)

    def draw() -> None:
        handle.update({"text/plain": progress.line(WIDTH)}, raw=True)

    yield draw
    draw()


@contextmanager
def _log(progress: Progress, console) -> Iterator[Callable[[], None]]:
    last = progress.began

    def draw() -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_EVERY:
            last = time.monotonic()
            print(progress.log(LOG_WIDTH), file=sys.stderr, flush=True)

    yield draw
