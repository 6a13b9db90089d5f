"""The docstring of a folder is its catalogue: it names every module of the folder, and no module that is not there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from places import ROOT

PACKAGE = ROOT / "src" / "epsilex"
FOLDERS = sorted(path.parent for path in PACKAGE.glob("*/**/__init__.py"))  # the package's own lists public names
LINE = re.compile(r"(\w+(?:, \w+)*) {2,}\S")  # names, two spaces or more, what they hold
ROW = re.compile(r"\| `\w+` +\|.*")


def listed(docstring: str) -> set[str]:
    """The names that lines and table rows of a catalogue begin with, and those in backticks within such a row."""
    names: set[str] = set()
    for line in docstring.splitlines():
        if found := LINE.match(line):
            names.update(found[1].split(", "))
        elif ROW.match(line):
            names.update(re.findall(r"`(\w+)`", line))
    return names


def catalogue(folder: Path) -> set[str]:
    return listed(ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or "")


def modules(folder: Path) -> set[str]:
    """Modules of a folder and the folders within it that are packages."""
    files = {path.stem for path in folder.glob("*.py")}
    return (files | {path.parent.name for path in folder.glob("*/__init__.py")}) - {"__init__"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(PACKAGE)))
def test_every_module_is_named(folder):
    assert modules(folder) - catalogue(folder) == set()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(PACKAGE)))
def test_every_name_is_a_module(folder):
    others = {"housing", "tower", "wind", "enh", "enc"} if folder.name == "problems" else set()  # its table of data
    assert catalogue(folder) - modules(folder) == others


def test_the_reading_of_a_catalogue():
    text = "Rooms.\n\nsteps   one\nbath, hall  two\n| `door` | three; `key`: four |\nThis is a sentence.\n  inner  no"
    assert listed(text) == {"steps", "bath", "hall", "door", "key"}
