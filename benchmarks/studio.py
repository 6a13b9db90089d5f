"""What the studio costs a search: CPU time per generation of a run with the studio open, and of a plain fit.

`python -m benchmarks.studio [--generations N] [--pairs N]` runs both in processes of their own, in turn. A studio
serves the run and a client follows its events, as the page does. CPU time is that of the search's process, between its
first and its last generation; compiling, planting and the answer are not in it. On a busy machine the two rates scatter
by several percent, so the time that the run spends on snapshots, acts and checkpoints is measured, too.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
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

from epsilex.evolution import State
from epsilex.studio import desk, worker
from epsilex.studio.preparing import prepared
from epsilex.studio.project import Project, read_json, read_spec
from epsilex.studio.specs import checked
from epsilex.tables import read_table

ROWS = 1000


class Clock:
    """CPU time of this process between the first generation and the last."""

    def __init__(self) -> None:
        self.seen: dict[int, float] = {}
        self.aside = 0.0  # seconds on anything but the search

    def __call__(self, state: State) -> None:
        self.seen[state.generation] = time.process_time()

    def said(self) -> str:
        generations = sorted(self.seen)
        spent = self.seen[generations[-1]] - self.seen[generations[0]]
        return json.dumps({"generations": generations[-1] - generations[0], "seconds": spent, "aside": self.aside})

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


def new_run(project: Project, generations: int, seed: int) -> str:
    asked = {"target": "y", "generations": generations, "population": 1000, "seconds": 3600, "seed": seed}
    spec = checked(asked, list("abcdey"))
    return project.add_run(spec | {"table": project.add_table("uball5d.csv", a_table())})


def plain(folder: Path, id: str) -> None:
    """The plain fit of a run's spec, in this process."""
    project, clock = Project(folder), Clock()
    spec = read_spec(project.run(id))
    data = prepared(read_table(project.table(spec["table"])[1]), spec)
    est = worker.estimator(spec, data).set_params(callbacks=[clock], polish=False)
    est.fit(data.to_fit(), data.y[~data.held_back])
    print(clock.said())


def steered(folder: Path, id: str) -> None:
    """The run itself, in this process."""
    clock, estimator = Clock(), worker.estimator
    usual = clock.besides(desk.Desk.see)

    def see(self: desk.Desk, state: State, archive: Any) -> str | None:
        told = usual(self, state, archive)
        clock(state)
        return told

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


def child(what: str, folder: Path, id: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.studio", what, str(folder), id],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def measure(generations: int, pairs: int) -> None:
    ratios = []
    for seed in range(pairs):
        with tempfile.TemporaryDirectory() as name:
            project = Project(Path(name) / "project")
            id = new_run(project, generations, seed)
            alone = child("plain", project.folder, id)
            studio = Studio(project.folder, id)
            began = time.monotonic()
            watched = child("steered", project.folder, id)
            wall, server = time.monotonic() - began, studio.end()
            assert read_json(project.run(id) / "snapshot.json")["phase"] == "done"
        rates = [one["generations"] / one["seconds"] for one in (alone, watched)]
        ratios.append(rates[1] / rates[0])
        print(
            f"seed {seed}: {rates[0]:.2f} generations per CPU second alone, {rates[1]:.2f} with the studio open "
            f"({ratios[-1] - 1:+.1%}), {watched['aside'] / watched['seconds']:.1%} of it on snapshots, acts and "
            f"checkpoints; the server used {server:.1f} s of CPU in {wall:.0f} s",
            flush=True,
        )
    print(f"median {statistics.median(ratios) - 1:+.1%}")


if __name__ == "__main__":
    if sys.argv[1:2] in (["plain"], ["steered"]):
        (plain if sys.argv[1] == "plain" else steered)(Path(sys.argv[2]), sys.argv[3])
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--generations", type=int, default=400)
        parser.add_argument("--pairs", type=int, default=3)
        options = parser.parse_args()
        measure(options.generations, options.pairs)
