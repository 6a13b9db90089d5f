"""Long benchmarks: every run in a process of its own with one thread, its result a line of a file, never made twice.

A benchmark is a module with `measure(**task) -> dict`. A task is a dict of names and numbers; what `measure` returns is
stored beside it. Kill the benchmark at any moment: started again, it goes on with the runs that are missing.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from epsilex.experiments.environment import describe

ROOT = Path(__file__).parents[1]
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
DATA = ROOT.parent / "shared" / "data"  # used where EPSILEX_DATA is not set, as the tests do

Row = dict[str, Any]


class Results:
    """Rows in a file of JSON lines, found by the values of their `key`; of several with one key the last counts."""

    def __init__(self, path: Path, key: Sequence[str]):
        self.path, self.key = path, tuple(key)
        self._rows: dict[tuple, Row] = {}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for line in lines:
            with suppress(json.JSONDecodeError):  # a benchmark may be killed while it writes a line
                self._keep(json.loads(line))

    def _keep(self, row: Row) -> None:
        self._rows[self.of(row)] = row

    def of(self, task: Row) -> tuple:
        return tuple(task[name] for name in self.key)

    def done(self, task: Row) -> bool:
        """Whether the task has a result; one that failed is tried again."""
        return "error" not in self._rows.get(self.of(task), {"error": "never run"})

    def rows(self) -> list[Row]:
        """All results, without the failures."""
        return [row for row in self._rows.values() if "error" not in row]

    def failures(self) -> list[Row]:
        return [row for row in self._rows.values() if "error" in row]

    def add(self, row: Row) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            file.seek(0, os.SEEK_END)
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # a torn last line must not swallow this one
                    file.write(b"\n")
            file.write(json.dumps(row).encode() + b"\n")
        self._keep(row)

    def forget(self, method: str) -> None:
        """Drop all results of one method, so that they are made anew."""
        self._rows = {key: row for key, row in self._rows.items() if row.get("method") != method}
        if self.path.exists():
            new = self.path.with_suffix(".new")
            new.write_text("".join(json.dumps(row) + "\n" for row in self._rows.values()), encoding="utf-8")
            new.replace(self.path)


def environment() -> dict[str, str]:
    """The environment of a run: one thread, and the paper's data where it lies beside the repository."""
    found = {"EPSILEX_DATA": str(DATA)} if DATA.is_dir() and "EPSILEX_DATA" not in os.environ else {}
    return os.environ | found | dict.fromkeys(ONE_THREAD, "1")


def patience(task: Row) -> float:
    """Wall-clock seconds after which a run counts as hung: its budget is CPU time, and the machine may be shared."""
    return 300.0 + 10.0 * task.get("seconds", 0.0)


class Runner:
    """Runs tasks in processes of their own, `jobs` at a time."""

    def __init__(self, module: str, results: Results, jobs: int):
        self.module, self.results, self.jobs = module, results, jobs
        self._alive: set[subprocess.Popen] = set()
        self._lock = threading.Lock()

    def run(self, tasks: Sequence[Row]) -> None:
        """Make the results that are missing, in the order of `tasks`."""
        missing = [task for task in tasks if not self.results.done(task)]
        say(f"{self.module}: {len(tasks) - len(missing)} runs found in {self.results.path}, {len(missing)} to do")
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = {pool.submit(self._one, task): task for task in missing}
            try:
                for number, future in enumerate(as_completed(waiting), 1):
                    row = waiting[future] | future.result()
                    self.results.add(row | {"date": str(datetime.date.today()), "commit": describe()["commit"]})
                    say(f"[{number}/{len(missing)}] {line(row)}")
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self._end()
                raise

    def _one(self, task: Row) -> Row:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.runs", self.module],
            cwd=ROOT, env=environment(), text=True, **dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE),
            start_new_session=True,  # Ctrl-C stops the benchmark; a fit that saw it would end early and look finished
        )  # fmt: skip
        with self._lock:
            self._alive.add(process)
        try:
            out, err = process.communicate(json.dumps(task), timeout=patience(task))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return {"error": f"not finished after {patience(task):.0f} s"}
        finally:
            with self._lock:
                self._alive.discard(process)
        if process.returncode != 0 or not out.strip():
            last = next((text for text in reversed(err.splitlines()) if "Error" in text), err.strip()[-300:])
            return {"error": last or f"ended with code {process.returncode}"}
        return json.loads(out.splitlines()[-1])

    def _end(self) -> None:
        with self._lock:
            for process in self._alive:
                process.kill()


def made(rows: Sequence[Row]) -> str:
    """When the runs were made and from which source: more than one, where a benchmark went on after a change."""
    dates, commits = (sorted({str(row[name]) for row in rows if row.get(name)}) for name in ("date", "commit"))
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "an unknown day"
    return f"Runs of {when}, source at {', '.join(commits) or 'an unknown commit'}.\n\n"


def line(row: Row) -> str:
    """One run in one line, for the eye."""
    short = {name: f"{value:.4g}" if isinstance(value, float) else str(value)[:60] for name, value in row.items()}
    return ", ".join(f"{name} {text}" for name, text in short.items() if text not in ("", "None"))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def arguments(description: str) -> argparse.ArgumentParser:
    """The options all long benchmarks share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a few short runs, to see that everything works")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time, each with one thread")
    parser.add_argument("--results", type=Path, default=ROOT / "results", help="folder of the finished runs")
    parser.add_argument("--problems", help="only these, separated by commas")
    parser.add_argument("--methods", help="only these, separated by commas")
    parser.add_argument("--forget", help="methods to be run anew, separated by commas")
    parser.add_argument("--table", action="store_true", help="run nothing, show what is there")
    return parser


def carry_out(module: str, key: Sequence[str], tasks: Sequence[Row], options: argparse.Namespace) -> Results:
    """Run what is missing of `tasks` after the options, and hand the results over."""
    folder = options.results / "quick" if options.quick else options.results
    results = Results(folder / f"{module}.jsonl", key)
    for method in filter(None, (options.forget or "").split(",")):
        results.forget(method)
    wanted = {"problem": options.problems, "method": options.methods}
    for name, text in wanted.items():
        known = {task[name] for task in tasks if name in task}
        unknown = set(filter(None, (text or "").split(","))) - known
        if unknown:
            sys.exit(f"--{name}s: expected some of {', '.join(sorted(known))}; got {', '.join(sorted(unknown))}")
        if text:
            tasks = [task for task in tasks if task.get(name) in text.split(",")]
    if not options.table:
        try:
            Runner(f"benchmarks.{module}", results, options.jobs).run(tasks)
        except KeyboardInterrupt:
            sys.exit("stopped; the same command goes on from here")
    return results


if __name__ == "__main__":
    result = import_module(sys.argv[1]).measure(**json.load(sys.stdin))
    print(json.dumps(result), flush=True)
    os._exit(0)  # some peers crash when they are taken down
