"""Trials run on processes: stored as they end, tried again when they fail, continued after a kill."""

from __future__ import annotations

import io
import os

import pytest
from rich.console import Console

import experiments_standin as standin
from epsilex.experiments.progress import Progress, duration
from epsilex.experiments.trials import Outcome
from epsilex.pools import ProcessPool


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nobody disturbed."""
    out = tmp_path_factory.mktemp("whole")
    assert standin.carry_out(out, standin.work) == 0
    return out


def test_every_trial_is_stored_once(whole):
    assert len(standin.stored(whole)) == len(standin.plan()) == 12
    assert len(standin.histories(whole)) == 12 * 3


def test_a_second_run_does_nothing(whole):
    before = standin.stored(whole, "id, finished")
    assert standin.carry_out(whole, standin.failing_work) == 0
    assert standin.stored(whole, "id, finished") == before


def test_a_failing_trial_is_tried_three_times_and_the_run_goes_on(tmp_path, whole):
    console = Console(file=io.StringIO(), width=200)
    assert standin.carry_out(tmp_path, standin.failing_work, console=console) == 4
    failed = standin.stored(tmp_path, "status, method, attempts, error")
    assert [row[:3] for row in failed if row[0] == "failed"] == [("failed", "tournament", 3)] * 4
    assert failed[-1][3].endswith("out of luck")
    assert console.file.getvalue().count("out of luck") == 12
    # The next run tries them again, and has all.
    assert standin.carry_out(tmp_path, standin.work) == 0
    assert standin.stored(tmp_path) == standin.stored(whole)


def test_a_dying_worker_takes_only_its_own_trial_along(tmp_path):
    assert standin.carry_out(tmp_path, standin.deadly_work) == 1
    rows = standin.stored(tmp_path, "method, trial, status, attempts, error")
    bad = [row for row in rows if row[2] == "failed"]
    assert [row[:4] for row in bad] == [("tournament", 1, "failed", 3)]
    assert "the worker died" in bad[0][4]
    assert {row[3] for row in rows if row[2] == "done"} == {1}


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True, "2"])
def test_a_number_of_processes_that_makes_no_sense(jobs):
    with pytest.raises(ValueError, match="jobs: expected an integer of at least 1"):
        ProcessPool(jobs)


# --- progress ---


def test_the_progress_line_counts_and_foretells():
    trials = standin.plan()
    progress = Progress(Console(file=io.StringIO()), trials, set(trials[:2]), slots=2)
    assert progress.line().startswith("2 of 12 trials done")
    for trial in trials[2:4]:
        progress.started(trial)
    assert "2 running, 8 left" in progress.line()
    progress.ended(trials[2], Outcome({"seconds": 10.0}), final=True)
    progress.ended(trials[3], Outcome(error="ValueError: no"), final=True)
    assert "1 failed" in progress.line()
    assert progress.left == 8
    assert progress.time_to_go() == pytest.approx(8 * 10.0 / 2)
    assert "about 0:00:40 to go" in progress.line()


def test_the_live_table_shows_every_cell():
    trials = standin.plan()
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    with Progress(console, trials, set(trials[:3]), slots=1) as progress:
        progress.started(trials[3])
        console.print(progress._render())
    text = console.file.getvalue()
    for part in ("Rand Sel", "Tourn", "Lex", "uball5d", "1/4", "+1", "3 of 12 trials done"):
        assert part in text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00:00"), (59.6, "0:01:00"), (3661, "1:01:01"), (360000, "100:00:00")]
)
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_a_worker_uses_one_thread_and_its_own_group():
    pool = ProcessPool(1)
    try:
        pool.submit(os.getpgrp)
        group = []
        while not group:
            group = pool.collect(timeout=1)
        assert group[0].result() != os.getpgrp()  # Ctrl-C is for the parent alone
    finally:
        pool.close()
