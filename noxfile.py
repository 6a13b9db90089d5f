"""The tests on other versions, in environments of their own: `nox`, `nox -s tests-3.14`, `nox -s lowest`.

Each session runs the command of its make target. A Python that is not installed is skipped.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
PROJECT = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]

nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["tests", "lowest", "lint"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """`make test` on every supported Python."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "-n", "2", "--dist", "worksteal", *session.posargs)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """`make test` with the lowest versions that pyproject.toml allows."""
    exact = [requirement.replace(">=", "==") for requirement in PROJECT["dependencies"]]
    session.install("-e", ".[test]", *exact)
    session.run("python", "-m", "pytest", "-n", "2", "--dist", "worksteal", *session.posargs)


@nox.session(python=PYTHONS[0])
def coverage(session: nox.Session) -> None:
    """`make coverage`."""
    session.install("-e", ".[test]")
    tests = ["tests/kernels", "tests/project/test_twins.py"]
    command = ["python", "-m", "coverage", "run", "-m", "pytest", "-q", "-W", "ignore::RuntimeWarning", *tests]
    session.run(*command, env={"NUMBA_DISABLE_JIT": "1"})
    session.run("python", "-m", "coverage", "report")


@nox.session(python=PYTHONS[0])
def lint(session: nox.Session) -> None:
    """`make lint`."""
    session.install("-e", ".[test]")
    for command in (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]):
        session.run(*command)


@nox.session(python=PYTHONS[0])
def docs(session: nox.Session) -> None:
    """`make docs`."""
    session.install("-e", ".[docs]")
    session.run("python", "-m", "sphinx", "-W", "--keep-going", "-b", "html", "docs", "docs/_build/html")
