"""SIGKILL at random moments: what is continued ends with the bits of an undisturbed run."""

from __future__ import annotations

import itertools
import os
import random
import signal
import sqlite3
import subprocess
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from drills import fits
from drills.command import start, start_python
from drills.drill import Outcome, drill

GENERATIONS = 40
OFTEN = """
from epsilex.evolution.observers import checkpoint
of = checkpoint.Checkpoint.of
checkpoint.Checkpoint.of = lambda self, *rest: of(checkpoint.Checkpoint(self.path, 0.0), *rest)
from epsilex.cli import main
main()
"""  # the command line, with a checkpoint after every generation
NOBODY = b"epsilex: dask: expected a scheduler with workers; got none at"
PATIENCE = 1.15  # factor on the time before a kill while none has come late enough to resume from anything


def litter(folder: Path) -> list[str]:
    """Names that a finished run must not leave."""
    return [
        path.name
        for path in folder.rglob("*")
        if path.name.endswith((".part", ".lock")) and path.name != "results.sqlite.lock"
    ]


@drill("A search killed at any moment resumes to the same bits", full=200, unit="kills of a search", least=4)
def killed_searches(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    """Through the API, in forked children; every few kills the search is completed and compared."""
    X, y = fits.data()
    path = folder / "checkpoint"

    def fit(**changes):
        return fits.estimator("modern", generations=GENERATIONS, **changes).fit(X, y)

    whole = fits.hashes(fit())

    def resumed():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit(checkpoint=path, checkpoint_every=0.0, resume=True)

    def compare() -> None:
        outcome.add("resumes compared")
        outcome.expect(fits.hashes(resumed()) == whole, f"after {outcome.count} kills the search ends with other bits")
        outcome.expect(not litter(folder), f"left behind: {litter(folder)}")
        for left in folder.iterdir():
            left.unlink()

    wait, since = 0.3, 0
    while outcome.count < n:
        child = os.fork()
        if child == 0:
            resumed()
            os._exit(0)
        time.sleep(rng.uniform(0.0, wait))
        os.kill(child, signal.SIGKILL)
        if os.WIFSIGNALED(os.waitpid(child, 0)[1]):
            outcome.count += 1
            since += 1
            outcome.add("after the first checkpoint", path.exists())
            wait = wait if path.exists() else min(5.0, wait * PATIENCE)
        else:
            since = 10  # it was done before the kill
        if since >= 10:
            compare()
            since = 0
    compare()


def kill_and_continue(
    outcome: Outcome,
    n: int,
    rng: random.Random,
    begin: Callable[[], subprocess.Popen],
    under_way: Callable[[], bool],
    also: Callable[[], object] = lambda: None,
) -> None:
    """Kill processes, most of them a little after they are under way, until `n` are killed or one ends by itself;
    `also` kills others."""
    for _ in range(n):
        process = begin()
        limit = time.monotonic() + 120.0
        early = rng.random() < 0.2
        while not early and not under_way() and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.02)
        time.sleep(rng.uniform(0.0, 2.0 if early else 0.5))
        also()
        process.kill()
        _, err = process.communicate()
        if process.returncode != -signal.SIGKILL:
            alone = process.returncode == 2 and NOBODY in err  # the only worker was killed before
            outcome.expect(process.returncode == 0 or alone, f"code {process.returncode}: {err[-200:]!r}")
            return
        outcome.count += 1


@drill(
    "`epsilex fit --resume` after kills writes the files of an undisturbed fit",
    full=200,
    unit="kills of the command",
    least=1,
)
def killed_commands(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    for k in itertools.count():
        if outcome.count >= n:
            return
        table = fits.table(folder / "d.csv", seed=k)
        again = ("--resume", "--overwrite")  # it may have ended before it was killed
        options = ("--target", "y", "--generations", "60", "--population", "300", "--jobs", "1", "--seed", str(k))

        def begin(out: str = "out", options=options, again=again) -> subprocess.Popen:
            return start_python("-c", OFTEN, "fit", "d.csv", *options, "--out", out, *again, folder=folder)

        out = folder / "out"
        most = min(10, n - outcome.count)
        kill_and_continue(outcome, most, rng, begin, lambda out=out: (out / "search.checkpoint").exists())
        for name in ("out", "straight"):
            process = begin(name)
            _, err = process.communicate(timeout=300)
            outcome.expect(process.returncode == 0, f"round {k}: code {process.returncode}: {err[-200:]!r}")
        outcome.add("fits compared")
        for name in ("model.json", "front.csv"):
            same = (out / name).read_bytes() == (folder / "straight" / name).read_bytes()
            outcome.expect(same, f"round {k}: {name} differs")
        left = set(os.listdir(out)) - set(os.listdir(folder / "straight"))
        outcome.expect(not left and not litter(folder), f"round {k}: left behind: {left} {litter(folder)}")
        table.unlink()


REPRODUCE = (
    "reproduce",
    "--problems",
    "uball5d",
    "--methods",
    "random,tournament",
    "--trials",
    "3",
    "--generations",
    "6",
    "--out",
    "out",
)


def rows(path: Path) -> list[tuple]:
    """The results without clocks; none before the first is stored."""
    if not path.exists():
        return []
    try:
        with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as db:
            return sorted(
                db.execute("SELECT method, trial, status, test_mae, train_mae, formula FROM trials").fetchall()
            )
    except sqlite3.Error:
        return []


def killed_experiments(
    outcome: Outcome,
    n: int,
    rng: random.Random,
    folder: Path,
    *how: str,
    first: Callable[[], object] = lambda: None,
    also: Callable[[], object] = lambda: None,
) -> None:
    """Kills of `reproduce`, then one run to the end, beside one that nobody disturbed. `first` is called before each
    start, `also` before each kill."""
    aim = {"rows": 0}

    def begin() -> subprocess.Popen:
        first()
        aim["rows"] = len(rows(folder / "out" / "results.sqlite")) + rng.randint(0, 1)
        return start(
            *REPRODUCE, "--set", "population_size=100", *how, folder=folder, EPSILEX_DATA_URL="http://127.0.0.1:9"
        )

    done: list[list[tuple]] = []
    file = folder / "out" / "results.sqlite"
    while outcome.count < n:
        most = min(20, n - outcome.count)
        kill_and_continue(outcome, most, rng, begin, lambda: len(rows(file)) >= aim["rows"], also)
        process = begin()
        _, err = process.communicate(timeout=600)
        outcome.expect(process.returncode == 0, f"run {len(done)}: code {process.returncode}: {err[-200:]!r}")
        done.append(rows(folder / "out" / "results.sqlite"))
        for path in sorted((folder / "out").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    process = begin()
    process.communicate(timeout=600)
    whole = rows(folder / "out" / "results.sqlite")
    outcome.add("runs compared", len(done))
    outcome.expect(
        whole and all(found == whole for found in done), f"{sum(found != whole for found in done)} runs have other rows"
    )


@drill(
    "`epsilex reproduce` after kills has the rows of an undisturbed run", full=200, unit="kills of `reproduce`", least=1
)
def killed_reproductions(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    killed_experiments(outcome, n, rng, folder, "--jobs", "1")


@drill("The same on a Dask cluster, some of whose workers are killed too", full=200, unit="kills on Dask", least=1)
def killed_dask(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        outcome.figures["left out"] = "distributed is not installed"
        return
    local = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, processes=True)
    with local as cluster, Client(cluster) as client:

        def have_a_worker() -> None:
            limit = time.monotonic() + 60.0
            while not cluster.scheduler.workers and time.monotonic() < limit:
                if not cluster.workers:  # killed while it started, and given up
                    cluster.scale(1)
                time.sleep(0.2)
            client.submit(os.getpid, pure=False).result(60.0)  # one that was killed may still be on the list

        def kill_a_worker() -> None:
            for nanny in list(cluster.workers.values()):  # which starts another worker
                if rng.random() < 0.3 and nanny.pid:
                    os.kill(nanny.pid, signal.SIGKILL)
                    outcome.add("workers killed")

        how = ("--dask", cluster.scheduler_address)
        killed_experiments(outcome, n, rng, folder, *how, first=have_a_worker, also=kill_a_worker)
