"""The live table: trials done, running and left, and the remaining time."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from epsilex.experiments import methods
from epsilex.experiments.trials import Outcome, Trial

_LINE_EVERY = 15.0  # seconds, if there is no terminal


class Progress:
    """Watches a run on `console`: a live table in a terminal, an occasional line elsewhere."""

    def __init__(self, console: Console, plan: Sequence[Trial], done: set[Trial], slots: int):
        self._console = console
        self._slots = slots
        self._cells = Counter((t.problem, t.method) for t in plan)
        self._done = Counter((t.problem, t.method) for t in plan if t in done)
        self._running: Counter = Counter()
        self._failed: Counter = Counter()
        self._seconds: defaultdict = defaultdict(list)
        self._began = self._last_line = time.monotonic()
        self._live = Live(console=console, get_renderable=self._render, refresh_per_second=2, transient=True)

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()
        self._console.print(self.line(), highlight=False)

    def started(self, trial: Trial) -> None:
        self._running[trial.problem, trial.method] += 1

    def ended(self, trial: Trial, outcome: Outcome, final: bool) -> None:
        cell = trial.problem, trial.method
        self._running[cell] -= 1
        if outcome.error is None:
            self._done[cell] += 1
            self._seconds[cell].append(outcome.row.get("seconds", 0.0))
        else:
            self._failed[cell] += final
            last = outcome.error.strip().splitlines()[-1]
            what = "failed" if final else "failed, to be tried again"
            self._console.print(
                Text(f"{trial.problem}, {trial.method}, trial {trial.trial}: {what}: {last}", style="red")
            )

    def tick(self) -> None:
        if not self._console.is_terminal and time.monotonic() - self._last_line > _LINE_EVERY:
            self._last_line = time.monotonic()
            self._console.print(self.line(), highlight=False)

    @property
    def left(self) -> int:
        return self._cells.total() - self._done.total() - self._failed.total()

    def time_to_go(self) -> float | None:
        """Remaining seconds, from the times of each cell's own trials if it has any, else of all trials."""
        known = [second for cell in self._seconds.values() for second in cell]
        if not known:
            return None
        overall = sum(known) / len(known)
        total = 0.0
        for cell, planned in self._cells.items():
            own = self._seconds.get(cell)
            total += (planned - self._done[cell] - self._failed[cell]) * (sum(own) / len(own) if own else overall)
        return total / self._slots

    def line(self) -> str:
        """All of it in one line."""
        running = self._running.total()
        parts = [f"{self._done.total()} of {self._cells.total()} trials done"]
        if running:
            parts.append(f"{running} running, {self.left - running} left")
        if self._failed.total():
            parts.append(f"{self._failed.total()} failed")
        parts.append(f"{duration(time.monotonic() - self._began)} elapsed")
        to_go = self.time_to_go()
        if self.left and to_go is not None:
            parts.append(f"about {duration(to_go)} to go")
        return ", ".join(parts)

    def _render(self) -> Group:
        problems = list(dict.fromkeys(problem for problem, _ in self._cells))
        table = Table("method", *problems, title="trials done", title_justify="left")
        for method in methods.arrange([method for _, method in self._cells]):
            table.add_row(method.label, *(self._cell(problem, method.id) for problem in problems))
        return Group(table, Text(self.line()))

    def _cell(self, problem: str, method: str) -> Text:
        cell = problem, method
        if cell not in self._cells:
            return Text("")
        done, planned = self._done[cell], self._cells[cell]
        text = Text(f"{done}/{planned}", style="green" if done == planned else "")
        if self._running[cell]:
            text.append(f" +{self._running[cell]}", style="bold cyan")
        if self._failed[cell]:
            text.append(f" !{self._failed[cell]}", style="bold red")
        return text


def duration(seconds: float) -> str:
    """Seconds as h:mm:ss."""
    seconds = round(seconds)
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
