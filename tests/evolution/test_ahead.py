"""The helper that compiles: it makes the machine code that a search needs, and lives no longer than it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from epsilex.evolution import Cases, Settings, ahead, rehearse
from epsilex.kernels import caching, describing, grafting, jacobian, pareto, variation

LATE = (describing.structures, pareto.front_ranks, jacobian.tune, variation.vary, grafting.stocks, grafting.graft)


def test_it_compiles_for_the_types_of_a_search():
    rng = np.random.default_rng(0)
    cases = Cases.from_arrays(rng.normal(size=(60, 3)), rng.normal(size=60))
    rehearse(cases, Settings(planters=(), seed=1))
    before = [len(kernel.signatures) for kernel in LATE]
    assert min(before) > 0
    ahead.compile_backwards()
    assert [len(kernel.signatures) for kernel in LATE] == before


class Helper:
    """In place of a process: how it ended."""

    def __init__(self):
        self.ended = []

    def kill(self):
        self.ended.append("killed")

    def communicate(self):
        self.ended.append("waited for")


@pytest.fixture
def started(monkeypatch):
    """The helpers that were started, where all is in favour of one."""
    helpers = []

    def start(*command, **how):
        helpers.append(Helper())
        return helpers[-1]

    monkeypatch.setattr(ahead, "subprocess", SimpleNamespace(Popen=start, PIPE=-1, DEVNULL=-3))
    monkeypatch.setattr(caching, "to_be_kept", lambda kernel: True)
    monkeypatch.setattr(ahead, "_cores", lambda: 2)
    return helpers


def test_it_ends_with_its_block_whatever_happens(started):
    def interrupted():
        with ahead.helped():
            assert [helper.ended for helper in started] == [[]]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [helper.ended for helper in started] == [["killed", "waited for"]]


@pytest.mark.parametrize("why", ["compiled already", "one core", "a worker", "no interpreter"])
def test_there_is_none_where_it_would_not_help(started, monkeypatch, why):
    if why == "compiled already":
        monkeypatch.setattr(caching, "to_be_kept", lambda kernel: False)
    elif why == "one core":
        monkeypatch.setattr(ahead, "_cores", lambda: 1)
    elif why == "a worker":
        monkeypatch.setattr("multiprocessing.parent_process", lambda: object())
    else:
        monkeypatch.setattr(sys, "executable", None)
    with ahead.helped():
        pass
    assert started == []


def test_a_search_goes_on_without_it(started, monkeypatch):
    def refused(*_, **__):
        raise OSError("no more processes")

    monkeypatch.setattr(ahead.subprocess, "Popen", refused)
    with ahead.helped():
        done = True
    assert done


def test_it_leaves_when_its_input_is_closed():
    """As when the process that started it is killed."""
    code = "from epsilex.evolution import ahead; ahead.compile_backwards = lambda: __import__('time').sleep(60); "
    helper = subprocess.Popen([sys.executable, "-c", code + "ahead.help_out()"], stdin=subprocess.PIPE)
    helper.stdin.close()
    assert helper.wait(timeout=50) == 0


def test_a_kernel_is_to_be_kept_until_it_has_machine_code(tmp_path, run_python):
    code = """
import numpy as np
from epsilex.kernels.caching import to_be_kept
from epsilex.kernels.streams import uniform_integers as kernel
print(to_be_kept(kernel))
kernel(np.uint64(1), 2, 3, 0, 99, np.empty(3, np.int64))
print(to_be_kept(kernel))
"""
    assert run_python(code, NUMBA_CACHE_DIR=str(tmp_path)).split() == ["True", "False"]


def test_cores_are_those_that_may_be_used():
    assert 1 <= ahead._cores() <= os.cpu_count()


def test_without_a_cache_there_is_nothing_to_keep():
    assert not caching.to_be_kept(lambda: 0)
