"""The import diagram of ARCHITECTURE.md, held true for every import statement under src/epsilex."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from places import ROOT

PACKAGE = ROOT / "src" / "epsilex"
FRONT_DOOR = {"__init__", "__main__"}  # they open every room, on request
FIGURE_MODULES = {"figures.py", "plots.py"}
WEB = {"starlette", "uvicorn", "httpx", "anyio"}
HEAVY = {"numba", "matplotlib", "sklearn", "pandas", "sympy", "scipy"}


def read_columns(page: str) -> dict[str, int]:
    """Column of each room in the page's `rooms` block, counted from the left."""
    block = re.search(r"```rooms\n(.*?)```", page, re.DOTALL)
    assert block, "ARCHITECTURE.md has no ```rooms block"
    columns = [re.findall(r"\w+", column) for column in block[1].split("<-")]
    rooms = [room for column in columns for room in column]
    assert all(columns), "the diagram has an empty column"
    assert len(rooms) == len(set(rooms)), "the diagram names a room twice"
    return {room: number for number, column in enumerate(columns) for room in column}


def imported_modules(source: str, module: str, is_package: bool = False) -> set[str]:
    """Full names of all that `source`, the text of `module`, imports at any depth, relative imports resolved."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                base = ".".join(package[: len(package) - node.level + 1] + ([base] if base else []))
            found.update(f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and called_name(node) in {"import_module", "__import__"}:
            found.update(a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str))
    return found


def called_name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def faults(path: Path, source: str, columns: dict[str, int]) -> list[str]:
    """What is wrong with the imports of one file; `path` is relative to the package."""
    room = path.parts[0].removesuffix(".py")
    module = ".".join(("epsilex", *path.with_suffix("").parts)).removesuffix(".__init__")
    found = []
    for name in sorted(imported_modules(source, module, path.name == "__init__.py")):
        top, *rest = name.split(".")
        if top in {"numba", "llvmlite"} and room != "kernels":
            found.append(f"{path}: {name}; numba belongs to kernels alone")
        if top in {"matplotlib", "seaborn"} and path.name not in FIGURE_MODULES:
            found.append(f"{path}: {name}; matplotlib belongs to figures.py and plots.py alone")
        if top in WEB and room != "studio":
            found.append(f"{path}: {name}; web libraries belong to studio alone")
        if top != "epsilex" or room in FRONT_DOOR or rest == ["__version__"]:
            continue
        target = rest[0] if rest else "epsilex"
        if target not in columns:
            found.append(f"{path}: {name}; import from the room where the name lives")
        elif target != room and columns[target] >= columns[room]:
            found.append(f"{path}: {name}; {target} is not left of {room}")
    return found


COLUMNS = read_columns((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
FILES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
MOST_LINES = 350  # of one file


def test_every_room_is_in_the_diagram():
    rooms = {path.parts[0].removesuffix(".py") for path in FILES}
    assert rooms - FRONT_DOOR == set(COLUMNS)


def test_files_stay_short():
    lines = {path: len((PACKAGE / path).read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: n for path, n in lines.items() if n > MOST_LINES} == {}


@pytest.mark.parametrize("path", FILES, ids=str)
def test_imports_point_left(path):
    assert not faults(path, (PACKAGE / path).read_text(encoding="utf-8"), COLUMNS)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("programs/formula.py", "from epsilex.selection import select"),
        ("registry.py", "from epsilex import programs"),
        ("planting/sums.py", "from epsilex.evolution import Settings"),
        ("data/scales.py", "def f():\n    from epsilex.planting import plant"),
        ("selection/lexicase.py", "def f():\n    from ..programs import evaluate"),
        ("kernels/evaluate.py", "from epsilex import programs"),
        ("evolution/loop.py", "import epsilex.regressor"),
        ("evolution/loop.py", "import importlib\nimportlib.import_module('epsilex.cli')"),
        ("models/__init__.py", "from ..regressor import SymbolicRegressor"),
        ("models/model.py", "from epsilex import SymbolicRegressor"),
        ("programs/random.py", "from numba import njit"),
        ("report/page.py", "from starlette.responses import Response"),
        ("studio/app.py", "from epsilex.cli import main"),
        ("experiments/statistics.py", "def f():\n    import matplotlib.pyplot as plt"),
    ],
)
def test_a_wrong_import_is_found(path, source):
    assert len(faults(Path(path), source, COLUMNS)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("programs/evaluation.py", "from epsilex.kernels import evaluate\nfrom . import operators"),
        ("kernels/evaluate.py", "import numba"),
        ("models/plots.py", "import matplotlib.pyplot as plt"),
        ("models/model.py", "from epsilex import __version__\nfrom epsilex import programs"),
        ("models/__init__.py", "from .model import Model"),
        ("cli.py", "from epsilex.regressor import SymbolicRegressor"),
    ],
)
def test_a_right_import_is_not(path, source):
    assert not faults(Path(path), source, COLUMNS)


def test_importing_the_package_loads_nothing_heavy():
    code = f"import sys, epsilex; print(*({HEAVY!r} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == []


def test_every_public_name_resolves():
    import epsilex

    assert dir(epsilex) == sorted(epsilex.__all__)
    for name in epsilex.__all__:
        assert getattr(epsilex, name) is not None
    with pytest.raises(AttributeError, match="nothing_here"):
        _ = epsilex.nothing_here
