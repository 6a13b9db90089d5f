"""The progress bar."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pytest

from epsilex import SymbolicRegressor
from epsilex.data.scales import Scales
from epsilex.evolution import State, Stop
from epsilex.evolution.observers import progress as module
from epsilex.evolution.observers.archive import Archive
from epsilex.evolution.observers.progress import Progress, printable, progress_bar
from epsilex.programs import Programs
from epsilex.programs.parser import parse

SCALES = Scales(np.array([0.0, 10.0]), np.array([2.0, 1.0]), 5.0, 4.0)


def at(generation):
    return State(generation, None, 0, np.empty(0))


def archive(fitness, formula="x0 + x1"):
    found = Archive(5)
    programs = Programs.from_nodes([parse(formula)])
    for name in ("opcode", "feature", "constant"):
        getattr(found.programs, name)[3, : programs.length[0]] = getattr(programs, name)[0, : programs.length[0]]
    found.programs.length[3] = programs.length[0]
    found.fitness[3] = found.standing[3] = fitness
    return found


def test_error_and_formula_are_in_the_users_units():
    progress = Progress(Stop(generations=10), ["a", "b"], SCALES)
    progress.update(at(3), archive(0.5))
    assert progress.error == 2.0
    assert "generation 3" in progress.line(200)
    assert "error 2" in progress.line(200)
    shown = parse(progress.formula, ["a", "b"])
    from epsilex.programs.numeric import evaluate64

    X = np.array([[2.0, 11.0], [6.0, 9.0]])
    np.testing.assert_allclose(evaluate64(shown, X), 4.0 * (X[:, 0] / 2.0 + X[:, 1] - 10.0) + 5.0)


def test_a_search_that_has_found_nothing_yet():
    progress = Progress(Stop(generations=10), ["a", "b"], SCALES)
    progress.update(at(1), Archive(5))
    assert progress.line(80) == "generation 1"


def test_time_left_is_until_the_first_limit(monkeypatch):
    now = 100.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    progress = Progress(Stop(generations=100, seconds=60.0), ["a", "b"], SCALES)
    progress.update(at(0), archive(0.5))
    now = 110.0
    progress.update(at(10), archive(0.5))
    assert progress.seconds_left == 50.0
    assert progress.share_done == pytest.approx(1 / 6)
    progress.update(at(80), archive(0.5))
    assert progress.seconds_left == 2.5
    assert progress.share_done == 0.8


def test_the_line_is_cut_to_the_width():
    progress = Progress(Stop(seconds=9.0), ["a" * 50, "b" * 50], SCALES)
    progress.update(at(1), archive(0.5))
    for width in (10, 40, 60, 80, 300):
        assert len(progress.line(width)) <= width
    assert progress.line(80).endswith("…")
    assert "b" * 50 in progress.line(300)


def test_control_characters_do_not_reach_the_terminal():
    assert printable("a\x1b[2J\nb") == "a�[2J�b"


def test_a_log_gets_a_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(module, "LINE_EVERY", 0.0)
    with progress_bar(Stop(generations=5), ["a", "b"], SCALES) as (bar,):
        bar.see(at(1), archive(0.5))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(r"0:00:\d\d  generation 1  error 2  \S.*\n", shown.err)


def test_a_terminal_gets_a_bar_that_is_gone_at_the_end(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    X = np.linspace(1.0, 2.0, 30).reshape(-1, 1)
    SymbolicRegressor(generations=2, time_limit=None, population_size=20, random_state=0, progress=True).fit(X, X[:, 0])
    shown = sys.stderr.getvalue()
    assert "generation" in shown
    assert shown.rstrip().endswith("\x1b[2K")  # the line is cleared
