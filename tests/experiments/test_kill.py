"""A run killed again and again has, in the end, the rows of one that nobody disturbed."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import experiments_standin as standin
from places import SUPPORT

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import experiments_standin as standin
from pathlib import Path
if __name__ == "__main__":
    standin.carry_out(Path({out!r}), standin.slow_work)
"""


def workers_of(pid: int) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                found.append(int(folder.name))
    return found


def rows_in(out: Path) -> int:
    try:
        return len(standin.stored(out))
    except sqlite3.Error:
        return 0


def wait_for(condition, seconds: float) -> None:
    limit = time.monotonic() + seconds
    while not condition() and time.monotonic() < limit:
        time.sleep(0.02)


pytestmark = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs SIGKILL and /proc")


@pytest.mark.slow
def test_killed_five_times_and_continued_it_has_the_rows_of_an_undisturbed_run(tmp_path):
    whole = tmp_path / "whole"
    assert standin.carry_out(whole, standin.work) == 0
    script = tmp_path / "script.py"
    out = tmp_path / "out"
    script.write_text(SCRIPT.format(tests=str(SUPPORT), out=str(out)))
    draw = random.Random(5)
    orphans: list[int] = []
    for _ in range(5):  # `make drill` kills many more
        process = subprocess.Popen([sys.executable, script], stderr=subprocess.DEVNULL)
        aim = rows_in(out) + draw.randint(0, 1)
        wait_for(lambda aim=aim, process=process: rows_in(out) >= aim or process.poll() is not None, seconds=5)
        time.sleep(draw.uniform(0.0, 0.2))
        orphans += workers_of(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([sys.executable, script], check=True, stderr=subprocess.DEVNULL)
    assert standin.stored(out) == standin.stored(whole)
    assert standin.histories(out) == standin.histories(whole)
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in orphans), seconds=10)
    assert not [pid for pid in orphans if Path(f"/proc/{pid}").exists()]  # workers left with their parent


def test_an_interrupt_ends_the_run_at_once_and_keeps_what_is_stored(tmp_path):
    script, out = tmp_path / "script.py", tmp_path / "out"
    script.write_text(SCRIPT.format(tests=str(SUPPORT), out=str(out)))
    process = subprocess.Popen([sys.executable, script], stderr=subprocess.DEVNULL)
    wait_for(lambda: rows_in(out) >= 2, seconds=60)
    workers = workers_of(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) != 0
    assert 2 <= rows_in(out) < len(standin.plan())
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), seconds=30)
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]
