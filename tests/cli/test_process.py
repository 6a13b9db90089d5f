"""The `epsilex` command in a process of its own: streams, signals, start."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from command import QUICK, epsilex, refused, some_rows
from processes import environment

FILES = {"model.json", "front.csv", "history.csv", "report.html"}


def command(*arguments, **changes):
    return [sys.executable, "-m", "epsilex", *map(str, arguments)], environment(**changes)


def test_help_is_quick_and_loads_nothing_heavy(run_python):
    code = (
        "import sys, io, contextlib\n"
        "from epsilex.cli.app import app\n"
        "from epsilex.cli.terminal import run\n"
        "with contextlib.redirect_stdout(io.StringIO()): assert run(app, ['--help']) == 0\n"
        "print(*({'numba', 'sklearn', 'pandas', 'sympy', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    assert run_python(code) == ""


def test_results_go_to_one_stream_and_the_rest_to_the_other(tmp_path):
    some_rows().to_csv(tmp_path / "d.csv", index=False)
    arguments, environ = command("fit", "d.csv", "--target", "y", *QUICK, NO_COLOR="1", FORCE_COLOR=None)
    done = subprocess.run(arguments, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "\x1b[3" not in done.stdout + done.stderr
    assert "rows" in done.stderr
    assert "formula" not in done.stderr
    assert "formula" in done.stdout
    assert {path.name for path in (tmp_path / "d-fit").iterdir()} == FILES | {"fit.json"}


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_an_interrupt_gives_the_best_so_far_and_resume_goes_on(tmp_path):
    noise = np.random.default_rng(0).normal(size=len(some_rows()))  # or the search might end by itself
    some_rows().assign(y=noise).to_csv(tmp_path / "d.csv", index=False)
    options = ("--target", "y", "--population", "200", "--jobs", "1", "--out", "o")
    arguments, environ = command("fit", "d.csv", *options, "--time", "100")
    process = subprocess.Popen(arguments, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        while b"rows" not in (line := process.stderr.readline()):  # said once the search is under way
            assert line, "the process has ended"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert b"interrupted" in out
    assert b"--resume" in err
    assert {path.name for path in (tmp_path / "o").iterdir()} >= FILES | {"search.checkpoint"}
    done_before = int(re.search(rb"(\d+) generations", out)[1])
    more = str(done_before + 5)
    here = epsilex("fit", tmp_path / "d.csv", *options[:-1], tmp_path / "o", "--generations", more, "--resume")
    assert here.code == 0, here.err
    assert f"{more} generations" in here.out
    assert not (tmp_path / "o" / "search.checkpoint").exists()
    straight = epsilex("fit", tmp_path / "d.csv", *options[:-1], tmp_path / "straight", "--generations", more)
    assert straight.code == 0
    for name in ("model.json", "front.csv"):
        assert (tmp_path / "o" / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("stage", ["loading", "compiling"])
def test_a_signal_before_the_search_leaves_nothing(tmp_path, stage):
    """While modules load, and while kernels compile into a fresh cache."""
    some_rows().to_csv(tmp_path / "d.csv", index=False)
    arguments, environ = command("fit", "d.csv", "--target", "y", "--time", "300", NUMBA_CACHE_DIR=str(tmp_path / "k"))
    process = subprocess.Popen(arguments, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        while stage == "compiling" and not (tmp_path / "d-fit").exists():
            assert process.poll() is None, "the process has ended"
            time.sleep(0.05)
        time.sleep(2.0 if stage == "compiling" else 0.0)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode in (143, -signal.SIGTERM), err
    assert out == b""
    assert b"Traceback" not in err
    assert {path.name for path in tmp_path.iterdir()} <= {"d.csv", "k"}


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_json_tells_an_interrupted_fit(tmp_path):
    noise = np.random.default_rng(0).normal(size=len(some_rows()))
    some_rows().assign(y=noise).to_csv(tmp_path / "d.csv", index=False)
    arguments, environ = command("fit", "d.csv", "--target", "y", "--population", "200", "--time", "100", "--json")
    process = subprocess.Popen(arguments, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        while b"rows" not in (line := process.stderr.readline()):
            assert line, "the process has ended"
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 143
    assert json.loads(out)["stopped_by"] == "interrupt"
    assert {path.name for path in (tmp_path / "d-fit").iterdir()} >= FILES


@pytest.mark.skipif(os.name == "nt", reason="POSIX locks")
def test_a_second_fit_into_a_folder_ends_with_one_line(tmp_path):
    from epsilex.files import locked

    some_rows().to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "o").mkdir()
    call = ("fit", tmp_path / "d.csv", "--target", "y", *QUICK, "--out", tmp_path / "o")
    with locked(tmp_path / "o" / "fit", "the first"):
        assert "out: another fit is writing to" in refused(epsilex(*call))
    assert epsilex(*call).code == 0


@pytest.mark.parametrize("broken", ["save", "load"])
def test_a_full_or_damaged_kernel_cache_costs_only_time(run_python, tmp_path, broken):
    code = """
import sys
import numpy as np
from numba.core.caching import IndexDataCacheFile

def fail(*arguments):
    raise OSError(28, "No space left on device") if sys.argv[1] == "save" else EOFError("Ran out of input")

if sys.argv[1] in ("save", "load"):
    setattr(IndexDataCacheFile, sys.argv[1], fail)
from epsilex import selection
print(*selection.select("lex_e_mad", np.random.default_rng(0).random((8, 5)), 4, np.random.default_rng(1)))
"""
    expected = run_python(code, "neither")
    assert run_python(code, broken, NUMBA_CACHE_DIR=str(tmp_path)) == expected


def test_completion_knows_the_selection_methods():
    _, environ = command(
        _EPSILEX_COMPLETE="complete_bash", COMP_WORDS="epsilex fit d.csv --selection lex_e", COMP_CWORD="4"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'epsilex'; from epsilex.cli import main; main()"],
        env=environ, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert set(done.stdout.split()) == {"lex_e", "lex_e_mad"}
