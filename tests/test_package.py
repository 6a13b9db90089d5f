"""The package as it is handed over: version, command, make targets."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

import epsilex

ROOT = Path(__file__).parents[1]


def test_version_is_the_same_everywhere():
    assert version("epsilex") == epsilex.__version__
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited
    assert cited[1] == epsilex.__version__


def test_the_command_starts():
    (command,) = (point for point in entry_points(group="console_scripts") if point.name == "epsilex")
    assert callable(command.load())


def test_the_package_says_that_it_is_typed():
    assert Path(epsilex.__file__).with_name("py.typed").exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_help_lists_the_targets():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = re.findall(r"^  make (\S+) +\S", listed, re.MULTILINE)
    assert {"help", "demo", "test", "lint", "bench", "docs"} <= set(targets)
    assert len(targets) == len(set(targets))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no executable bit")
def test_ci_runs_the_make_targets():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert re.findall(r"^make (\w+)$", script.read_text(encoding="utf-8"), re.MULTILINE) == ["test", "lint"]
