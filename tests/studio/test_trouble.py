"""What goes wrong while a run runs: a full disk, deleted folders. It is said in words, and nothing is lost."""

from __future__ import annotations

import resource
import shutil
import time
from collections import namedtuple

import pytest

from epsilex.studio import desk, worker
from epsilex.studio.project import append_line, read_lines
from epsilex.studio.views import Runs
from studios import ask, new_run, work

FULL = OSError(28, "No space left on device")


def failing(usual, times: int):
    """A function that finds the disk full a few times."""
    left = [times]

    def write(*arguments):
        left[0] -= 1
        if left[0] >= 0:
            raise FULL
        return usual(*arguments)

    return write


@pytest.fixture
def eager(monkeypatch, unpolished):
    """A checkpoint per generation, and no waiting."""
    monkeypatch.setattr(desk, "EVERY", 0.0)
    monkeypatch.setattr(desk, "SHARE", 1e9)
    monkeypatch.setattr(desk, "RETRY", 0.0)


def test_checkpoints_that_cannot_be_written_do_not_end_the_search(project, eager, monkeypatch):
    digest = work(project, new_run(project))["digest"]
    monkeypatch.setattr(desk, "write_checkpoint", failing(desk.write_checkpoint, 5))
    told = work(project, new_run(project))
    assert told["digest"] == digest
    assert told["trouble"] == "A checkpoint could not be written for a while: No space left on device."


@pytest.mark.parametrize("what", ["write_checkpoint", "append_line"])
def test_an_act_waits_for_room_and_is_done_once(project, eager, monkeypatch, what):
    ids = [new_run(project), new_run(project)]
    for id in ids:
        ask(project, id, kind="forbid", operator="sin")
    digest = work(project, ids[0])["digest"]
    monkeypatch.setattr(desk, what, failing(getattr(desk, what), 3))
    told = work(project, ids[1])
    assert told["digest"] == digest
    assert "had to wait" in told["trouble"]
    assert len(read_lines(project.run(ids[1]) / "log.jsonl")) == 1


def test_a_run_whose_folder_was_deleted_ends(project, eager, at):
    id, late = new_run(project, generations=None, seconds=3600), []
    folder = project.run(id)
    at(3, lambda: shutil.rmtree(folder))
    at(9, lambda: late.append(9))
    worker.work(project, id)
    assert not folder.exists()
    assert late == []


def test_a_paused_run_whose_folder_was_deleted_ends(project, eager, monkeypatch):
    id = new_run(project, generations=None, seconds=3600)
    folder = project.run(id)
    ask(project, id, kind="pause")
    monkeypatch.setattr(desk.time, "sleep", lambda seconds: shutil.rmtree(folder))  # once: then it must not wait
    worker.work(project, id)
    assert not folder.exists()


def test_an_act_that_came_while_the_process_was_leaving_starts_another(project, unpolished, monkeypatch):
    started: list[str] = []
    monkeypatch.setattr(Runs, "start", lambda self, id: started.append(id))
    monkeypatch.setattr(desk, "PATIENCE", 0.0)
    id, runs = new_run(project), Runs(project)
    ask(project, id, kind="pause")
    assert work(project, id)["phase"] == "paused"
    runs.tend()
    assert id not in started
    ask(project, id, kind="continue", asked=time.time())  # the server took the process for a living one
    runs.tend()
    assert started.count(id) == 1


def test_a_run_that_fails_is_not_started_again_and_again(project, monkeypatch):
    started: list[str] = []
    monkeypatch.setattr(Runs, "start", lambda self, id: started.append(id))
    id, runs = new_run(project, target_unit="s"), Runs(project)  # without units of its columns
    ask(project, id, kind="continue", asked=time.time())
    assert work(project, id)["phase"] == "failed"
    runs.tend()
    assert id not in started
    ask(project, id, kind="continue", asked=time.time() + 1.0)
    runs.tend()
    assert started.count(id) == 1


def test_a_line_is_added_whole_or_not_at_all(tmp_path):
    """Where a file may not grow beyond a size, the first bytes of a line can be written, and no more."""
    path = tmp_path / "lines.jsonl"
    append_line(path, {"a": 1})
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 5, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            append_line(path, {"b": "long" * 10})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    append_line(path, {"b": 2})
    assert read_lines(path) == [{"a": 1}, {"b": 2}]


def test_a_full_disk_is_told_though_the_run_cannot_write(client, finished, monkeypatch):
    usage = namedtuple("usage", "total used free")
    assert client.get(f"/api/runs/{finished}").json()["trouble"] is None
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(100, 100, 0))
    assert "disk is full" in client.get(f"/api/runs/{finished}").json()["trouble"]


def test_a_deleted_project_is_told_in_words(tmp_path):
    from starlette.testclient import TestClient

    from epsilex.studio.app import app
    from studios import new_project

    gone = new_project(tmp_path)
    secret, origin = gone.secret(), "http://127.0.0.1:8731"
    client = TestClient(app(gone, 8731), base_url=origin, headers={"origin": origin, "x-csrf": secret["csrf"]})
    client.get("/enter", params={"token": secret["token"]})
    shutil.rmtree(gone.folder)
    answer = client.get("/api/project")
    assert answer.status_code == 507
    assert answer.json()["error"] == "The project folder cannot be used: No such file or directory."
    assert client.get("/").status_code == 200
    with pytest.raises(FileNotFoundError):  # which the stream of events tells in the same words
        gone.runs()
