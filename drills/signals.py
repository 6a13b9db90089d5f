"""SIGINT and SIGTERM at every stage of the command: none is lost, and the process ends at once or with its result."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from drills import fits
from drills.command import start
from drills.drill import Outcome, drill

LIMIT = 2.0  # seconds of the process's own time between signal and end
FIT = ("fit", "d.csv", "--target", "y", "--population", "200", "--jobs", "1", "--out", "out", "--json")
REPRODUCE = (
    "reproduce", "--problems", "uball5d", "--trials", "2", "--generations", "500", "--jobs", "1", "--out", "out",
)  # fmt: skip
OURS = (b"cli/app.py", b"cli/terminal.py")  # in a traceback, once the command hears signals
STAGES = ("loading", "compiling", "warming up", "searching", "finishing", "twice", "reproducing")


def spent(process: subprocess.Popen) -> float:
    """Processor seconds of a running process, of its running children and of those it has waited for."""
    return sum(map(_seconds_of, (process.pid, *_children(process.pid))), 0.0)


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(word) for path in Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()]
    return []


def _seconds_of(pid: int) -> float:
    with contextlib.suppress(OSError):  # it has ended
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def ended(process: subprocess.Popen) -> tuple[int, float, bytes, bytes]:
    """Exit code, processor seconds, and what it said."""
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, out, err


def wait_for(condition: Callable[[], bool], process: subprocess.Popen) -> None:
    limit = time.monotonic() + 120.0
    while not condition() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.01)


def begin(stage: str, rng: random.Random, folder: Path) -> subprocess.Popen:
    """A process that has reached the stage."""
    out, changes = folder / "out", {"EPSILEX_DATA_URL": "http://127.0.0.1:9"}
    arguments = (*FIT, "--generations", "3") if stage == "finishing" else (*FIT, "--time", "300")
    if stage == "compiling":
        changes["NUMBA_CACHE_DIR"] = str(folder / "cache")
    if stage == "reproducing":
        arguments = REPRODUCE
    process = start(*arguments, folder=folder, **changes)
    if stage == "loading":
        time.sleep(rng.uniform(0.0, 0.3))
    elif stage == "searching":
        while b"rows" not in (line := process.stderr.readline()) and line:
            pass  # told with the first population
        time.sleep(rng.uniform(0.0, 0.5))
    elif stage == "reproducing":
        wait_for((out / "results.sqlite").exists, process)
        time.sleep(rng.uniform(0.0, 2.0))
    else:
        claimed = ".fit.lock" if stage in ("compiling", "warming up") else ".search.checkpoint.lock"
        wait_for((out / claimed).exists, process)
        time.sleep(rng.uniform(0.0, {"compiling": 6.0, "finishing": 1.0}.get(stage, 0.5)))
    return process


@drill(
    "SIGINT and SIGTERM end the command at every stage, with the best so far if there is one",
    full=210,
    unit="signals",
    least=3,
)
def signals(outcome: Outcome, n: int, rng: random.Random, folder: Path) -> None:
    fits.table(folder / "d.csv")
    for k in range(n):
        stage = STAGES[(k + 3) % len(STAGES)]  # a small share begins with the search
        number = rng.choice((signal.SIGINT, signal.SIGTERM))
        process = begin(stage, rng, folder)
        before, at = (spent(process), time.monotonic()) if process.poll() is None else (0.0, time.monotonic())
        process.send_signal(number)
        if stage == "twice":
            time.sleep(0.05)
            os.kill(process.pid, number)  # `send_signal` would take the exit code of one that has ended
        code, total, out, err = ended(process)
        outcome.count += 1
        outcome.add(stage)
        done = stage == "finishing" and code == 0  # it was over before the signal
        if stage == "loading" and b"Traceback" in err and not any(name in err for name in OURS):
            outcome.add("while Python itself began")
            outcome.expect(code in (1, -number), f"{stage}, {number!r}: code {code}, said {err[-200:]!r}")
            continue
        codes = (128 + number, -number) if stage in ("loading", "twice") else (128 + number,)
        outcome.expect(code in codes or done, f"{stage}, {number!r}: code {code}, said {err[-200:]!r}")
        outcome.expect(b"Traceback" not in err, f"{stage}, {number!r}: {err[-300:]!r}")
        outcome.expect(total - before <= LIMIT or done, f"{stage}, {number!r}: {total - before:.1f} s to the end")
        outcome.highest("slowest processor seconds", total - before)
        outcome.highest("slowest seconds", time.monotonic() - at)
        outcome.expect(out or stage != "searching", f"{stage}, {number!r}: no result")
        if stage in ("warming up", "searching", "finishing") and out:  # a search may have begun before the signal
            told = json.loads(out)["stopped_by"]
            outcome.expect(told == "interrupt" or done, f"{stage}: stopped by {told}")
            outcome.add("with a result")
        elif stage in ("compiling", "warming up", "loading"):
            outcome.expect(not (folder / "out").exists() or stage == "loading", f"{stage}: files left behind")
        for name in ("out", "cache"):
            shutil.rmtree(folder / name, ignore_errors=True)
