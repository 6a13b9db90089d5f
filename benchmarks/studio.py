"""What the studio costs a search: generations of a run with the studio open, and of a plain fit, in the same time.

`python -m benchmarks.studio [--seconds N] [--pairs N]` runs both in processes of their own, in turn, and changes which
comes first from pair to pair; it writes benchmarks/STUDIO.md. A studio serves the run and a client follows its events,
as the page does. A search is counted from its first generation for so many seconds of the clock, with its CPU time in
them; compiling, planting and the answer are not in it. All pairs run the same search, and the best of each is compared:
on a shared machine the same work takes several percent more time now and then. So the time that the run spends on
snapshots, acts and checkpoints is measured, too.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.timing import table
from epsilex.evolution import State
from epsilex.studio import desk, worker
from epsilex.studio.preparing import prepared
from epsilex.studio.project import Project, read_spec
from epsilex.studio.specs import checked
from epsilex.tables import read_table

ROWS = 1000
PAGE = Path(__file__).with_name("STUDIO.md")
HEAD = """\
# A run and a plain fit

Written by `python -m benchmarks.studio` on {date}.

Generations in {seconds:g} s of the clock, and the CPU time of the search's process in them; {rows} rows, 1000 programs,
a thread on all of the {cores} cores but one. The differences are of generations per second of the clock and of CPU.
`aside` is the share of the run's CPU time that went into snapshots, acts and checkpoints, `server` the CPU time of the
studio's server, its start included.

{table}
"""


class Clock:
    """Time of the clock and CPU time of this process from the first generation on, until so many seconds are over."""

    def __init__(self, seconds: float) -> None:
        self.limit, self.seen = seconds, list[tuple[int, float, float]]()
        self.aside = 0.0  # CPU seconds on anything but the search

    def __call__(self, state: State) -> bool:
        self.seen.append((state.generation, time.monotonic(), time.process_time()))
        return self.seen[-1][1] - self.seen[0][1] >= self.limit

    def said(self) -> str:
        generations, wall, cpu = (last - first for first, last in zip(self.seen[0], self.seen[-1], strict=True))
        return json.dumps({"generations": generations, "wall": wall, "cpu": cpu, "aside": self.aside})

    def besides(self, what: Callable) -> Callable:
        """A function whose time counts as spent aside."""

        def timed(*arguments: Any) -> Any:
            began = time.process_time()
            found = what(*arguments)
            self.aside += time.process_time() - began
            return found

        return timed


def a_table() -> bytes:
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(ROWS, 5))
    y = 10.0 / (5.0 + ((X - 1.0) ** 2).sum(axis=1)) + rng.normal(0, 0.01, ROWS)
    lines = [",".join(f"{value:.6f}" for value in (*row, target)) for row, target in zip(X, y, strict=True)]
    return ("\n".join(["a,b,c,d,e,y", *lines]) + "\n").encode()


def new_run(project: Project, seed: int) -> str:
    asked = {"target": "y", "generations": 10**6, "population": 1000, "seconds": 3600, "seed": seed}
    spec = checked(asked, list("abcdey"))
    return project.add_run(spec | {"table": project.add_table("uball5d.csv", a_table())})


def plain(folder: Path, id: str, seconds: float) -> None:
    """The plain fit of a run's spec, in this process."""
    project, clock = Project(folder), Clock(seconds)
    spec = read_spec(project.run(id))
    data = prepared(read_table(project.table(spec["table"])[1]), spec)
    est = worker.estimator(spec, data).set_params(callbacks=[clock], polish=False)
    est.fit(data.to_fit(), data.y[~data.held_back])
    print(clock.said())


def steered(folder: Path, id: str, seconds: float) -> None:
    """The run itself, in this process; it leaves when the time is over."""
    clock, estimator = Clock(seconds), worker.estimator
    usual = clock.besides(desk.Desk.see)

    def see(self: desk.Desk, state: State, archive: Any) -> str | None:
        told = usual(self, state, archive)
        return "interrupt" if clock(state) else told

    with (
        patch.object(desk.Desk, "see", see),
        patch.object(desk, "write_checkpoint", clock.besides(desk.write_checkpoint)),
        patch.object(worker, "estimator", lambda *given: estimator(*given).set_params(polish=False)),
    ):
        worker.work(Project(folder), id)
    print(clock.said())


class Studio:
    """A studio in its own process, with a client that reads all events of a run; its CPU time at the end."""

    def __init__(self, folder: Path, id: str):
        command = [sys.executable, "-m", "epsilex", "studio", "--no-browser", "--project", str(folder)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        door = next(line for line in self.process.stderr if line.startswith("studio: ")).split()[1]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        opener.open(door)
        stream = opener.open(f"{door.partition('/enter')[0]}/api/events?run={id}")
        threading.Thread(target=lambda: [None for _ in stream], daemon=True).start()

    def end(self) -> float:
        ticks = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def child(what: str, folder: Path, id: str, seconds: float) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.studio", what, str(folder), id, str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def watched(project: Project, id: str, seconds: float) -> dict[str, float]:
    """The run with a studio open, and the CPU seconds of its server."""
    studio = Studio(project.folder, id)
    found = child("steered", project.folder, id, seconds)
    return found | {"server": studio.end()}


def pair(number: int, seconds: float) -> tuple[dict[str, float], dict[str, float]]:
    """A plain fit, and a run with the studio open; the same search in every pair."""
    with tempfile.TemporaryDirectory() as name:
        project = Project(Path(name) / "project")
        id = new_run(project, seed=0)
        if number % 2:
            open_ = watched(project, id, seconds)
            return child("plain", project.folder, id, seconds), open_
        return child("plain", project.folder, id, seconds), watched(project, id, seconds)


def rates(found: dict[str, float]) -> tuple[float, float]:
    """Generations per second of the clock, and per CPU second."""
    return found["generations"] / found["wall"], found["generations"] / found["cpu"]


def measure(seconds: float, pairs: int) -> str:
    rows, every = [], []
    for number in range(pairs):
        alone, watching = pair(number, seconds)
        every.append([rates(one) for one in (alone, watching)])
        rows.append([
            number,
            *(f"{one['generations']:.0f} in {one['wall']:.0f} s, {one['cpu']:.1f} s" for one in (alone, watching)),
            *(f"{b / a - 1.0:+.1%}" for a, b in zip(*every[-1], strict=True)),
            f"{watching['aside'] / watching['cpu']:.1%}", f"{watching['server']:.1f} s",
        ])  # fmt: skip
        print(*rows[-1], sep=", ", file=sys.stderr, flush=True)
    best = [max(found) for found in zip(*(alone + watching for alone, watching in every), strict=True)]
    rows.append(["best of each", "", "", *(f"{best[k + 2] / best[k] - 1.0:+.1%}" for k in (0, 1)), "", ""])
    names = ["pair", "plain fit", "studio open", "per second", "per CPU second", "aside", "server"]
    circumstances = {"date": datetime.date.today(), "seconds": seconds, "rows": ROWS, "cores": os.cpu_count()}
    return HEAD.format(**circumstances, table=table(names, rows))


if __name__ == "__main__":
    if sys.argv[1:2] in (["plain"], ["steered"]):
        (plain if sys.argv[1] == "plain" else steered)(Path(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--seconds", type=float, default=60.0)
        parser.add_argument("--pairs", type=int, default=3)
        options = parser.parse_args()
        found = measure(options.seconds, options.pairs)
        print(found)
        PAGE.write_text(found, encoding="utf-8")
