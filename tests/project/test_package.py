"""The package as it is handed over: version, command, make targets."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points, version
from itertools import chain
from pathlib import Path

import pytest

import epsilex
from places import ROOT


def test_version_is_the_same_everywhere():
    assert version("epsilex") == epsilex.__version__
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited
    assert cited[1] == epsilex.__version__


IMPORTED_AS = {"scikit-learn": "sklearn", "scikit-posthocs": "scikit_posthocs"}
PART_OF = {
    "llvmlite": "numba",
    "markupsafe": "jinja2",
    "IPython": "a notebook",
    "traitlets": "anywidget",
    "dask": "distributed",
}  # come with another


def declared(requirements: list[str]) -> set[str]:
    """Modules of requirements such as `numpy>=2.0`."""
    names = [re.match(r"[\w-]+", text)[0] for text in requirements]
    return {IMPORTED_AS.get(name, name) for name in names}


def imported() -> set[str]:
    """Modules from elsewhere that the package imports, at any depth."""
    found: set[str] = set()
    for path in (ROOT / "src" / "epsilex").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add((node.module or "").partition(".")[0])
    return found - sys.stdlib_module_names - {"epsilex"}


def test_every_dependency_is_imported_and_every_import_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    always = declared(project["dependencies"])
    sometimes = declared([*chain(*project["optional-dependencies"].values())])
    assert always <= imported()
    assert imported() - PART_OF.keys() <= always | sometimes


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
    assert re.findall(r"^make (\w+)$", script.read_text(encoding="utf-8"), re.MULTILINE) == ["test", "lint", "docs"]
