"""Fixtures several test files share."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from processes import environment

# A shell starts background jobs with SIGINT ignored, and children would inherit it: tests of interrupts need it heard.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the processes that tests start need not compile all modules again
os.environ["EPSILEX_DATA_URL"] = "http://127.0.0.1:9"  # nothing answers there: no test downloads


def pytest_collection_finish() -> None:
    """Thousands of tests and the libraries they import stay to the end: no collection of garbage looks at them again,
    which takes a third of a second each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def run_python():
    """Run code in a fresh process and return what it printed."""

    def run(code, *arguments, **changes):
        command = [sys.executable, "-c", code, *map(str, arguments)]
        done = subprocess.run(command, env=environment(**changes), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.fixture
def own_operators():
    """Operators that a test adds are gone after it."""
    from epsilex.programs import operators

    table, codes = list(operators.TABLE), dict(operators._OPCODES)
    yield
    operators.TABLE[:] = table
    operators._OPCODES.clear()
    operators._OPCODES.update(codes)


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator of the test's own, so that no test depends on those before it."""
    return np.random.default_rng(1)
