"""Trials on a Dask cluster: a real scheduler and two worker processes on the loopback, one of them killed."""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from rich.console import Console

import experiments_standin as standin
from epsilex import problems
from epsilex.experiments import runner
from epsilex.experiments.progress import Progress
from epsilex.experiments.store import FILE, Store
from epsilex.pools import DaskPool
from places import SUPPORT

pytest.importorskip("distributed", reason="needs the extra `cluster`")


def start(module: str, *arguments: str, folder: Path) -> subprocess.Popen:
    paths = os.pathsep.join([str(SUPPORT), *filter(None, sys.path)])
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    environment = {**os.environ, "PYTHONPATH": paths, "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


@contextmanager
def ended_at_the_end(processes: list[subprocess.Popen]) -> Iterator[None]:
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture
def scheduler(tmp_path):
    """(address, process)."""
    note = tmp_path / "scheduler.json"
    loopback = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(note))
    process = start("dask_scheduler", *loopback, folder=tmp_path)
    with ended_at_the_end([process]):
        limit = time.monotonic() + 60
        address = None
        while address is None:
            assert time.monotonic() < limit
            assert process.poll() is None
            time.sleep(0.1)
            with suppress(FileNotFoundError, json.JSONDecodeError):  # not there yet, or not yet written
                address = json.loads(note.read_text())["address"]
        yield address, process


@pytest.fixture
def workers(scheduler, tmp_path):
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
    processes = [start("dask_worker", scheduler[0], *options, folder=tmp_path) for _ in range(2)]
    with ended_at_the_end(processes):
        yield processes


class KillOnce(Progress):
    """Watches, and kills a worker after the second trial."""

    def __init__(self, victim: subprocess.Popen, *arguments):
        super().__init__(*arguments)
        self._victim = victim

    def ended(self, trial, outcome, final):
        super().ended(trial, outcome, final)
        if self._done.total() == 2:
            self._victim.kill()


@pytest.mark.slow
def test_a_cluster_gives_the_same_rows_though_a_worker_is_killed(scheduler, workers, tmp_path):
    address, _ = scheduler
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert standin.carry_out(whole, standin.work) == 0
    loaded = {"uball5d": problems.load("uball5d")}
    pool = DaskPool(address, timeout=60)
    try:
        pool._client.wait_for_workers(2, timeout=30)
        assert pool.slots == 2
        with Store.open(out / FILE) as store:
            store.begin("table", standin.SCALE, standin.cells(), loaded.values(), pool.description)
            console = Console(file=io.StringIO())
            with KillOnce(workers[0], console, standin.plan(), set(), pool.slots) as watcher:
                assert runner.run(standin.plan(), loaded, store, pool, watcher, standin.slow_work) == 0
    finally:
        pool.close()
    assert workers[0].poll() is not None
    assert standin.stored(out) == standin.stored(whole)
    assert standin.histories(out) == standin.histories(whole)


@pytest.mark.slow
def test_a_scheduler_that_goes_away_ends_the_run_and_keeps_what_is_stored(scheduler, workers, tmp_path):
    address, process = scheduler
    loaded = {"uball5d": problems.load("uball5d")}
    pool = DaskPool(address, timeout=60)
    try:
        with Store.open(tmp_path / FILE) as store:
            watcher = KillOnce(process, Console(file=io.StringIO()), standin.plan(), set(), 2)
            with pytest.raises(ValueError, match="dask: the scheduler went away"):
                runner.run(standin.plan(), loaded, store, pool, watcher, standin.slow_work)
            assert len(store.done()) >= 2
    finally:
        pool.close()


ADDRESSES = ["127.0.0.1:9", "tcp://127.0.0.1:9", "tls://127.0.0.1:9", "smoke://127.0.0.1:9", "a:b", "nonsense", ""]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_where_nobody_answers(address):
    threads = threading.active_count()
    with pytest.raises(ValueError, match="dask: expected the address of a Dask scheduler; nobody answers"):
        DaskPool(address, timeout=2)
    gc.collect()
    assert threading.active_count() <= threads  # nothing is left that would be closed at some later time


def test_a_scheduler_without_workers(scheduler):
    with pytest.raises(ValueError, match=f"dask: expected a scheduler with workers; got none at '{scheduler[0]}'"):
        DaskPool(scheduler[0], timeout=2)
